import type { Logger } from '@oddlot/host/log';
import { describe, expect, test } from 'vitest';
import { MemoryWatch } from './memory-watch.ts';

const MEBIBYTE = 1024 * 1024;

/** Notes how many mebibytes are said to have been given back. */
function toldIn(given: number[]) {
  const info = (said: unknown) => given.push((said as { bytes: number }).bytes / MEBIBYTE);
  return { info: info as Logger['info'] };
}

function aWatch(use: { total: number; used: number; busy: number }) {
  const given: number[] = [];
  const watch = new MemoryWatch(toldIn(given), {
    read: () => ({ heapTotal: use.total * MEBIBYTE, heapUsed: use.used * MEBIBYTE }),
    busy: () => use.busy,
    collect: () => (use.total = use.used),
  });
  watch.stop();
  const looks = (count: number): void => {
    for (let each = 0; each < count; each++) watch.look();
  };
  return { given, looks };
}

describe('memory that a flood left behind', () => {
  test('is given back when all was calm for a while, and not again for ten minutes', () => {
    const use = { total: 230, used: 60, busy: 0.05 };
    const { given, looks } = aWatch(use);
    looks(2);
    expect(given).toEqual([]);
    looks(1);
    expect(given).toEqual([170]);
    use.total = 230;
    looks(119);
    expect(given).toEqual([170]);
    looks(1);
    expect(given).toEqual([170, 170]);
  });

  test.each([
    ['while there is something to do', { total: 230, used: 60, busy: 0.5 }],
    ['where little of it lies empty', { total: 130, used: 60, busy: 0 }],
    ['where most of it is in use', { total: 300, used: 180, busy: 0 }],
    ['of a large heap, which takes long', { total: 900, used: 100, busy: 0 }],
  ])('is not %s', (_, use) => {
    const { given, looks } = aWatch(use);
    looks(20);
    expect(given).toEqual([]);
  });

  test('is known by what was needed before, though garbage is in use', () => {
    const use = { total: 130, used: 60, busy: 0 };
    const { given, looks } = aWatch(use);
    looks(3);
    Object.assign(use, { total: 260, used: 144 });
    looks(1);
    expect(given).toEqual([116]);
    // All of it was needed: that is known from here on.
    Object.assign(use, { total: 260, used: 150 });
    looks(500);
    expect(given).toEqual([116]);
  });

  test('is given back by the runtime', () => {
    const given: number[] = [];
    const watch = new MemoryWatch(toldIn(given), {
      busy: () => 0,
      read: () => ({ heapTotal: 400 * MEBIBYTE, heapUsed: 10 * MEBIBYTE }),
    });
    watch.stop();
    for (let each = 0; each < 3; each++) watch.look();
    expect(given).toEqual([0]);
    expect('gc' in globalThis).toBe(false);
  });
});
