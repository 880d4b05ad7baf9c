import {
  type InfoQueryOf,
  type OutcomeEventMeta,
  type OutcomeEventPage,
  refusal,
} from '@oddlot/protocol';
import type { EventWithMarkets } from '../../read-models/outcome-catalogue.ts';
import { eventStatus } from '../../read-models/event-status.ts';
import { type PageOptions, type Place, Ranking } from '../../read-models/ranking.ts';
import { answer, type InfoAnswer, type InfoContext, type PastNeeds } from './handler.ts';
import { eventMeta } from './event-meta.ts';
import { type EventPage, listNeeds, listPage } from './outcome-list.ts';
import { isSought, matchOf, SEARCHED_EVENTS } from './outcome-search.ts';
import { listOf, PROCESS_SEAL } from '../cursor-seal.ts';
import { eventIn, eventsNeeded, marketIn, marketsNeeded } from './past.ts';

type Query = InfoQueryOf<'outcomeMeta'>;
type Context = InfoContext;

/** Discovery: one event by its name, or pages of events. */
export function outcomeMeta(
  context: Context,
  query: Query,
): InfoAnswer<OutcomeEventMeta | OutcomeEventPage> {
  if (query.eventSlug !== undefined) return eventBySlug(context, query, query.eventSlug);
  const options = pageOptions(context, query);
  if (options === 'invalid') {
    const details = { field: query.cursorField, got: query.cursor ?? null };
    return { ok: false, error: refusal('invalidCursor', [], details) };
  }
  const only = matchedMarkets(context, query);
  const page =
    only === undefined
      ? listPage(context, query, options)
      : ownersOf(context, query, only).page(options);
  const { items, next } = isSought(query) ? foundIn(context, query, page) : page;
  const shown = query.markets === 'matched' ? only : undefined;
  return answer({
    events: items.map((event) => shownEvent(context, event, shown)),
    next_cursor: next === undefined ? null : cursorOf(context, query, next),
  });
}

/** Only events that are resolved leave memory. */
export const outcomeMetaNeeds: PastNeeds<'outcomeMeta'> = (context, query) => {
  const { eventSlug, status } = query;
  if (status !== 'resolved' && status !== 'all') return undefined;
  if (eventSlug !== undefined) return eventsNeeded(context, [eventSlug]);
  const options = pageOptions(context, query);
  if (options === 'invalid') return undefined;
  const ids = matchedMarkets(context, query);
  return ids === undefined ? listNeeds(context, query, options) : marketsNeeded(context, [...ids]);
};

function pageOptions(context: Context, query: Query): PageOptions | 'invalid' {
  const after = readCursor(context, query);
  if (after === 'invalid') return 'invalid';
  const limit = isSought(query) ? SEARCHED_EVENTS : query.limit;
  return { after, limit, descending: isDescending(query) };
}

/** Those of a stretch that match; where they are more than a page, it ends at the last that is shown. */
function foundIn({ markets }: Context, query: Query, stretch: EventPage): EventPage {
  const found = stretch.items.filter(matchOf(query));
  const items = found.slice(0, query.limit);
  const last = items.at(-1);
  if (found.length === items.length || last === undefined) return { items, next: stretch.next };
  return { items, next: [markets.listedEvents.keyOf(query.sortBy, last), last.event.eventId] };
}

function eventBySlug(
  context: Context,
  { status, tag }: Query,
  slug: string,
): InfoAnswer<OutcomeEventMeta> {
  const found = eventIn(context, slug);
  if (found === undefined || !hasStatus(found, status) || !hasTag(found, tag)) {
    const details = { field: 'eventSlug', got: slug };
    return { ok: false, error: refusal('eventNotFound', [], details) };
  }
  return answer(shownEvent(context, found));
}

function shownEvent(
  { markets: { listedEvents }, state }: Context,
  event: EventWithMarkets,
  only?: ReadonlySet<number>,
): OutcomeEventMeta {
  return eventMeta(state, event, listedEvents.liquidityOf(event.event), only);
}

/** The markets that are asked for by name or id, as ids; names that nobody knows are left out. */
function matchedMarkets(
  { state }: Context,
  { instrumentIds, marketSlugs }: Query,
): Set<number> | undefined {
  if (marketSlugs === undefined && instrumentIds === undefined) return undefined;
  const found = (marketSlugs ?? []).map((slug) => state.outcomes.marketSlugs.get(slug));
  return new Set([...found.filter((id) => id !== undefined), ...(instrumentIds ?? [])]);
}

/** The events of these markets, at most one for each. */
function ownersOf(
  context: Context,
  { sortBy, status, tag }: Query,
  ids: ReadonlySet<number>,
): Ranking<EventWithMarkets> {
  const owners = new Ranking<EventWithMarkets>();
  for (const id of ids) {
    const owner = marketIn(context, id)?.listing.eventSlug;
    const event = owner === undefined ? undefined : eventIn(context, owner);
    if (event === undefined || !hasTag(event, tag) || !hasStatus(event, status)) continue;
    owners.place(event.event.eventId, context.markets.listedEvents.keyOf(sortBy, event), event);
  }
  return owners;
}

function hasStatus({ markets }: EventWithMarkets, status: Query['status']): boolean {
  return status === 'all' || eventStatus(markets.map(({ phase }) => phase)) === status;
}

function hasTag({ event }: EventWithMarkets, tag: string | undefined): boolean {
  return tag === undefined || event.listing.tags.includes(tag);
}

/** What ends soon comes first by itself; everything else from the top. */
function isDescending({ sortBy, sortOrder }: Query): boolean {
  return sortBy !== 'endingSoon' && sortOrder !== 'asc';
}

/** A cursor says where the page ended and what it was a page of: another list has no such place. */
function cursorOf({ cursors = PROCESS_SEAL }: Context, query: Query, [key, id]: Place): string {
  const text = JSON.stringify([`${key}@${cursors(listName(query), [key, id])}`, id]);
  return Buffer.from(text).toString('base64url');
}

function readCursor(context: Context, query: Query): Place | 'invalid' | undefined {
  if (query.cursor === undefined) return undefined;
  const [sortKey, id] = parseCursor(query.cursor);
  const [key] = typeof sortKey === 'string' ? sortKey.split('@') : [];
  const place: Place = [Number(key === '' ? undefined : key), Number(id)];
  // Only our own spelling of it: what we gave for this list is what comes back.
  return cursorOf(context, query, place) === query.cursor ? place : 'invalid';
}

function parseCursor(cursor: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    return Array.isArray(value) && value.length === 2 ? value : [];
  } catch {
    return [];
  }
}

/** What comes first when nobody says it is the same list as when somebody does. */
function listName(query: Query): string {
  return listOf({ ...query, sortOrder: query.sortOrder ?? 'desc' });
}
