import { createHash } from 'node:crypto';
import {
  type InfoQueryOf,
  type OutcomeEventMeta,
  type OutcomeEventPage,
  refusal,
} from '@oddlot/protocol';
import type { ListedEvent } from '../../read-models/catalogue.ts';
import { type Place, Ranking } from '../../read-models/ranking.ts';
import { answer, type InfoAnswer, type InfoContext } from './handler.ts';
import { eventMeta } from './outcome-event-meta.ts';

type Query = InfoQueryOf<'outcomeMeta'>;
type Context = InfoContext;

/** Discovery: one event by its name, or pages of events. */
export function outcomeMeta(
  context: Context,
  query: Query,
): InfoAnswer<OutcomeEventMeta | OutcomeEventPage> {
  if (query.eventSlug !== undefined) return eventBySlug(context, query, query.eventSlug);
  const after = readCursor(query);
  if (after === 'invalid') {
    const details = { field: query.cursorField, got: query.cursor ?? null };
    return { ok: false, error: refusal('invalidCursor', [], details) };
  }
  const { state, markets } = context;
  const { limit, sortBy, status, tag } = query;
  const options = { after, limit, descending: isDescending(query) };
  const only = matchedMarkets(context, query);
  const page =
    query.marketSlugs === undefined
      ? markets.listedEvents.page({ sortBy, status, tag }, options)
      : ownersOf(context, query).page(options);
  const shown = query.markets === 'matched' ? only : undefined;
  return answer({
    events: page.items.map((event) => eventMeta(state, markets, event, shown)),
    next_cursor: page.next === undefined ? null : cursorOf(query, page.next),
  });
}

function eventBySlug(
  { markets, state }: Context,
  { status, tag }: Query,
  slug: string,
): InfoAnswer<OutcomeEventMeta> {
  const event = markets.catalogue.listedEvent(slug);
  const hasStatus =
    event !== undefined && (status === 'all' || markets.listedEvents.statusOf(event) === status);
  if (event === undefined || !hasStatus || !hasTag(event, tag)) {
    const details = { field: 'eventSlug', got: slug };
    return { ok: false, error: refusal('eventNotFound', [], details) };
  }
  return answer(eventMeta(state, markets, event));
}

/** The ids of the markets that are asked for by name; those that nobody knows are left out. */
function matchedMarkets({ markets }: Context, { marketSlugs }: Query): Set<number> | undefined {
  if (marketSlugs === undefined) return undefined;
  const found = marketSlugs.map((slug) => markets.catalogue.marketBySlug(slug)?.instrumentId);
  return new Set(found.filter((id) => id !== undefined));
}

/** The events of the markets that are asked for by name, at most one for each. */
function ownersOf({ markets }: Context, query: Query): Ranking<ListedEvent> {
  const { catalogue, listedEvents } = markets;
  const { marketSlugs = [], sortBy, status, tag } = query;
  const owners = new Ranking<ListedEvent>();
  for (const slug of marketSlugs) {
    const owner = catalogue.marketBySlug(slug)?.listing.eventSlug;
    const event = owner === undefined ? undefined : catalogue.listedEvent(owner);
    if (event === undefined || !hasTag(event, tag)) continue;
    if (status !== 'all' && listedEvents.statusOf(event) !== status) continue;
    owners.place(event.eventId, listedEvents.keyOf(sortBy, event), event);
  }
  return owners;
}

function hasTag({ listing }: ListedEvent, tag: string | undefined): boolean {
  return tag === undefined || listing.tags.includes(tag);
}

/** What ends soon comes first by itself; everything else from the top. */
function isDescending({ sortBy, sortOrder }: Query): boolean {
  return sortBy !== 'endingSoon' && sortOrder !== 'asc';
}

/** A cursor says where the page ended and what it was a page of: another list has no such place. */
function cursorOf(query: Query, [key, id]: Place): string {
  const text = JSON.stringify([`${key}@${listName(query)}`, id]);
  return Buffer.from(text).toString('base64url');
}

function readCursor(query: Query): Place | 'invalid' | undefined {
  if (query.cursor === undefined) return undefined;
  const [sortKey, id] = parseCursor(query.cursor);
  const [key, name, ...more] = typeof sortKey === 'string' ? sortKey.split('@') : [];
  const isOurs = name === listName(query) && more.length === 0 && Number.isSafeInteger(id);
  const value = Number(key === '' ? undefined : key);
  return isOurs && Number.isFinite(value) ? [value, id as number] : 'invalid';
}

function parseCursor(cursor: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    return Array.isArray(value) && value.length === 2 ? value : [];
  } catch {
    return [];
  }
}

const LIST_NAME_DIGITS = 12;

/** A short name of what a query lists and in which order. */
function listName(query: Query): string {
  const { marketSlugs, markets, sortBy, sortOrder, status, tag } = query;
  const filters = [sortBy, sortOrder ?? 'desc', status, tag, marketSlugs, markets];
  return createHash('sha256')
    .update(JSON.stringify(filters))
    .digest('hex')
    .slice(0, LIST_NAME_DIGITS);
}
