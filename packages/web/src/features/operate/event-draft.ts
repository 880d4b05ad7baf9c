import type { RegisterEventParameters, RegisterMarketParameters } from '@oddlot/sdk';
import { isDecimal } from '../../lib/decimal.ts';

/** A market of an event: its question, and in a set of several its short name. */
export type MarketDraft = { readonly question: string; readonly name: string };

/** An event as it is typed into the form. */
export type EventDraft = {
  readonly title: string;
  readonly markets: readonly MarketDraft[];
  /** Exactly one of its markets resolves YES. */
  readonly isExclusive: boolean;
  readonly category: string;
  readonly description: string;
  readonly source: string;
  /** `2026-11-15T20:00`, in UTC. */
  readonly endsAt: string;
  readonly takerFee: string;
  readonly delayMs: string;
};

export const NEW_MARKET: MarketDraft = { question: '', name: '' };

export const NEW_EVENT: EventDraft = {
  title: '',
  markets: [NEW_MARKET],
  isExclusive: true,
  category: '',
  description: '',
  source: '',
  endsAt: '',
  takerFee: '0.07',
  delayMs: '0',
};

const SLUG_MAX = 60;
/** The clock of this page may be ahead of the venue's: a market that opens at once began a little ago. */
const HEAD_START_MS = 5_000;

/** A text as part of an address: small letters, digits and dashes. */
export function slugOf(text: string): string {
  return text
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, SLUG_MAX)
    .replaceAll(/^-+|-+$/g, '');
}

/** Milliseconds of what a field for date and time holds; undefined for less than that. */
export function timeOf(typed: string): number | undefined {
  const ms = Date.parse(`${typed}Z`);
  return Number.isNaN(ms) ? undefined : ms;
}

/** The day is part of it: a known slug would change that event instead of making one. */
function slugWithDay(text: string, endTime: number): string | undefined {
  const slug = slugOf(text);
  return slug === '' ? undefined : `${slug}-${new Date(endTime).toISOString().slice(0, 10)}`;
}

/** The event that is sent; undefined while something is missing. */
export function eventOf(draft: EventDraft, nowMs: number): RegisterEventParameters | undefined {
  const [title, endTime] = [draft.title.trim(), timeOf(draft.endsAt)];
  if (endTime === undefined || endTime <= nowMs) return undefined;
  const slug = slugWithDay(title, endTime);
  if (slug === undefined) return undefined;
  return {
    slug,
    title,
    description: draft.description.trim(),
    category: draft.category.trim(),
    tags: [],
    image: null,
    icon: null,
    mutuallyExclusive: draft.isExclusive && draft.markets.length > 1,
    startTime: nowMs - HEAD_START_MS,
    endTime,
  };
}

/** Its markets; undefined while something is missing, or two of them would have one name. */
export function marketsOf(
  draft: EventDraft,
  event: Pick<RegisterEventParameters, 'slug' | 'startTime' | 'endTime'>,
): readonly RegisterMarketParameters[] | undefined {
  const markets = draft.markets.map((market) => marketOf(draft, market, event));
  const found = markets.filter((market) => market !== undefined);
  const isDistinct = new Set(found.map(({ slug }) => slug)).size === markets.length;
  return isDistinct ? found : undefined;
}

function marketOf(
  { delayMs, description, markets, source, takerFee }: EventDraft,
  { name, question }: MarketDraft,
  event: Pick<RegisterEventParameters, 'slug' | 'startTime' | 'endTime'>,
): RegisterMarketParameters | undefined {
  const slug = slugWithDay(question, event.endTime);
  const isSet = markets.length > 1;
  if (slug === undefined || (isSet && name.trim() === '')) return undefined;
  if (!isDecimal(takerFee) || !/^\d{1,5}$/.test(delayMs)) return undefined;
  const { endTime, slug: eventSlug, startTime } = event;
  return {
    eventSlug,
    slug,
    question: question.trim(),
    groupTitle: isSet ? name.trim() : null,
    description: description.trim(),
    resolutionSource: source.trim(),
    outcomes: ['Yes', 'No'],
    startTime,
    endTime,
    priceTick: '0.01',
    sizeDecimals: 2,
    minOrderSize: '5',
    maxOrderSize: '100000',
    takerFeeRate: takerFee,
    orderDelayMs: Number(delayMs),
    underlying: null,
  };
}
