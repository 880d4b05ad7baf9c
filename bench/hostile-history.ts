import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Readers, ReadersResult } from './hostile-readers.ts';
import { atMost, percentile, show, type Row } from './report.ts';

/**
 * How long one client waits for a short question to the history while others, each within its budgets, ask for long
 * pages as often as they may; and how far the history is behind the newest block meanwhile.
 */

const READERS = [1, 2, 4, 8];
const RATIO_MAX = 12;
const P50_MS_MAX = 60;
/** Above this a row that was just made is not found by who was told of it. */
const LAG_BLOCKS_MAX = 50;
const PAUSE_MS = 100;

type HistoryClient = {
  /** Asks, and returns the answer; one that is no success ends the benchmark. */
  readonly info: (query: object) => Promise<{ readonly ms: number; readonly text: string }>;
};

export async function historyRows(
  client: HistoryClient,
  options: Omit<Readers, 'addresses'> & { readonly durationMs: number },
): Promise<readonly Row[]> {
  const [user = ''] = options.users;
  // The first ones compile.
  await measure(client, user, options.durationMs / 4);
  const alone = await measure(client, user, options.durationMs);
  const rows: Row[] = [];
  for (const addresses of READERS) {
    const readers = fork(join(import.meta.dirname, 'hostile-readers.ts'));
    let result: ReadersResult = {};
    readers.on('message', (report: ReadersResult) => (result = report));
    readers.send({ ...options, addresses });
    await measure(client, user, options.durationMs / 4);
    const beside = await measure(client, user, options.durationMs);
    const exit = once(readers, 'exit');
    readers.send('stop');
    await exit;
    rows.push(...rowsOf({ addresses, alone, beside, result }));
  }
  return rows;
}

type Measured = { readonly waited: readonly number[]; readonly lags: readonly number[] };

async function measure(
  { info }: HistoryClient,
  user: string,
  durationMs: number,
): Promise<Measured> {
  const untilMs = performance.now() + durationMs;
  const waited: number[] = [];
  const lags: number[] = [];
  while (performance.now() < untilMs) {
    waited.push((await info({ type: 'userFills', user, limit: 1 })).ms);
    lags.push(await lagOf(info));
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  return { waited, lags };
}

/** Blocks of which the history has no rows yet: an answer that waits for none of them tells how far it is. */
async function lagOf(info: HistoryClient['info']): Promise<number> {
  const head = JSON.parse((await info({ type: 'venueStatus' })).text) as {
    data: { height: number };
  };
  const stored = JSON.parse((await info({ type: 'blocks', limit: 1, minHeight: 1 })).text) as {
    asOf: { height: number };
  };
  return Math.max(0, head.data.height - stored.asOf.height);
}

function rowsOf(options: {
  readonly addresses: number;
  readonly alone: Measured;
  readonly beside: Measured;
  readonly result: ReadersResult;
}): Row[] {
  const { addresses, alone, beside, result } = options;
  const aloneMs = percentile(alone.waited, 0.5);
  const p50 = percentile(beside.waited, 0.5);
  const counts = Object.entries(result).map(([name, count]) => `${name}: ${show(count)}`);
  const words =
    `${show(aloneMs)} ms alone (${show(p50 / aloneMs)}×), p95 ${show(percentile(beside.waited, 0.95))} ms, ` +
    `${show(beside.waited.length)} answers; readers ${counts.join(', ')}`;
  const lag = percentile(beside.lags, 0.95);
  const behind = `${show(percentile(beside.lags, 1))} at most`;
  const beyond = `next to ${addresses} readers of the history`;
  return [
    atMost(
      `userFills ${beyond}, p50`,
      words,
      p50,
      Math.min(RATIO_MAX * aloneMs, P50_MS_MAX),
      ' ms',
    ),
    atMost(`history behind the head ${beyond}, p95`, behind, lag, LAG_BLOCKS_MAX, ' blocks'),
  ];
}
