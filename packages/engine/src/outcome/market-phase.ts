import { instrumentId } from '@oddlot/units';
import { readSlot } from '../book/read-slot.ts';
import { LIMITS } from '../messages/limits.ts';
import type { MarketPhase } from '../messages/outcome-terms.ts';
import type { Execution } from '../state/execution.ts';
import type { OutcomeMarket } from '../state/outcome-market.ts';
import type { State } from '../state/state.ts';
import { cancelOutcomeOrder } from './outcome-resting.ts';

/** The phases of a market (R-phases): when one is due to change, and what a change does. */

/**
 * Notes when a market needs looking at: its start, its end, and what its series waits for. What has
 * been looked at is left out, so that a restored state waits for the same as one that lived.
 */
export function watchMarket({ outcomes, timeMs }: State, market: OutcomeMarket): void {
  const { endMs, instrumentId: id, reference, startMs } = market.definition;
  for (const dueMs of [startMs, endMs]) {
    if (dueMs > timeMs) outcomes.phaseClock.push(dueMs, id);
  }
  if (reference === undefined || market.isJudged) return;
  if (market.strike === undefined) outcomes.seriesClock.push(startMs + LIMITS.resolveAfterMs, id);
  outcomes.seriesClock.push(endMs + LIMITS.resolveAfterMs, id);
}

/** Ends trading: resting orders go, what waits in the queue fails when it is released. */
export function closeMarket(execution: Execution, market: OutcomeMarket): void {
  if (market.phase === 'closed' || market.phase === 'resolved') return;
  changePhase(execution, market, 'closed');
  const { pool } = execution.state;
  const orderIds: number[] = [];
  for (const isBuy of [true, false]) {
    market.book.forEachSlot(isBuy, (slot) => {
      orderIds.push(readSlot(pool.orderId, slot));
    });
  }
  for (const orderId of orderIds.sort((a, b) => a - b)) {
    cancelOutcomeOrder(execution, pool.find(orderId), 'outcomeResolved');
  }
}

/** Moves a market to another phase and says so. */
export function changePhase(
  { commandIndex, events, state }: Execution,
  market: OutcomeMarket,
  to: MarketPhase,
): void {
  const from = market.phase;
  market.phase = to;
  const id = instrumentId(market.definition.instrumentId);
  state.digest.word(id);
  state.digest.text(to);
  events.push({ type: 'marketPhaseChanged', commandIndex, instrumentId: id, from, to });
}
