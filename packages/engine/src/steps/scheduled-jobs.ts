import { assert, instrumentId as toInstrumentId, present } from '@oddlot/units';
import { cancelMany, expireOrders } from '../orders/cancel-orders.ts';
import { type Execution, parametersOf } from '../state/execution.ts';
import type { OrderRequest } from '../messages/command.ts';
import type { ReverseJobChanged } from '../messages/event.ts';
import { type Executed, executeOrder } from '../perp-orders/execute-order.ts';
import { marketLimit } from '../perp/price-band.ts';
import { type Account, holdingKey } from '../state/account.ts';
import { allReverseJobs } from '../state/state.ts';
import { isOracleStale, type Perp } from '../state/perp.ts';
import { type ReverseJob, reverseJobKey } from '../state/scheduled-jobs.ts';

/**
 * Step (1) of a block: runs scheduled cancels and expiries in order of due time and address. A
 * scheduled cancel ends resting orders and waiting orders that could open a position; orders that
 * protect a position stay.
 */
export function runDueCancels(execution: Execution): void {
  const { state } = execution;
  const due = state.schedules
    .takeDue(state.timeMs)
    .map(({ accountIndex, atMs }) => ({
      account: present(state.accounts[accountIndex], 'the account of a schedule'),
      atMs,
    }))
    .sort((a, b) => a.atMs - b.atMs || (a.account.address < b.account.address ? -1 : 1));
  for (const { account, atMs } of due) {
    expireOrders(execution, atMs - 1);
    cancelMany(execution, account, 'scheduledCancel', {
      resting: () => true,
      waiting: ({ request }) => !request.reduceOnly,
    });
  }
  expireOrders(execution);
}

/** Part of step (7) of a block: retries reversals that the book could not fill immediately. */
export function runReverseJobs(execution: Execution): void {
  if (execution.state.reverseJobs.size === 0) return;
  for (const job of allReverseJobs(execution.state)) workJob(execution, job);
}

/**
 * Continues a reversal as far as the book permits, and ends it once it has finished, failed or
 * expired.
 */
export function workJob(execution: Execution, job: ReverseJob): void {
  const { state } = execution;
  const perp = present(state.perps.get(job.instrumentId), 'a listed perp');
  const account = present(state.accounts[job.accountIndex], 'the account of a job');
  const before = { ...job };
  const deadlineMs = job.startedMs + parametersOf(state).reverseTimeoutMs;
  let ending: 'done' | 'failed' | undefined = perp.closing === undefined ? undefined : 'failed';
  if (ending === undefined && state.timeMs <= deadlineMs && !perp.halted) {
    ending = attempt(execution, account, job, perp);
  }
  if (ending === undefined && state.timeMs >= deadlineMs) ending = 'failed';
  if (ending !== undefined) {
    state.reverseJobs.delete(reverseJobKey(job.accountIndex, job.instrumentId, job.leg));
  }
  const isSame =
    job.phase === before.phase && job.closed === before.closed && job.opened === before.opened;
  if (ending !== undefined || !isSame) emitJob(execution, job, ending ?? job.phase);
}

export function emitJob(
  execution: Execution,
  job: ReverseJob,
  phase: ReverseJobChanged['phase'],
): void {
  const { commandIndex, events, state } = execution;
  const { closed, opened, sizeAtStart } = job;
  state.digest.word(job.accountIndex);
  state.digest.word(job.instrumentId);
  state.digest.text(phase);
  state.digest.number(closed);
  state.digest.number(opened);
  events.push({
    type: 'reverseJobChanged',
    commandIndex,
    account: present(state.accounts[job.accountIndex], 'the account of a job').address,
    instrumentId: toInstrumentId(job.instrumentId),
    phase,
    sizeAtStart,
    closed,
    opened,
    marginMode: job.isIsolated ? 'isolated' : 'cross',
  });
}

/** Closes the position and then opens the new one. Returns the result if the job ended. */
function attempt(
  execution: Execution,
  account: Account,
  job: ReverseJob,
  perp: Perp,
): 'done' | 'failed' | undefined {
  if (job.phase === 'closing') {
    const ending = close(execution, account, job, perp);
    if (ending !== undefined || leftToClose(account, job) > 0) return ending;
    // Other orders closed the whole position, so the job has nothing to open.
    if (job.closed === 0) return 'failed';
    job.phase = 'opening';
  }
  return open(execution, account, job, perp);
}

/**
 * Returns the size that the job still has to close, limited to its initial size and the current
 * position.
 */
function leftToClose(account: Account, job: ReverseJob): number {
  const size = account.holdings.get(holdingKey(job.instrumentId, job.leg))?.size ?? 0;
  if (size === 0 || size > 0 !== job.sizeAtStart > 0) return 0;
  return Math.min(Math.abs(size), Math.abs(job.sizeAtStart) - job.closed);
}

function close(
  execution: Execution,
  account: Account,
  job: ReverseJob,
  perp: Perp,
): 'failed' | undefined {
  const size = leftToClose(account, job);
  const executed = size > 0 ? send(execution, account, job, perp, size, true) : undefined;
  if (executed === undefined) return undefined;
  job.closed += executed.entry.filled;
  return endsJob(executed) ? 'failed' : undefined;
}

/**
 * Opens the size that the job has closed. The order would be rejected because of a stale oracle, so
 * the job waits until the price is current.
 */
function open(
  execution: Execution,
  account: Account,
  job: ReverseJob,
  perp: Perp,
): 'done' | 'failed' | undefined {
  const { state } = execution;
  if (isOracleStale(perp, state.timeMs, parametersOf(state).oracleStaleMs)) return undefined;
  const size = job.closed - job.opened;
  assert(size > 0, 'a job that opens has something to open');
  const executed = send(execution, account, job, perp, size, false);
  if (executed === undefined) return undefined;
  job.opened += executed.entry.filled;
  if (job.opened === job.closed) return 'done';
  return endsJob(executed) ? 'failed' : undefined;
}

/**
 * Returns true if the result ends the job: a rejection or a lack of margin is permanent, whereas a
 * thin book can fill up again.
 */
function endsJob({ cause, entry }: Executed): boolean {
  return entry.state === 'rejected' || cause === 'marginCanceled';
}

/**
 * Sends a market order for the job. Closing and opening orders are on the same side; if an order is
 * not reduce-only, that side selects the other leg in hedge mode (R-hedge). No order is sent to a
 * book that could not fill any part of it.
 */
function send(
  execution: Execution,
  account: Account,
  job: ReverseJob,
  perp: Perp,
  size: number,
  reduceOnly: boolean,
): Executed | undefined {
  const { state } = execution;
  const isBuy = job.sizeAtStart < 0;
  const price = marketLimit(perp, isBuy, parametersOf(state).marketBandE8);
  if (!perp.book.crosses(isBuy, price)) return undefined;
  const order: OrderRequest = {
    instrumentId: toInstrumentId(job.instrumentId),
    isBuy,
    price,
    size: Math.min(size, perp.definition.maxMarketOrderSize),
    reduceOnly,
    timeInForce: 'market',
  };
  return executeOrder(execution, account, state.nextOrderId++, order);
}
