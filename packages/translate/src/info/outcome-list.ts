import type { InfoQueryOf } from '@oddlot/protocol';
import type { EventWithMarkets } from '../read-models/outcome-catalogue.ts';
import type { EventSort, PageOptions, Place } from '../read-models/listed-event-index.ts';
import { type InfoContext, type PastList, type PastNeed, settledBeforeMs } from './info-context.ts';

/**
 * A page combines events from memory and from the loaded history. Both use the same sort keys, and
 * an event keeps its key when it leaves memory, so a cursor works for both.
 */

type Query = InfoQueryOf<'outcomeMeta'>;
export type EventPage = {
  readonly items: readonly EventWithMarkets[];
  readonly next: Place | undefined;
};
type Placed = { readonly place: Place; readonly item: EventWithMarkets };

export function listPage(context: InfoContext, query: Query, options: PageOptions): EventPage {
  const { catalogue, listedEvents } = context.markets;
  const { sortBy, status, tag } = query;
  const page = listedEvents.page({ sortBy, status, tag }, options);
  const items = page.items.map((event) => ({ event, markets: catalogue.marketsOf(event) }));
  const list = context.past?.list;
  if (list === undefined) return { items, next: page.next };
  const placed = (item: EventWithMarkets): Placed => ({
    place: [listedEvents.keyOf(sortBy, item), item.event.eventId],
    item,
  });
  const past = list.events.map(placed);
  const isInOrder = options.descending ? isAbove : isBelow;
  // After the last event of the loaded history, events that are not loaded could come before those
  // in memory, so the page ends at that event.
  const end = list.isEnd ? undefined : past.at(-1)?.place;
  const merged = [...items.map(placed), ...past.filter(({ item }) => hasLeft(context, item))]
    .filter(({ place }) => end === undefined || !isInOrder(end, place))
    .toSorted((a, b) => (isInOrder(a.place, b.place) ? -1 : 1));
  const shown = merged.slice(0, options.limit);
  const last = shown.length < options.limit ? end : shown.at(-1)?.place;
  const hasMore = merged.length > shown.length || page.next !== undefined || !list.isEnd;
  return { items: shown.map(({ item }) => item), next: hasMore ? last : undefined };
}

/** Returns the history that a page needs, or undefined if the whole page is in memory. */
export function listNeeds(
  context: InfoContext,
  query: Query,
  options: PageOptions,
): PastNeed | undefined {
  if (context.past !== undefined || isInMemory(context, query, options)) return undefined;
  const { sortBy, tag } = query;
  const { after, descending, limit } = options;
  const list: PastList = {
    sortBy: PAST_SORTS[sortBy],
    descending,
    tag,
    after,
    limit: limit + 1,
    settledBeforeMs: settledBeforeMs(context),
  };
  return { list };
}

/**
 * Events that have left memory have no orders and no trades within the last day, so their key is
 * zero when sorting by liquidity or trending.
 */
const PAST_SORTS: Readonly<Record<EventSort, PastList['sortBy']>> = {
  volume: 'volume',
  newest: 'newest',
  endingSoon: 'endingSoon',
  liquidity: 'zero',
  trending: 'zero',
};

/** Returns true if events in memory that come before all settled ones fill the page. */
function isInMemory(context: InfoContext, query: Query, options: PageOptions): boolean {
  const { catalogue, listedEvents } = context.markets;
  const { sortBy, status, tag } = query;
  const isNewer = sortBy === 'newest' || sortBy === 'trending' || sortBy === 'liquidity';
  if (!isNewer || !options.descending) return false;
  const { items, next } = listedEvents.page({ sortBy, status, tag }, options);
  const last = items.at(-1);
  // After the last page from memory, events from the history can follow.
  if (last === undefined || next === undefined) return false;
  const key = listedEvents.keyOf(sortBy, { event: last, markets: catalogue.marketsOf(last) });
  return key > (sortBy === 'newest' ? settledBeforeMs(context) : 0);
}

function hasLeft({ markets }: InfoContext, { event }: EventWithMarkets): boolean {
  return markets.catalogue.listedEvent(event.listing.slug) === undefined;
}

function isBelow([key, id]: Place, [otherKey, otherId]: Place): boolean {
  return key < otherKey || (key === otherKey && id < otherId);
}

function isAbove(place: Place, other: Place): boolean {
  return isBelow(other, place);
}

/** The maximum number of events searched by one query. */
export const SEARCHED_EVENTS = 200;

export function isSought({ category, search }: Query): boolean {
  return category !== undefined || search !== undefined;
}

/**
 * Returns a filter that requires every word to occur in the texts of the event or of one of its
 * markets, ignoring case.
 */
export function matchOf({
  category,
  search = '',
}: Pick<Query, 'category' | 'search'>): (event: EventWithMarkets) => boolean {
  const words = search
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  return ({ event: { listing }, markets }) => {
    if (category !== undefined && listing.category !== category) return false;
    if (words.length === 0) return true;
    const questions = markets.flatMap(({ listing: { groupTitle, question } }) => [
      groupTitle ?? '',
      question,
    ]);
    const text = [listing.title, listing.category, ...listing.tags, ...questions]
      .join('\n')
      .toLowerCase();
    return words.every((word) => text.includes(word));
  };
}
