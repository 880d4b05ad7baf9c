import type { CommandResult } from '../messages/block.ts';
import type { RegisterSeriesCommand } from '../messages/command.ts';
import { LIMITS } from '../messages/limits.ts';
import type { Reject } from '../messages/reject.ts';
import { gridFault } from '../outcome/list-market.ts';
import type { Execution } from '../state/execution.ts';
import { periodOf } from '../state/series.ts';
import type { State } from '../state/state.ts';
import { listSeriesMarkets } from '../steps/series.ts';

/** Lists a series and its first markets; of a known one, what markets not yet listed will be. */
export function registerSeries(
  execution: Execution,
  command: RegisterSeriesCommand,
): CommandResult {
  const { commandIndex, events, state } = execution;
  const reject = checkRegisterSeries(state, command);
  if (reject !== undefined) return { reject };
  const { series: listing } = command;
  const { series } = state.outcomes;
  const known = series.get(listing.slug);
  if (known === undefined) {
    series.set(listing.slug, { listing, nextStartMs: listing.firstStartMs });
    sortKeys(series);
  } else {
    known.listing = listing;
    // Its period may be another one: markets start at whole multiples of it.
    const period = periodOf(listing);
    const earliest = Math.max(known.nextStartMs, listing.firstStartMs);
    known.nextStartMs = Math.ceil(earliest / period) * period;
  }
  state.digest.text(listing.slug);
  state.digest.text(JSON.stringify(listing));
  events.push({ type: 'outcomeSeriesListed', commandIndex, series: listing });
  listSeriesMarkets(execution);
  return { created: { seriesSlug: listing.slug } };
}

/** Judges a listing: the start, the grid. */
export function checkRegisterSeries(
  _state: State,
  { series }: RegisterSeriesCommand,
): Reject | undefined {
  const period = periodOf(series);
  if (series.firstStartMs % period !== 0) {
    return invalid('firstStartTime', `must be a whole multiple of the period, ${period} ms`);
  }
  if (series.listAhead < 1 || series.listAhead > LIMITS.seriesAheadMax) {
    return invalid('listAhead', `must be 1 to ${LIMITS.seriesAheadMax}`);
  }
  const fault = gridFault(series);
  return fault === undefined ? undefined : invalid(fault.field, fault.why);
}

function invalid(field: string, why: string): Reject {
  return { reason: 'definitionInvalid', field, why };
}

/** A map that lived and one that was restored are iterated in the same order. */
function sortKeys<Value>(map: Map<string, Value>): void {
  const entries = [...map].sort(([a], [b]) => (a < b ? -1 : 1));
  map.clear();
  for (const [key, value] of entries) map.set(key, value);
}
