import type { InfoQueryOf } from '@oddlot/protocol';
import type { EventWithMarkets } from '../../read-models/outcome-catalogue.ts';

/**
 * Events by words. There is no index of words: a question looks through a stretch of the list, and its cursor
 * goes on behind it. So a question costs the same whatever is looked for, and a page may be short.
 */

type Query = InfoQueryOf<'outcomeMeta'>;

/** As many events as one question looks through. */
export const SEARCHED_EVENTS = 200;

export function isSought({ category, search }: Query): boolean {
  return category !== undefined || search !== undefined;
}

/** Every word must be somewhere in what is said of the event or of one of its markets, in any case. */
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
