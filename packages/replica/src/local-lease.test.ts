import { describe, expect, test } from 'vitest';
import { LocalLease } from './lease.ts';

const nothing = (): void => undefined;

describe('a single process holds every lease', () => {
  test('a held task starts immediately, and hold resolves when the task has started', async () => {
    const steps: string[] = [];
    const started = Promise.withResolvers<void>();
    const held = new LocalLease()
      .hold(
        'ticker',
        () => {
          steps.push('start');
          return started.promise;
        },
        nothing,
      )
      .then(() => steps.push('held'));
    await Promise.resolve();
    expect(steps).toEqual(['start']);
    started.resolve();
    await held;
    expect(steps).toEqual(['start', 'held']);
  });

  test('a task is stopped once, however often it is released, and every release waits until it has stopped', async () => {
    let stops = 0;
    const stopped = Promise.withResolvers<void>();
    const stop = (): Promise<void> => {
      stops += 1;
      return stopped.promise;
    };
    const { release } = await new LocalLease().hold('oracle', nothing, stop);
    const first = release();
    const second = release();
    let isReleased = false;
    const all = Promise.all([first, second]).then(() => (isReleased = true));
    await Promise.resolve();
    expect({ stops, isReleased }).toEqual({ stops: 1, isReleased: false });
    stopped.resolve();
    await all;
    expect(stops).toBe(1);
  });

  test('a name can be held only once at a time, and can be held again after its release', async () => {
    const lease = new LocalLease();
    const { release } = await lease.hold('ticker', nothing, nothing);
    await expect(lease.hold('ticker', nothing, nothing)).rejects.toThrow('ticker is already held');
    await lease.hold('oracle', nothing, nothing);
    await release();
    await lease.hold('ticker', nothing, nothing);
  });

  test('a failed start or stop is reported and frees the name', async () => {
    const lease = new LocalLease();
    const fail = (): never => {
      throw new Error('no disk');
    };
    await expect(lease.hold('writer', fail, nothing)).rejects.toThrow('no disk');
    const { release } = await lease.hold('writer', nothing, fail);
    await expect(release()).rejects.toThrow('no disk');
    await lease.hold('writer', nothing, nothing);
  });
});
