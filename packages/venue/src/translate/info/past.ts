import { settledMarketView } from '@oddlot/engine';
import type { EventWithMarkets, MarketRecord } from '../../read-models/outcome-catalogue.ts';
import type { InfoContext } from './handler.ts';
import type { PastNeed } from './past-need.ts';

/** Events and markets, wherever they are. */

/** While a question is under way events may leave; they are asked for a bit before they do. */
const LEAVING_MS = 60_000;

export function settledBeforeMs({ markets, state }: InfoContext): number {
  return state.timeMs - markets.catalogue.keptMs + LEAVING_MS;
}

/** An event by its name, from memory or from the past. */
export function eventIn(
  { markets, past }: InfoContext,
  slug: string,
): EventWithMarkets | undefined {
  const event = markets.catalogue.listedEvent(slug);
  if (event !== undefined) return { event, markets: markets.catalogue.marketsOf(event) };
  return past?.events.get(slug) ?? undefined;
}

/** A market by its id, from memory or from the past. */
export function marketIn(context: InfoContext, instrumentId: number): MarketRecord | undefined {
  const { markets, past, state } = context;
  const record = markets.catalogue.market(instrumentId);
  if (record !== undefined) return record;
  const slug = settledMarketView(state, instrumentId)?.eventSlug;
  const event = slug === undefined ? undefined : past?.events.get(slug);
  return event?.markets.find((market) => market.instrumentId === instrumentId);
}

/** Which of these events have left memory and were not asked for yet. The engine knows all names. */
export function eventsNeeded(context: InfoContext, slugs: readonly string[]): PastNeed | undefined {
  const { markets, past, state } = context;
  const needed = slugs.filter(
    (slug) =>
      state.outcomes.events.has(slug) &&
      markets.catalogue.listedEvent(slug) === undefined &&
      past?.events.has(slug) !== true,
  );
  return needed.length === 0 ? undefined : { slugs: [...new Set(needed)] };
}

/** The same for the events of markets. */
export function marketsNeeded(
  context: InfoContext,
  instrumentIds: readonly number[],
): PastNeed | undefined {
  const slugs = instrumentIds.map((id) => settledMarketView(context.state, id)?.eventSlug);
  return eventsNeeded(
    context,
    slugs.filter((slug) => slug !== undefined),
  );
}
