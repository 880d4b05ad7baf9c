import { JournalFullError } from '@oddlot/host/durable';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { bob, OutcomeEdge, share } from '@oddlot/testing/venue/http/outcome';
import type { AppliedBlock } from './block.ts';
import { exceptDiskFull } from './replica.ts';
import { Ticker } from './local-replica.ts';

let venue: OutcomeEdge;
let ticker: Ticker;
/** When the ticker requested empty blocks, in milliseconds since its start. */
let ticks: number[];
let isBusy: boolean;
let isFull: boolean;

beforeEach(async () => {
  venue = await OutcomeEdge.start({ orderDelayMs: 250 });
  await venue.place([share('buyYes', '0.6', '10')], { key: bob });
  await venue.place([share('buyNo', '0.4', '10')]);
  vi.useFakeTimers();
  ticks = [];
  isBusy = false;
  isFull = false;
  const { replica } = venue.edge;
  const [startMs, timersMs] = [replica.nowMs, Date.now()];
  const clock = { nowMs: () => startMs + Date.now() - timersMs };
  const carry = (): Promise<void> => {
    replica.pass(clock.nowMs() - replica.nowMs);
    return Promise.resolve();
  };
  const ticked = {
    state: replica.state,
    get head() {
      return replica.head;
    },
    onBlock: (listener: (block: AppliedBlock) => void) => replica.onBlock(listener),
    attest: carry,
    tick: () => {
      ticks.push(clock.nowMs() - startMs);
      if (isFull) return Promise.reject(new JournalFullError('no space left'));
      return isBusy ? Promise.resolve() : carry();
    },
  };
  const onError = exceptDiskFull((error) => expect.unreachable(String(error)));
  ticker = new Ticker(ticked, clock, onError);
  ticker.start();
});
afterEach(async () => {
  ticker.stop();
  vi.useRealTimers();
  await venue.close();
});

const queued = () => venue.edge.replica.state.outcomes.queue.size;

test('R-clock, R-delay: an order leaves the delay queue when it is due, after which the ticker returns to its normal interval', async () => {
  await vi.advanceTimersByTimeAsync(249);
  expect([ticks, queued()]).toEqual([[], 1]);
  await vi.advanceTimersByTimeAsync(1);
  expect([ticks, queued()]).toEqual([[250], 0]);
  await vi.advanceTimersByTimeAsync(3_000);
  expect(ticks).toEqual([250, 1_400, 2_400]);
});

test('the ticker retries shortly after a block that was stamped too early', async () => {
  isBusy = true;
  await vi.advanceTimersByTimeAsync(259);
  isBusy = false;
  await vi.advanceTimersByTimeAsync(10);
  expect([ticks, queued()]).toEqual([[250, 255, 260], 0]);
});

test('while the log is out of space, the ticker retries only at intervals; time resumes when there is space (R-disk)', async () => {
  isFull = true;
  await vi.advanceTimersByTimeAsync(1_999);
  expect(ticks.length).toBeLessThan(10);
  isFull = false;
  await vi.advanceTimersByTimeAsync(201);
  expect(queued()).toBe(0);
});

test('a stopped ticker requests no blocks', async () => {
  ticker.stop();
  await vi.advanceTimersByTimeAsync(3_000);
  expect([ticks, queued()]).toEqual([[], 1]);
});
