import { describe, expect, test } from 'vitest';
import { LocalLease } from './lease.ts';

const nothing = (): void => undefined;

describe('the lease of one process', () => {
  test('starts what is held at once, and is there when it has started', async () => {
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

  test('stops it once, however often it is let go, and waits for the end', async () => {
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

  test('a name is held once at a time, and may be held again after it was let go', async () => {
    const lease = new LocalLease();
    const { release } = await lease.hold('ticker', nothing, nothing);
    await expect(lease.hold('ticker', nothing, nothing)).rejects.toThrow('ticker is already held');
    await lease.hold('oracle', nothing, nothing);
    await release();
    await lease.hold('ticker', nothing, nothing);
  });

  test('a start or a stop that fails is told, and the name is free', async () => {
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
