import { MessageChannel, Worker } from 'node:worker_threads';
import { afterEach, expect, test } from 'vitest';
import { ASKED, type DiskWorkerData, ENDED, openShare, OUTCOME, SHARE_BYTES } from './write-job.ts';

let worker: Worker | undefined;
afterEach(() => worker?.terminate());

test('the disk thread performs exactly the requested jobs, however often it is woken', async () => {
  const share = openShare(new SharedArrayBuffer(SHARE_BYTES));
  const { port1 } = new MessageChannel();
  const data: DiskWorkerData = { memory: share.memory, port: port1 };
  const program = new URL('./disk-worker.ts', import.meta.url);
  worker = new Worker(program, { workerData: data, transferList: [port1], execArgv: [] });
  const ended = (): number => Atomics.load(share.counters, ENDED);
  // The job refers to a memory index that does not exist, so it fails.
  Atomics.store(share.counters, ASKED, 1);
  await expect.poll(ended, { timeout: 60_000 }).toBe(1);
  expect(share.jobs[0]?.[OUTCOME]).toBe(1);
  for (let round = 0; round < 200; round += 1) {
    // Simulates a requester that is delayed between incrementing the counter and notifying the
    // thread.
    Atomics.notify(share.counters, ASKED);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  expect(ended()).toBe(1);
});
