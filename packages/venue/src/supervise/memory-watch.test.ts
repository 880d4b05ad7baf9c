import type { Logger } from '@oddlot/host/log';
import { describe, expect, test } from 'vitest';
import { MemoryWatch } from './memory-watch.ts';

const MEBIBYTE = 1024 * 1024;

function logInto(given: number[]) {
  const info = (facts: unknown) => given.push((facts as { bytes: number }).bytes / MEBIBYTE);
  return { info: info as Logger['info'] };
}

function aWatch(use: { total: number; used: number; busy: number }) {
  const given: number[] = [];
  const watch = new MemoryWatch(logInto(given), {
    read: () => ({ heapTotal: use.total * MEBIBYTE, heapUsed: use.used * MEBIBYTE }),
    busy: () => use.busy,
    collect: () => (use.total = use.used),
  });
  watch.stop();
  const check = (count: number): void => {
    for (let each = 0; each < count; each++) watch.look();
  };
  return { given, check };
}

describe('memory left over from a burst is released', () => {
  test('memory is released after a quiet period, and not again for ten minutes', () => {
    const use = { total: 230, used: 60, busy: 0.05 };
    const { given, check } = aWatch(use);
    check(2);
    expect(given).toEqual([]);
    check(1);
    expect(given).toEqual([170]);
    use.total = 230;
    check(119);
    expect(given).toEqual([170]);
    check(1);
    expect(given).toEqual([170, 170]);
  });

  test.each([
    ['released while the loop is busy', { total: 230, used: 60, busy: 0.5 }],
    ['released if little of it is empty', { total: 130, used: 60, busy: 0 }],
    ['released if most of it is in use', { total: 300, used: 180, busy: 0 }],
    ['released for a large heap, whose collection takes long', { total: 900, used: 100, busy: 0 }],
  ])('memory is not %s', (_, use) => {
    const { given, check } = aWatch(use);
    check(20);
    expect(given).toEqual([]);
  });

  test('the memory required is the lowest use observed, because use includes uncollected garbage', () => {
    const use = { total: 130, used: 60, busy: 0 };
    const { given, check } = aWatch(use);
    check(3);
    Object.assign(use, { total: 260, used: 144 });
    check(1);
    expect(given).toEqual([116]);
    // The first collection showed that most of this memory was in use, so there is no second
    // collection.
    Object.assign(use, { total: 260, used: 150 });
    check(500);
    expect(given).toEqual([116]);
  });

  test("memory is released by the runtime's garbage collector", () => {
    const given: number[] = [];
    const watch = new MemoryWatch(logInto(given), {
      busy: () => 0,
      read: () => ({ heapTotal: 400 * MEBIBYTE, heapUsed: 10 * MEBIBYTE }),
    });
    watch.stop();
    for (let each = 0; each < 3; each++) watch.look();
    expect(given).toEqual([0]);
    expect('gc' in globalThis).toBe(false);
  });
});
