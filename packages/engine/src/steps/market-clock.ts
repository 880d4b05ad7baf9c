import { instrumentId, present } from '@oddlot/units';
import { LIMITS } from '../messages/limits.ts';
import { cancelOrder } from '../perp-orders/resting.ts';
import type { Execution } from '../state/execution.ts';
import type { MarketPhase, OutcomeMarket } from '../state/outcome-market.ts';
import type { State } from '../state/state.ts';

/** Markets open and close by themselves (R-phases). */

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

/** Step (1) of a block: phases that are due, by time, then instrument. */
export function advancePhases(execution: Execution): void {
  const { outcomes, timeMs } = execution.state;
  for (;;) {
    const id = outcomes.phaseClock.popDue(timeMs);
    if (id === undefined) return;
    const market = outcomes.markets.get(id);
    if (market === undefined) continue;
    const { endMs } = market.definition;
    if (timeMs >= endMs) closeMarket(execution, market);
    else if (market.phase === 'upcoming') changePhase(execution, market, 'open');
  }
}

/** Ends trading: resting orders go, what waits in the queue fails when it is released. */
export function closeMarket(execution: Execution, market: OutcomeMarket): void {
  if (market.phase === 'closed' || market.phase === 'resolved') return;
  changePhase(execution, market, 'closed');
  const { pool } = execution.state;
  const orderIds: number[] = [];
  for (const isBuy of [true, false]) {
    market.book.forEachSlot(isBuy, (slot) => {
      orderIds.push(present(pool.orderId[slot], 'an order slot'));
    });
  }
  for (const orderId of orderIds.sort((a, b) => a - b)) {
    cancelOrder(execution, pool.find(orderId), 'outcomeResolved');
  }
}

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
