import { type Hash, type MicroUsdc, type TimeMs, ZERO_USDC } from '@oddlot/units';
import type { LevelBook } from '../book/level-book.ts';
import type {
  MarketGrid,
  MarketPhase,
  OutcomeLeg,
  PriceSource,
  TwapInputs,
} from '../messages/command.ts';
import { emptyOwnList, type OwnList } from '../book/order-pool.ts';

/** A market's definition, excluding its texts, which appear only in the listing event. */
export type MarketDefinition = MarketGrid & {
  readonly instrumentId: number;
  readonly slug: string;
  readonly eventSlug: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly seriesSlug: string | undefined;
  /**
   * The price source that resolves the market (R-series). Later changes to the series do not affect
   * it.
   */
  readonly reference: PriceReference | undefined;
};

/**
 * The price source of a series market and the number of seconds over which its price is averaged.
 */
export type PriceReference = {
  readonly symbol: string;
  readonly source: PriceSource;
  readonly windowSeconds: number;
};

/**
 * An unsettled outcome market, with one book in YES prices (R-one-book) and its locked collateral.
 */
export type OutcomeMarket = {
  readonly definition: MarketDefinition;
  /** The value 1.00 in price units: 10^(6 − szDecimals). */
  readonly unit: number;
  phase: MarketPhase;
  readonly book: LevelBook;
  /** The number of complete YES and NO pairs, in lots. */
  pairs: number;
  /**
   * The collateral of 1.00 per pair, from which holders are paid after resolution (R-conservation).
   */
  locked: MicroUsdc;
  /** The YES price of the last trade; 0 before the first trade. */
  lastTrade: number;
  lastTradeMs: number;
  /**
   * The price at the start of a series market (R-series). It is undefined before it is determined
   * and null if there were too few samples.
   */
  strike: TwapInputs | null | undefined;
  /**
   * True once the end of the market has been evaluated (R-series). If the market is still
   * unresolved then, only the operator can resolve it.
   */
  isJudged: boolean;
  /** Set when the market is resolved. Its holders are paid in batches over the following blocks. */
  resolution: Resolution | undefined;
  /** The indexes of the accounts with a holding in the market. Derived, so not dumped. */
  readonly holders: Map<number, true>;
  /**
   * Set while holders are being paid: their account indexes in order, and the position of the next
   * one. Derived, so not dumped.
   */
  unpaid: { readonly order: Uint32Array; next: number } | undefined;
};

/** The result of a market and the party that decided it (R-settlement). */
export type Resolution = {
  /** The payout of a YES share, in price units. */
  readonly fraction: number;
  readonly by: 'series' | 'operator';
  readonly resolvedMs: number;
  /**
   * The hash of the deployer's action; absent if a series or the operator's process resolved the
   * market.
   */
  readonly txHash?: Hash;
  readonly height: number;
};

/** The record of a market whose holders have all been paid (R-limits-of-state). */
export type SettledMarket = {
  readonly instrumentId: number;
  readonly slug: string;
  readonly eventSlug: string;
  readonly szDecimals: number;
  readonly fraction: number;
};

/**
 * Returns the YES mark in half price units, in which a mid price is exact. The mark is the mid
 * price if the spread is narrow, otherwise the last trade price, otherwise 0.50.
 */
export function markHalves({ book, lastTrade, unit }: OutcomeMarket): number {
  const bid = book.bestPrice(true);
  const ask = book.bestPrice(false);
  if (bid > 0 && ask > 0 && (ask - bid) * 10 <= unit) return bid + ask;
  return lastTrade > 0 ? 2 * lastTrade : unit;
}

/** An event: related markets, and the limit on the sum of their resolutions. */
export type MarketEvent = {
  readonly eventId: number;
  readonly slug: string;
  readonly mutuallyExclusive: boolean;
  readonly startMs: number;
  readonly endMs: number;
  /** The ids of all markets in the event, in order of listing, including settled ones. */
  readonly instrumentIds: number[];
  /** The number of resolved markets, and the sum of their fractions in 10^-6 (R-event-sets). */
  resolved: number;
  fractionSum: number;
};

export type OutcomeHolding = {
  readonly market: OutcomeMarket;
  readonly yes: LegHolding;
  readonly no: LegHolding;
  /** The account's resting orders for YES and NO in this market, oldest first. */
  readonly orders: OwnList;
};

export type LegHolding = {
  /** The number of shares in lots, never negative. */
  size: number;
  /** The cost of the shares, from which the average price is derived. */
  cost: MicroUsdc;
  /** The lots reserved by queued and resting sells (R-reserve). */
  reserved: number;
  /** The fees and realised PnL since the account last held no shares of this outcome. */
  feesPaid: MicroUsdc;
  realised: MicroUsdc;
  updatedMs: TimeMs;
};

export function createOutcomeHolding(market: OutcomeMarket, nowMs: TimeMs): OutcomeHolding {
  return { market, yes: emptyLeg(nowMs), no: emptyLeg(nowMs), orders: emptyOwnList() };
}

function emptyLeg(updatedMs: TimeMs): LegHolding {
  return {
    size: 0,
    cost: ZERO_USDC,
    reserved: 0,
    feesPaid: ZERO_USDC,
    realised: ZERO_USDC,
    updatedMs,
  };
}

/**
 * Returns the outcome traded by an order in YES prices: a reduce-only bid sells NO, and an ask that
 * is not reduce-only buys NO.
 */
export function outcomeLegOf(order: {
  readonly isBuy: boolean;
  readonly reduceOnly: boolean;
}): OutcomeLeg {
  return order.isBuy === order.reduceOnly ? 'no' : 'yes';
}

/** Converts a YES price to the price of the given outcome, or back. */
export function legPrice(leg: OutcomeLeg, price: number, unit: number): number {
  return leg === 'yes' ? price : unit - price;
}
