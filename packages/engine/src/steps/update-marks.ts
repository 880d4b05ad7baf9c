import { divCeil, instrumentId as toInstrumentId, present } from '@oddlot/units';
import { LIMITS } from '../messages/limits.ts';
import { testBestOrders } from '../perp-orders/fillable-orders.ts';
import { advanceEma, markPrice } from '../perp/mark-price.ts';
import { type Execution, parametersOf } from '../state/execution.ts';
import { hasUnpriced } from '../perp/margin-restriction.ts';
import { isOracleStale, isUnpriced, type Perp } from '../state/perp.ts';
import { DISTANCE_MAX, TRAVEL_ONE } from '../state/liquidations.ts';
import type { State } from '../state/state.ts';

/**
 * Computes the marks from the books at the end of the last block. They apply to the whole block, so
 * a trade never changes the mark it is checked against (R-order-of-events). Marks are computed at
 * each oracle price and at least every second; while the oracle is stale the mark does not change.
 */
export function updateMarks(execution: Execution): void {
  const { state } = execution;
  const { watch } = state;
  if (!watch.checksAll) {
    // No mark is due, but a trade may have opened the first or closed the last position in a market
    // without a valid price.
    const { oracleStaleMs } = parametersOf(state);
    for (const perp of watch.traded) {
      if (!isUnpriced(perp, state.timeMs, oracleStaleMs)) continue;
      state.hasUnpriced = hasUnpriced(state);
      return;
    }
    return;
  }
  state.hasUnpriced = hasUnpriced(state);
  computeMarks(execution);
}

/** Computes the marks that are due, and determines the time of the next one. */
function computeMarks(execution: Execution): void {
  const { commandIndex, events, state } = execution;
  const { externalStaleMs, oracleStaleMs } = parametersOf(state);
  testBooks(execution, oracleStaleMs);
  const closing: Perp[] = [];
  let epoch = state.markEpoch;
  let travelled = 0;
  let nextCheckMs = Infinity;
  for (const id of state.perpIds) {
    const perp = present(state.perps.get(id), 'a listed instrument');
    // A settled perp keeps its settlement price as its mark (R-delist).
    if (perp.delisted) continue;
    if (perp.closing !== undefined) closing.push(perp);
    const isStale = isOracleStale(perp, state.timeMs, oracleStaleMs);
    const isDue = isMarkDue(state, perp, isStale);
    if (isDue) perp.markMs = state.timeMs;
    nextCheckMs = Math.min(nextCheckMs, nextLookMs(perp, isStale, oracleStaleMs));
    if (!isDue) continue;
    if (!isStale) advanceEma(perp, state.timeMs);
    const mark = markPrice(perp, state.timeMs, externalStaleMs);
    const { oracle } = perp;
    if (mark !== perp.mark) {
      travelled = Math.max(travelled, relativeMove(perp.mark, mark));
      perp.mark = mark;
      epoch = state.markEpoch + 1;
    }
    state.digest.number(mark);
    events.push({
      type: 'markUpdated',
      commandIndex,
      instrumentId: toInstrumentId(id),
      mark,
      oracle,
    });
  }
  state.watch.closing = closing;
  state.watch.skipUntil(nextCheckMs);
  if (epoch === state.markEpoch) return;
  state.markEpoch = epoch;
  state.risk.travel(travelled);
}

/** Tests the orders in all books whose mark is due, before any mark moves (R-fillable). */
function testBooks(execution: Execution, oracleStaleMs: number): void {
  const { state } = execution;
  for (const id of state.perpIds) {
    const perp = present(state.perps.get(id), 'a listed instrument');
    const isStale = isOracleStale(perp, state.timeMs, oracleStaleMs);
    if (!perp.delisted && isMarkDue(state, perp, isStale)) testBestOrders(execution, perp);
  }
}

/**
 * Returns the relative move of a mark, rounded up, or 0 for an instrument's first mark. It is
 * capped at the largest distance, at which every account is checked anyway; a higher value would
 * only reduce the precision of the running total.
 */
function relativeMove(before: number, after: number): number {
  if (before === 0) return 0;
  const distance = BigInt(Math.abs(after - before)) * BigInt(TRAVEL_ONE);
  const move = divCeil(distance, BigInt(Math.min(before, after)));
  return move >= BigInt(DISTANCE_MAX) ? DISTANCE_MAX : Number(move);
}

/**
 * Returns true if a mark is due, as it is at each price and at least every second. The mark of a
 * stale market does not change, except in a closing hour, in which the mark follows the samples so
 * that it reaches the settlement price (R-delist).
 */
function isMarkDue(state: State, perp: Perp, isStale: boolean): boolean {
  return isMoving(perp, isStale) && state.timeMs - perp.markMs >= LIMITS.markEveryMs;
}

function isMoving(perp: Perp, isStale: boolean): boolean {
  return !isStale || (perp.oracle > 0 && perp.closing?.isWaiting === false);
}

/**
 * Returns the next time at which the mark becomes due or the oracle goes stale without any command.
 */
function nextLookMs(perp: Perp, isStale: boolean, oracleStaleMs: number): number {
  const markMs = isMoving(perp, isStale) ? perp.markMs + LIMITS.markEveryMs : Infinity;
  return isStale ? markMs : Math.min(markMs, perp.oracleMs + oracleStaleMs + 1);
}

/**
 * Records the marks of markets with a valid price at the end of a block. A block that does not
 * check all perps cannot have changed any mark or made any price valid again.
 */
export function keepValidMarks(state: State): void {
  if (!state.watch.checksAll) return;
  const { oracleStaleMs } = parametersOf(state);
  for (const id of state.perpIds) {
    const perp = present(state.perps.get(id), 'a listed instrument');
    if (!isUnpriced(perp, state.timeMs, oracleStaleMs)) perp.lastValidMark = perp.mark;
  }
}
