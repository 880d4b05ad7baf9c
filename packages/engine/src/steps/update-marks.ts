import { divCeil, instrumentId as toInstrumentId, present } from '@oddlot/units';
import { LIMITS } from '../messages/limits.ts';
import { advanceEma, markPrice } from '../perp/mark-price.ts';
import { type Execution, parametersOf } from '../state/execution.ts';
import { hasUnjudged } from '../state/has-unjudged.ts';
import { isOracleStale, isUnjudged, type Perp } from '../state/perp.ts';
import { DISTANCE_MAX, TRAVEL_ONE } from '../state/risk-index.ts';
import type { State } from '../state/state.ts';

/**
 * Computes the marks from the books as the last block left them; they hold for the whole block, so
 * no trade moves the mark that judges it (R-order-of-events). Runs at each oracle price and at least
 * every second; while the oracle is stale the mark stands still.
 */
export function updateMarks(execution: Execution): void {
  const { commandIndex, events, state } = execution;
  state.hasUnjudged = hasUnjudged(state);
  let hasChanged = false;
  let travelled = 0;
  for (const id of state.perpIds) {
    const perp = present(state.perps.get(id), 'a listed instrument');
    // A settled perp keeps the price that it was settled at (R-delist).
    if (perp.delisted) continue;
    const { externalStaleMs, oracleStaleMs } = parametersOf(state);
    const isStale = isOracleStale(perp, state.timeMs, oracleStaleMs);
    if (!isMarkDue(state, perp, isStale)) continue;
    if (!isStale) advanceEma(perp, state.timeMs);
    perp.markMs = state.timeMs;
    const mark = markPrice(perp, state.timeMs, externalStaleMs);
    const { oracle } = perp;
    if (mark !== perp.mark) {
      travelled = Math.max(travelled, relativeMove(perp.mark, mark));
      perp.mark = mark;
      hasChanged = true;
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
  if (!hasChanged) return;
  state.markEpoch += 1;
  state.risk.travel(travelled);
}

/**
 * How far a mark moved, rounded up; the first mark of an instrument moves nobody. From the largest
 * distance on everybody is looked at: more would only cost the running total its exactness.
 */
function relativeMove(before: number, after: number): number {
  if (before === 0) return 0;
  const distance = BigInt(Math.abs(after - before)) * BigInt(TRAVEL_ONE);
  const move = divCeil(distance, BigInt(Math.min(before, after)));
  return move >= BigInt(DISTANCE_MAX) ? DISTANCE_MAX : Number(move);
}

/**
 * At each price and at least every second. A market that nobody can judge stands still, but for a
 * closing hour, whose mark goes on with its instants so that it arrives where it settles (R-delist).
 */
function isMarkDue(state: State, perp: Perp, isStale: boolean): boolean {
  const sinceMs = state.timeMs - perp.markMs;
  if (!isStale) return sinceMs >= LIMITS.markEveryMs;
  return perp.oracle > 0 && perp.closing?.isWaiting === false && sinceMs >= LIMITS.markEveryMs;
}

/** The block ends: what could be judged in it is what the next one measures from. */
export function keepJudgedMarks(state: State): void {
  const { oracleStaleMs } = parametersOf(state);
  for (const id of state.perpIds) {
    const perp = present(state.perps.get(id), 'a listed instrument');
    if (!isUnjudged(perp, state.timeMs, oracleStaleMs)) perp.judgedMark = perp.mark;
  }
}
