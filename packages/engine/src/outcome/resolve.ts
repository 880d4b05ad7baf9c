import { type Hash, instrumentId } from '@oddlot/units';
import type { MarketResolved } from '../messages/outcome-event.ts';
import type { Execution } from '../state/execution.ts';
import type { MarketEvent } from '../state/market-event.ts';
import type { OutcomeMarket } from '../state/outcome-market.ts';
import { changePhase, closeMarket } from './market-phase.ts';

/** One, in the unit that fractions of an event are summed in. */
export const FRACTION_ONE = 1_000_000;

/** Decides a market for good; its holders are paid from this block on (R-settlement). */
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
  events.push({ type: 'marketResolved', commandIndex, instrumentId: instrumentId(id), ...result });
}

/** A market's fraction in the unit of its event's sum. */
export function shareOf({ definition }: OutcomeMarket, fraction: number): number {
  return fraction * 10 ** definition.szDecimals;
}

/** R-event-sets: the fractions of an exclusive event sum to exactly one when all are resolved. */
export function fitsEvent(event: MarketEvent, share: number): boolean {
  if (!event.mutuallyExclusive) return true;
  const sum = event.fractionSum + share;
  const isLast = event.resolved + 1 === event.instrumentIds.length;
  return isLast ? sum === FRACTION_ONE : sum <= FRACTION_ONE;
}
