import { tmpdir } from 'node:os';
import { createLogger } from '@oddlot/host/log';
import { expect, test } from 'vitest';
import { diskRestriction, DiskWatch, watchDisk } from './disk-watch.ts';

/** Tests of the free space in the data folder and the resulting restrictions (R-disk). */

const limits = { directory: '/data', lowBytes: 100, fullBytes: 10 };

test.each<[number, DiskWatch['state'], string | undefined]>([
  [100, 'roomy', undefined],
  [99, 'low', 'risk'],
  [10, 'low', 'risk'],
  [9, 'full', 'all'],
  [0, 'full', 'all'],
])('R-disk: %i free bytes are %s', async (free, state, stops) => {
  const log = createLogger({ level: 'silent' });
  const watch = await DiskWatch.start({ ...limits, log, freeBytes: () => Promise.resolve(free) });
  watch.stop();
  expect([watch.state, watch.freeBytes]).toEqual([state, free]);
  expect(diskRestriction(watch.state)?.stops).toBe(stops);
});

test('R-disk: the disk watch logs each change once and keeps its state if the free space is unknown', async () => {
  const messages: string[] = [];
  const write = (line: string): void => {
    messages.push((JSON.parse(line) as { msg: string }).msg);
  };
  let free: number | Error = 1_000;
  const watch = await DiskWatch.start({
    ...limits,
    log: createLogger({ destination: { write } }),
    freeBytes: () => (free instanceof Error ? Promise.reject(free) : Promise.resolve(free)),
  });
  watch.stop();
  const states: string[] = [];
  for (const next of [50, 40, 5, new Error('EIO'), 5, 1_000]) {
    free = next;
    await watch.look();
    states.push(watch.state);
  }
  expect(states).toEqual(['low', 'low', 'full', 'full', 'full', 'roomy']);
  expect(messages).toEqual([
    'disk nearly full: accepting only cancels, reducing orders and operator actions',
    'disk full: writes stopped, reads continue',
    'free space of the data folder could not be determined',
    'disk space available again',
  ]);
});

test('the disk watch gets the free space of a real folder from the system', async () => {
  const config = { data: tmpdir(), diskLowBytes: 0, diskFullBytes: 0 };
  const watch = await watchDisk(config, { log: createLogger({ level: 'silent' }) });
  watch.stop();
  expect(watch.freeBytes).toBeGreaterThan(0);
  expect(watch.freeBytes).toBeLessThan(Infinity);
});
