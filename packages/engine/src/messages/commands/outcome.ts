import type { InstrumentId, TimeMs } from '@oddlot/units';
import type { Authority, Operator } from './keys.ts';

/** Outcome markets: what deployers list, price and resolve, and what holders make of collateral. */

/** Lists an event, or changes the texts of one that has no resolved market. */
export type RegisterEventCommand = {
  readonly type: 'registerEvent';
  readonly operator?: Operator;
  readonly event: EventListing;
};

export type EventListing = {
  readonly slug: string;
  readonly title: string;
  readonly description: string;
  readonly category: string;
  readonly tags: readonly string[];
  readonly image: string | null;
  readonly icon: string | null;
  /** R-event-sets: exactly one of its markets resolves YES. */
  readonly mutuallyExclusive: boolean;
  readonly startMs: TimeMs;
  readonly endMs: TimeMs;
  /** Assigned when absent. */
  readonly eventId?: number;
};

/** What trading on a market is measured in and costs. */
export type MarketGrid = {
  readonly szDecimals: number;
  /** In price units of 10^-(6 − szDecimals); divides 1.00. */
  readonly priceTick: number;
  /** Lots. */
  readonly minOrderSize: number;
  readonly maxOrderSize: number;
  readonly takerFeeE8: number;
  /** R-delay. */
  readonly orderDelayMs: number;
};

export type RegisterMarketCommand = {
  readonly type: 'registerMarket';
  readonly operator?: Operator;
  readonly market: MarketListing;
};

export type MarketListing = MarketGrid & {
  readonly eventSlug: string;
  readonly slug: string;
  readonly question: string;
  readonly groupTitle: string | null;
  readonly description: string;
  readonly resolutionSource: string;
  /** The names of YES and NO. */
  readonly outcomes: readonly [string, string];
  readonly startMs: TimeMs;
  readonly endMs: TimeMs;
  readonly underlying: Underlying | null;
  /** Assigned when absent. */
  readonly instrumentId?: InstrumentId;
};

type Underlying = {
  readonly symbol: string;
  readonly source: 'spot' | 'oracle' | 'twap';
  readonly priceToBeat: string | null;
};

/** R-series: lists a series, or replaces what its markets not yet listed will be. */
export type RegisterSeriesCommand = {
  readonly type: 'registerSeries';
  readonly operator?: Operator;
  readonly series: SeriesListing;
};

export type SeriesListing = MarketGrid & {
  readonly slug: string;
  readonly title: string;
  readonly symbol: string;
  readonly recurrence: Recurrence;
  readonly source: PriceSource;
  readonly category: string;
  readonly tags: readonly string[];
  readonly image: string | null;
  readonly icon: string | null;
  /** A multiple of the period. */
  readonly firstStartMs: TimeMs;
  /** Markets that are listed in advance. */
  readonly listAhead: number;
  readonly enabled: boolean;
  /** W of R-series. */
  readonly windowSeconds: 30 | 60;
  /** What every description ends with, such as where the prices come from; absent means nothing. */
  readonly note?: string;
};

export type Recurrence = '15m' | '1h' | '4h' | '1d';
export type PriceSource = 'spot' | 'oracle';

/** R-phases: opens, halts or closes markets, all of them or none. */
export type SetTradingCommand = {
  readonly type: 'setTrading';
  readonly operator?: Operator;
  readonly instrumentIds: readonly InstrumentId[];
  readonly to: 'open' | 'halted' | 'closed';
};

/** Reports reference prices of underlyings. */
export type PushPriceCommand = {
  readonly type: 'pushPrice';
  readonly operator?: Operator;
  readonly prices: readonly ReferencePrice[];
};

export type ReferencePrice = {
  readonly symbol: string;
  readonly source: PriceSource;
  /** 10^-8. */
  readonly priceE8: number;
  readonly observedMs: TimeMs;
};

/** R-settlement: final. */
export type ResolveMarketCommand = {
  readonly type: 'resolveMarket';
  readonly operator?: Operator;
  readonly instrumentId: InstrumentId;
  /** What a YES share pays, in price units of the market. */
  readonly fraction: number;
  readonly fractionInexact?: true;
  /** The provider's word, for information. */
  readonly oracleOutcome: string | null;
  readonly evidence: string | null;
};

/** R-split-merge: all entries or none. */
export type OperateOutcomeCommand = {
  readonly type: 'operateOutcome';
  readonly authority: Authority;
  readonly kind: 'split' | 'merge';
  readonly entries: readonly OperateEntry[];
};

export type OperateEntry = {
  readonly instrumentId: InstrumentId;
  /** Lots. */
  readonly size: number;
  readonly sizeInexact?: true;
};

/** What a time-weighted price was computed from: exact sums as text, for receipts. */
export type TwapInputs = {
  readonly sumE8: string;
  readonly samples: readonly { readonly atMs: number; readonly priceE8: number }[];
};

/** R-phases. */
export type MarketPhase = 'upcoming' | 'open' | 'halted' | 'closed' | 'resolved';

/** R-one-book: YES or NO, as `b` and `r` name it together. */
export type OutcomeLeg = 'yes' | 'no';
