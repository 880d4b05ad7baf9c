import type { CommandResult } from '../messages/block.ts';
import type { ReversePositionCommand } from '../messages/command.ts';
import type { Reject } from '../messages/reject.ts';
import { cancelMany } from '../orders/cancel-orders.ts';
import { blindBy, blindReject, crossScope } from '../perp/blind.ts';
import { type Account, type Holding, holdingKey } from '../state/account.ts';
import { type Execution, parametersOf } from '../state/execution.ts';
import { isOracleStale } from '../state/perp.ts';
import { holdingJobKey, type ReverseJob } from '../state/waiting.ts';
import type { State } from '../state/state.ts';
import { emitJob, workJob } from '../steps/waiting.ts';

/**
 * Turns a position round: closes it, then opens the same size on the other side, with market orders
 * and as far as the book allows. What does not fill at once is left to a job. The leg's resting
 * reduce-only orders go first, the closing order takes their place.
 */
export function reversePosition(
  execution: Execution,
  account: Account,
  command: ReversePositionCommand,
): CommandResult {
  const { state } = execution;
  const reject = checkReversePosition(state, account, command, state.timeMs);
  const holding = reversedHolding(account, command);
  if (reject !== undefined || holding === undefined) {
    return { account: account.address, ...(reject === undefined ? {} : { reject }) };
  }
  cancelMany(execution, account, 'userCanceled', {
    resting: (order) =>
      order.reduceOnly &&
      order.instrumentId === command.instrumentId &&
      order.isBuy === holding.size < 0,
    waiting: () => false,
  });
  const job: ReverseJob = {
    accountIndex: account.index,
    instrumentId: command.instrumentId,
    leg: holding.leg,
    sizeAtStart: holding.size,
    startedMs: state.timeMs,
    isIsolated: holding.isIsolated,
    phase: 'closing',
    closed: 0,
    opened: 0,
  };
  state.reverseJobs.set(holdingJobKey(account.index, holding), job);
  emitJob(execution, job, 'closing');
  workJob(execution, job);
  return { account: account.address };
}

/** Judges whether a position can be turned round now. */
export function checkReversePosition(
  state: State,
  account: Account,
  command: ReversePositionCommand,
  nowMs: number,
): Reject | undefined {
  const { instrumentId } = command;
  const perp = state.perps.get(instrumentId);
  if (perp === undefined) return { reason: 'instrumentUnknown', instrumentId };
  if (perp.delisted) return { reason: 'instrumentDelisted', instrumentId };
  if (perp.closing !== undefined) return { reason: 'marketClosing', instrumentId };
  if (perp.halted) return { reason: 'tradingHalted', instrumentId };
  if (isOracleStale(perp, nowMs, parametersOf(state).oracleStaleMs)) {
    return { reason: 'oracleStale', instrumentId };
  }
  const blinding = blindBy(state, crossScope(account));
  if (blinding !== undefined) return blindReject(blinding);
  const holding = reversedHolding(account, command);
  if (holding === undefined) return { reason: 'positionMissing', instrumentId };
  return state.reverseJobs.has(holdingJobKey(account.index, holding))
    ? { reason: 'reverseUnderWay', instrumentId }
    : undefined;
}

/** The position meant: in hedge mode the leg that `isBuy` picks, without it the one there is. */
function reversedHolding(
  account: Account,
  { instrumentId, isBuy }: ReversePositionCommand,
): Holding | undefined {
  const long = account.holdings.get(holdingKey(instrumentId, 0));
  const short = account.holdings.get(holdingKey(instrumentId, 1));
  const isShort =
    account.positionMode === 'hedge' && (isBuy === undefined ? (long?.size ?? 0) === 0 : !isBuy);
  const holding = isShort ? short : long;
  return holding === undefined || holding.size === 0 ? undefined : holding;
}
