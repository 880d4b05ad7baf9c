import * as z from 'zod';
import { OUTCOME_ID_MIN, PAGE_LIMITS, SEARCH_CHARS_MAX } from '../limits.ts';
import {
  AccountTypes,
  Dec,
  IdStr,
  InstrumentIds,
  Ms,
  U32,
  anyCase,
  exchangeIdsOf,
  listOf,
} from '../primitives.ts';
import { MIN_HEIGHT, PAGE_CURSOR, TIME_SPAN, compact, limitOf } from './paging.ts';
import type { Leaderboard } from './history-answers.ts';
import type {
  Candle,
  FundingHistoryRow,
  L2Book,
  LargestTrades,
  Liquidation,
  OpenInterestRow,
  OutcomeHolders,
  PerpMetaDetail,
  PerpUniverse,
} from './market-answers.ts';
import type {
  CryptoPrice,
  CryptoPriceHistory,
  OutcomeAssetCtx,
  OutcomeEventMeta,
  OutcomeEventPage,
  OutcomeProbability,
  OutcomeResolution,
  OutcomeSeriesTimeline,
} from './outcome-answers.ts';
import { type QueryDefinition, typeOf } from '../define.ts';

/** The intervals of candles. The case matters: `1m` is a minute and `1M` a month. */
export const INTERVALS = [
  '1m',
  '3m',
  '5m',
  '15m',
  '30m',
  '1h',
  '2h',
  '4h',
  '8h',
  '12h',
  '1d',
  '3d',
  '1w',
  '1M',
] as const;

export const Interval = anyCase(INTERVALS);

/** The tick size of a book. An empty string selects the finest one. */
export const BookTick = z.union([z.literal(''), Dec]).transform((text) => text || undefined);

/**
 * The prices from which candles are built. Only perps have candles of the mark price and the oracle
 * price.
 */
export const CANDLE_PRICES = ['trade', 'mark', 'oracle'] as const;

export const CandlePrice = anyCase(CANDLE_PRICES).default('trade');

/** Rejects candles for a price that the instrument does not have. */
export function refuseOtherPrice(
  { coin, price }: { readonly coin: string; readonly price: (typeof CANDLE_PRICES)[number] },
  context: z.RefinementCtx,
): void {
  if (price === 'trade' || Number(coin) < OUTCOME_ID_MIN) return;
  context.addIssue({ code: 'custom', path: ['price'], params: { allowed: ['trade'] } });
}

const CandleSpan = z
  .object({
    coin: IdStr,
    interval: Interval,
    price: CandlePrice,
    startTime: Ms,
    endTime: Ms.optional(),
  })
  .superRefine(refuseOtherPrice);

/**
 * Moves the fields of a candle query into `req`, because they may also be at the top level. An
 * existing `req` takes precedence.
 */
export function liftCandleSpan(request: Readonly<Record<string, unknown>>): unknown {
  return request['req'] === undefined ? { type: request['type'], req: request } : request;
}

const PriceSource = anyCase(['spot', 'oracle', 'twap']);

/** A time in milliseconds or as an ISO string. */
const MsOrIso = z
  .union([Ms, z.iso.datetime({ offset: true })])
  .transform((value) => (typeof value === 'number' ? value : Date.parse(value)));

const outcomeMeta = z
  .object({
    type: z.literal('outcomeMeta'),
    ...exchangeIdsOf(1),
    limit: limitOf(PAGE_LIMITS.outcomeMeta),
    sortBy: anyCase(['volume', 'endingSoon', 'newest', 'liquidity', 'trending']).default('volume'),
    sortOrder: anyCase(['asc', 'desc']).optional(),
    cursor: z.string().nullable().optional(),
    after_cursor: z.string().nullable().optional(),
    eventSlug: z.string().optional(),
    marketSlugs: listOf(z.string(), { name: 'marketSlugs', min: 1, max: 50 }).optional(),
    instrumentIds: InstrumentIds.optional(),
    markets: anyCase(['matched', 'event']).default('matched'),
    tag: z.string().optional(),
    category: z.string().optional(),
    search: z.string().max(SEARCH_CHARS_MAX).optional(),
    status: anyCase(['upcoming', 'open', 'closed', 'resolved', 'all']).optional(),
  })
  .transform(({ cursor, after_cursor, ...query }, context) => {
    if (query.sortBy === 'endingSoon' && query.sortOrder !== undefined) {
      const params = { refusal: 'sortOrderWithEndingSoon' };
      context.issues.push({ code: 'custom', path: ['sortOrder'], params, input: query.sortOrder });
      return z.NEVER;
    }
    // A lookup by name finds a market in any status.
    const isLookup =
      query.eventSlug !== undefined ||
      query.marketSlugs !== undefined ||
      query.instrumentIds !== undefined;
    const status = query.status ?? (isLookup ? 'all' : 'open');
    // A rejected cursor is reported with the name that the client used.
    const cursorField =
      typeof cursor === 'string' ? ('cursor' as const) : ('after_cursor' as const);
    const paged = { cursor: cursor ?? after_cursor ?? undefined, cursorField };
    return compact({ ...query, status, ...paged });
  });

export const MARKET_QUERIES = {
  /** Returns every perp with its precision and limits. */
  perpMeta: {
    schema: z.object({ type: z.literal('perpMeta'), dex: z.literal('').nullable().optional() }),
    answer: typeOf<PerpUniverse>(),
    otherNames: { meta: '', metaAndAssetCtxs: ', and the channel activeAssetCtx of /ws' },
  },
  /** Returns one base asset, its perps and their margin tables. */
  perpMetaDetail: {
    schema: z.object({ type: z.literal('perpMetaDetail'), assetName: z.string() }),
    answer: typeOf<PerpMetaDetail>(),
  },
  /** Returns the book of an instrument, with at most 20 levels on each side. */
  l2Book: {
    schema: z.object({ type: z.literal('l2Book'), coin: IdStr, tick: BookTick.optional() }),
    answer: typeOf<L2Book>(),
    otherNames: { allMids: ', and the channel tickers of /api-ws for all markets' },
  },
  /** Returns an instrument's candles, oldest first: the latest 5,000 in the period. */
  candleSnapshot: {
    schema: z.object({ type: z.literal('candleSnapshot'), req: CandleSpan }),
    answer: typeOf<Candle[]>(),
  },
  /** Returns a perp's funding rate for each hour, oldest first: the first 500 in the period. */
  fundingHistory: {
    schema: z.object({
      type: z.literal('fundingHistory'),
      /** The name of a perp, or its id as a string. */
      coin: z.string(),
      startTime: Ms,
      endTime: Ms.optional(),
    }),
    answer: typeOf<FundingHistoryRow[]>(),
  },
  /**
   * Returns an instrument's open interest at the start of each hour, oldest first: the first 500 in
   * the period.
   */
  openInterestHistory: {
    schema: z.object({
      type: z.literal('openInterestHistory'),
      coin: IdStr,
      startTime: Ms,
      endTime: Ms.optional(),
      ...MIN_HEIGHT,
    }),
    answer: typeOf<OpenInterestRow[]>(),
  },
  /** Returns liquidations in one perp or all perps, newest first. */
  liquidations: {
    schema: z.object({
      type: z.literal('liquidations'),
      coin: IdStr.optional(),
      ...TIME_SPAN,
      limit: limitOf(PAGE_LIMITS.liquidations),
      ...PAGE_CURSOR,
    }),
    answer: typeOf<Liquidation[]>(),
  },
  /**
   * Returns the largest trades of a day, a week or a month by notional value: in all perps, in all
   * outcome markets, or in one instrument.
   */
  largestTrades: {
    schema: z.object({
      type: z.literal('largestTrades'),
      coin: IdStr.optional(),
      accountType: AccountTypes.default(['perp']),
      window: anyCase(['day', 'week', 'month']).default('day'),
      limit: limitOf(PAGE_LIMITS.largestTrades),
      ...MIN_HEIGHT,
    }),
    answer: typeOf<LargestTrades>(),
  },
  /**
   * Returns the accounts with the highest profit or volume in a window. The query is rejected if
   * the operator has disabled it.
   */
  leaderboard: {
    schema: z.object({
      type: z.literal('leaderboard'),
      window: anyCase(['day', 'week', 'month', 'all']).default('week'),
      sortBy: anyCase(['pnl', 'volume']).default('pnl'),
      limit: limitOf(PAGE_LIMITS.leaderboard),
      ...MIN_HEIGHT,
    }),
    answer: typeOf<Leaderboard>(),
  },
  /** Returns a page of events with their markets. A page's cursor selects the next page. */
  outcomeMeta: { schema: outcomeMeta, answer: typeOf<OutcomeEventPage | OutcomeEventMeta>() },
  /** Returns prices, volumes and open interest for up to 50 outcome markets. */
  outcomeAssetCtxs: {
    schema: z.object({
      type: z.literal('outcomeAssetCtxs'),
      instrumentIds: InstrumentIds,
      ...exchangeIdsOf(1),
    }),
    answer: typeOf<OutcomeAssetCtx[]>(),
  },
  /** Returns the prices of YES in up to 50 markets over time, oldest first. */
  outcomeProbability: {
    schema: z.object({
      type: z.literal('outcomeProbability'),
      instrumentIds: InstrumentIds,
      interval: anyCase(['1h', '6h', '1d', '1w', '1m', 'max']).default('1d'),
      ...TIME_SPAN,
      fidelity: z.int().min(1).optional(),
    }),
    answer: typeOf<OutcomeProbability>(),
  },
  /** Returns a series' markets with strikes and results, latest start first. */
  outcomeSeriesTimeline: {
    schema: z.object({
      type: z.literal('outcomeSeriesTimeline'),
      seriesSlug: z.string(),
      ...exchangeIdsOf(1),
      limit: limitOf(PAGE_LIMITS.outcomeSeriesTimeline),
      before: Ms.optional(),
      after: Ms.optional(),
    }),
    answer: typeOf<OutcomeSeriesTimeline>(),
  },
  /** Returns a market's resolution record. `checkResolution` recomputes the result. */
  outcomeResolution: {
    schema: z.object({ type: z.literal('outcomeResolution'), instrumentId: U32 }),
    answer: typeOf<OutcomeResolution>(),
  },
  /** Returns the holders of an outcome's shares, largest first. */
  outcomeHolders: {
    schema: z.object({
      type: z.literal('outcomeHolders'),
      instrumentId: U32,
      outcome: anyCase(['Yes', 'No']).default('Yes'),
      limit: limitOf(PAGE_LIMITS.outcomeHolders),
      cursor: z.string().nullable().optional(),
    }),
    answer: typeOf<OutcomeHolders>(),
  },
  /**
   * Returns a reference price: the price to beat and the final price. If no times are given,
   * returns the latest price.
   */
  cryptoPrice: {
    schema: z.object({
      type: z.literal('cryptoPrice'),
      symbol: z.string(),
      eventStartTime: MsOrIso.optional(),
      endTime: MsOrIso.optional(),
      variant: anyCase(['5m', '15m', '1h', '4h', '1d']).optional(),
      source: PriceSource.default('oracle'),
    }),
    answer: typeOf<CryptoPrice>(),
  },
  /**
   * Returns the reference prices in a period, oldest first, thinned evenly to at most 2,000. With
   * `variant: 'before'`, returns simulated prices from before the start of a simulated venue.
   */
  cryptoPriceHistory: {
    schema: z.object({
      type: z.literal('cryptoPriceHistory'),
      symbol: z.string(),
      startTime: Ms,
      endTime: Ms,
      source: PriceSource.default('oracle'),
      variant: z.string().optional(),
    }),
    answer: typeOf<CryptoPriceHistory>(),
  },
} as const satisfies Readonly<Record<string, QueryDefinition>>;
