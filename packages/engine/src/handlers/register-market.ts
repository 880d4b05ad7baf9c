import { instrumentId as toInstrumentId } from '@oddlot/units';
import type { CommandResult } from '../messages/block.ts';
import type { RegisterMarketCommand } from '../messages/command.ts';
import { LIMITS } from '../messages/limits.ts';
import type { Reject } from '../messages/reject.ts';
import { gridFault, isIdTaken, listMarket, type ListingFault } from '../outcome/list-market.ts';
import type { Execution } from '../state/execution.ts';
import type { State } from '../state/state.ts';

/** Lists a market in an event. */
export function registerMarket(
  execution: Execution,
  command: RegisterMarketCommand,
): CommandResult {
  const reject = checkRegisterMarket(execution.state, command, execution.state.timeMs);
  if (reject !== undefined) return { reject };
  return { created: { instrumentId: listMarket(execution, command.market, undefined) } };
}

/** Judges a listing: the event, the slug, the times, the grid, the id. */
export function checkRegisterMarket(
  { outcomes }: State,
  { market }: RegisterMarketCommand,
  nowMs: number,
): Reject | undefined {
  const { eventSlug, instrumentId, slug } = market;
  const event = outcomes.events.get(eventSlug);
  if (event === undefined) return { reason: 'eventUnknown', slug: eventSlug };
  if (outcomes.marketSlugs.has(slug)) return { reason: 'slugUsed', slug };
  // R-event-sets: nobody joins an exclusive set whose results have begun.
  const first = event.instrumentIds[0];
  if (event.mutuallyExclusive && event.resolved > 0 && first !== undefined) {
    return { reason: 'alreadyResolved', instrumentId: toInstrumentId(first) };
  }
  const fault = listingFault(market, event, nowMs);
  if (fault !== undefined) return { reason: 'definitionInvalid', ...fault };
  if (instrumentId === undefined) return undefined;
  if (instrumentId < LIMITS.perpIdEnd || instrumentId > LIMITS.instrumentIdMax) {
    const why = `must be ${LIMITS.perpIdEnd} to ${LIMITS.instrumentIdMax}`;
    return { reason: 'definitionInvalid', field: 'instrumentId', why };
  }
  return isIdTaken(outcomes, instrumentId)
    ? { reason: 'instrumentIdUsed', instrumentId }
    : undefined;
}

/** What is wrong with a listing by itself, whatever else is listed; undefined when nothing is. */
export function listingFault(
  market: RegisterMarketCommand['market'],
  event: { readonly startMs: number; readonly endMs: number },
  nowMs: number,
): ListingFault | undefined {
  return timesFault(market, event, nowMs) ?? gridFault(market);
}

/** A market runs within its event, and ends after now. */
function timesFault(
  { endMs, startMs }: RegisterMarketCommand['market'],
  event: { readonly startMs: number; readonly endMs: number },
  nowMs: number,
): ListingFault | undefined {
  if (startMs < event.startMs) {
    return { field: 'startTime', why: `must not be before the event's, ${event.startMs}` };
  }
  if (startMs >= endMs) return { field: 'startTime', why: `must be before endTime, ${endMs}` };
  if (endMs > event.endMs) {
    return { field: 'endTime', why: `must not be after the event's, ${event.endMs}` };
  }
  return endMs > nowMs
    ? undefined
    : { field: 'endTime', why: `must be after the consensus time, ${nowMs}` };
}
