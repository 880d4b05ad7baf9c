import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { NO_PACE } from './client-turns.ts';
import { FairQueue } from './fair-queue.ts';

const spin = (ms: number): void => {
  const untilMs = performance.now() + ms;
  while (performance.now() < untilMs);
};
const settled = async (isSo: () => boolean): Promise<void> => {
  await expect.poll(isSo, { interval: 1, timeout: 60_000 }).toBe(true);
};

describe('R-requests: clients take turns in a fair queue', () => {
  test('a client with one request is served after at most one request of each other client', async () => {
    const queue = new FairQueue(NO_PACE);
    const order: string[] = [];
    for (let index = 0; index < 200; index++) {
      for (const id of ['a', 'b']) {
        queue.take(id, () => {
          spin(0.2);
          order.push(id);
        });
      }
    }
    const before = order.length;
    queue.take('c', () => order.push('c'));
    await settled(() => order.length === 401);
    expect(order.indexOf('c') - before).toBeLessThanOrEqual(2);
  });

  test('the rest of the process gets to run between slices', async () => {
    const queue = new FairQueue(NO_PACE);
    let [done, others] = [0, 0];
    const count = (): void => {
      others += 1;
      if (done < 100) setImmediate(count);
    };
    setImmediate(count);
    for (let index = 0; index < 100; index++) {
      queue.take('a', () => {
        spin(1);
        done += 1;
      });
    }
    await settled(() => done === 100);
    expect(others).toBeGreaterThanOrEqual(10);
  });

  test('a request runs immediately if there is no load', () => {
    // The clock is simulated, because the system may suspend this thread between two requests and
    // end their turn.
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const queue = new FairQueue();
    const done: number[] = [];
    for (let index = 0; index < 5; index++) queue.take('a', () => done.push(index));
    expect(done).toEqual([0, 1, 2, 3, 4]);
  });

  test('clients that exceed their rate share a fixed part of the time and do not delay others', async () => {
    const queue = new FairQueue({ perSecond: 1, burst: 10 });
    const startedMs = performance.now();
    const done = { a: 0, b: 0 };
    for (const id of ['a', 'b'] as const) {
      for (let index = 0; index < 60; index++) {
        queue.take(id, () => {
          spin(1);
          done[id] += 1;
        });
      }
    }
    // Requests of other clients that arrive in the meantime are served first.
    await settled(() => done.a >= 15 && done.b >= 15);
    let before = 0;
    queue.take('once', () => (before = done.a + done.b));
    await settled(() => before > 0);
    expect(before).toBeLessThan(120);
    await settled(() => done.a + done.b === 120);
    // The excess takes several hundred milliseconds, and only a tenth of the time is available for
    // it.
    expect(performance.now() - startedMs).toBeGreaterThanOrEqual(700);
  });

  test('a client that exceeds its pace is not delayed if there is no load', async () => {
    const queue = new FairQueue({ perSecond: 1, burst: 10 });
    let done = 0;
    for (let index = 0; index < 1_000; index++) queue.take('often', () => (done += 1));
    expect(done).toBeLessThanOrEqual(10);
    await settled(() => done === 1_000);
  });

  test('a failing request does not delay others', async () => {
    const queue = new FairQueue(NO_PACE);
    expect(() =>
      queue.take('a', () => {
        throw new Error('no');
      }),
    ).toThrow('no');
    let isDone = false;
    queue.take('a', () => (isDone = true));
    await settled(() => isDone);
  });
});
