import { instrumentId as toInstrumentId } from '@oddlot/units';
import type { CommandResult } from '../messages/block.ts';
import type { RegisterMarketCommand } from '../messages/command.ts';
import { LIMITS } from '../messages/limits.ts';
import type { Reject } from '../messages/reject.ts';
import { gridFault, isIdTaken, listMarket } from '../outcome/list-market.ts';
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
  const { endMs, eventSlug, instrumentId, slug, startMs } = market;
  const event = outcomes.events.get(eventSlug);
  if (event === undefined) return { reason: 'eventUnknown', slug: eventSlug };
  if (outcomes.marketSlugs.has(slug)) return { reason: 'slugUsed', slug };
  // R-event-sets: nobody joins an exclusive set whose results have begun.
  const first = event.instrumentIds[0];
  if (event.mutuallyExclusive && event.resolved > 0 && first !== undefined) {
    return { reason: 'alreadyResolved', instrumentId: toInstrumentId(first) };
  }
  if (startMs < event.startMs || startMs >= endMs) return invalid('startTime');
  if (endMs > event.endMs || endMs <= nowMs) return invalid('endTime');
  const fault = gridFault(market);
  if (fault !== undefined) return invalid(fault);
  if (instrumentId === undefined) return undefined;
  if (instrumentId < LIMITS.perpIdEnd || instrumentId > LIMITS.instrumentIdMax) {
    return invalid('instrumentId');
  }
  return isIdTaken(outcomes, instrumentId)
    ? { reason: 'instrumentIdUsed', instrumentId }
    : undefined;
}

function invalid(field: string): Reject {
  return { reason: 'definitionInvalid', field, why: 'it does not fit' };
}
