import { type Hash, instrumentId as toInstrumentId } from '@oddlot/units';
import { readSlot } from '../book/order-pool.ts';
import { LIMITS } from '../messages/limits.ts';
import type { MarketPhase } from '../messages/command.ts';
import type { Execution } from '../state/execution.ts';
import type { MarketEvent, OutcomeMarket, SettledMarket } from '../state/outcome-market.ts';
import type { State } from '../state/state.ts';
import { cancelOutcomeOrder } from './outcome-order.ts';
import type { MarketResolved } from '../messages/event.ts';

/**
 * Schedules the next checks of a market (R-phases): its start, its end, and the inputs of its
 * series. Completed checks are omitted, so that a restored state has the same schedule.
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

/** Ends trading in a market and cancels its resting orders; queued orders fail on release. */
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

export function changePhase(
  { commandIndex, events, state }: Execution,
  market: OutcomeMarket,
  to: MarketPhase,
): void {
  const from = market.phase;
  market.phase = to;
  const id = toInstrumentId(market.definition.instrumentId);
  state.digest.word(id);
  state.digest.text(to);
  events.push({ type: 'marketPhaseChanged', commandIndex, instrumentId: id, from, to });
}

/** The fraction 1 in the unit of an event's fraction sum. */
export const FRACTION_ONE = 1_000_000;

/** Resolves a market permanently; its holders are paid starting with this block (R-settlement). */
export function resolve(
  execution: Execution,
  market: OutcomeMarket,
  result: Omit<MarketResolved, 'type' | 'commandIndex' | 'instrumentId'>,
  txHash?: Hash,
): void {
  const { commandIndex, events, state } = execution;
  const { eventSlug, instrumentId: id } = market.definition;
  closeMarket(execution, market);
  changePhase(execution, market, 'resolved');
  const { by, fraction } = result;
  const decided = { fraction, by, resolvedMs: state.timeMs, height: state.height };
  market.resolution = txHash === undefined ? decided : { ...decided, txHash };
  const event = state.outcomes.events.get(eventSlug);
  if (event !== undefined) {
    event.resolved += 1;
    event.fractionSum += shareOf(market, fraction);
  }
  state.outcomes.settling.push(id);
  state.digest.number(fraction);
  events.push({
    type: 'marketResolved',
    commandIndex,
    instrumentId: toInstrumentId(id),
    ...result,
  });
}

/** Converts a market's fraction to the unit of its event's sum. */
export function shareOf({ definition }: OutcomeMarket, fraction: number): number {
  return fraction * 10 ** definition.szDecimals;
}

/**
 * Returns true if a resolution fits its event: when all markets of an exclusive event are resolved,
 * their fractions must sum to exactly one (R-event-sets).
 */
export function fitsEvent(event: MarketEvent, share: number): boolean {
  if (!event.mutuallyExclusive) return true;
  const sum = event.fractionSum + share;
  const isLast = event.resolved + 1 === event.instrumentIds.length;
  return isLast ? sum === FRACTION_ONE : sum <= FRACTION_ONE;
}

/**
 * Moves finished events to compact storage (R-limits-of-state). The engine's results are the same
 * for both forms.
 */
export function packPast(state: State): void {
  const { outcomes, timeMs } = state;
  for (;;) {
    const id = outcomes.pastClock.popDue(timeMs);
    if (id === undefined) return;
    const settled = outcomes.settled.live.get(id);
    const event = settled && outcomes.events.live.get(settled.eventSlug);
    if (event !== undefined) pack(state, event);
  }
}

/**
 * Schedules the packing of a paid market for the end of its event, after which no more markets can
 * join the event.
 */
export function watchPast({ outcomes }: State, { eventSlug, instrumentId }: SettledMarket): void {
  const event = outcomes.events.live.get(eventSlug);
  if (event !== undefined) outcomes.pastClock.push(event.endMs, instrumentId);
}

function pack({ outcomes }: State, event: MarketEvent): void {
  const markets = event.instrumentIds.flatMap((id) => outcomes.settled.live.get(id) ?? []);
  // A market that was added to the event later is also paid out later.
  if (markets.length < event.instrumentIds.length) return;
  if (!outcomes.past.add(event, markets)) return;
  outcomes.events.dropArchived(event.slug);
  outcomes.eventIds.delete(event.eventId);
  for (const { instrumentId, slug } of markets) {
    outcomes.settled.dropArchived(instrumentId);
    outcomes.marketSlugs.dropArchived(slug);
  }
}
