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

/** The definition of a market without its texts, which only its listing event contains. */
export type MarketDefinition = MarketGrid & {
  readonly instrumentId: number;
  readonly slug: string;
  readonly eventSlug: string;
  readonly startMs: number;
  readonly endMs: number;
  /** The series that listed it, if any. */
  readonly seriesSlug: string | undefined;
  /** R-series: the source of its resolution. Later changes of the series do not affect it. */
  readonly reference: PriceReference | undefined;
};

/** The reference price of a series market, and the seconds of its average. */
export type PriceReference = {
  readonly symbol: string;
  readonly source: PriceSource;
  readonly windowSeconds: number;
};

/** A market that is not settled: its book in YES prices, and its locked collateral (R-one-book). */
export type OutcomeMarket = {
  readonly definition: MarketDefinition;
  /** 1.00 in price units: 10^(6 − szDecimals). */
  readonly unit: number;
  phase: MarketPhase;
  readonly book: LevelBook;
  /** Complete pairs in lots. */
  pairs: number;
  /** R-conservation: 1.00 for each share of a pair, until holders are paid out of it. */
  locked: MicroUsdc;
  /** YES price of the last trade; 0 before the first. */
  lastTrade: number;
  lastTradeMs: number;
  /** R-series: null after too few samples; undefined before it can be determined. */
  strike: TwapInputs | null | undefined;
  /** R-series: set when its end was checked; if it is still unresolved then, only the operator can resolve it. */
  isJudged: boolean;
  /** Set when the market is resolved; holders are then paid in portions. */
  resolution: Resolution | undefined;
  /** Indexes of the accounts with a holding in the market. Derived, never dumped. */
  readonly holders: Map<number, true>;
  /** While holders are paid: all of them, and the next one. Derived, never dumped. */
  unpaid: { readonly order: Uint32Array; next: number } | undefined;
};

/** R-settlement: the result, and the account that decided it. */
export type Resolution = {
  /** Payout of a YES share, in price units. */
  readonly fraction: number;
  readonly by: 'series' | 'operator';
  readonly resolvedMs: number;
  /** Hash of the deployer's action; absent if the series or the process resolved the market. */
  readonly txHash?: Hash;
  readonly height: number;
};

/** A market after its holders are paid (R-limits-of-state). */
export type SettledMarket = {
  readonly instrumentId: number;
  readonly slug: string;
  readonly eventSlug: string;
  readonly szDecimals: number;
  readonly fraction: number;
};

/**
 * The YES mark of a market in half price units, so that a mid is exact: the mid of a narrow book,
 * otherwise the last trade, otherwise 0.50.
 */
export function markHalves({ book, lastTrade, unit }: OutcomeMarket): number {
  const bid = book.bestPrice(true);
  const ask = book.bestPrice(false);
  if (bid > 0 && ask > 0 && (ask - bid) * 10 <= unit) return bid + ask;
  return lastTrade > 0 ? 2 * lastTrade : unit;
}

/** An event: related markets, and the limit of the sum of their resolutions. */
export type MarketEvent = {
  readonly eventId: number;
  readonly slug: string;
  readonly mutuallyExclusive: boolean;
  readonly startMs: number;
  readonly endMs: number;
  /** In order of listing, settled ones included. */
  readonly instrumentIds: number[];
  /** Number of resolved markets, and the sum of their fractions in 10^-6 (R-event-sets). */
  resolved: number;
  fractionSum: number;
};

/** Holding of an account in one outcome market. */
export type OutcomeHolding = {
  readonly market: OutcomeMarket;
  readonly yes: LegHolding;
  readonly no: LegHolding;
  /** The account's resting orders in the market, both legs, oldest first. */
  readonly orders: OwnList;
};

/** The shares of one leg. */
export type LegHolding = {
  /** Lots, never negative. */
  size: number;
  /** Cost of the shares, for the average price. */
  cost: MicroUsdc;
  /** Lots in queued and resting sells (R-reserve). */
  reserved: number;
  /** Since the leg was last empty. */
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

/** Buying YES and selling YES are `b !== r`; a bid that sells and an ask that buys are about NO. */
export function outcomeLegOf(order: {
  readonly isBuy: boolean;
  readonly reduceOnly: boolean;
}): OutcomeLeg {
  return order.isBuy === order.reduceOnly ? 'no' : 'yes';
}

/** A leg's own price from the book's YES price, and back. */
export function legPrice(leg: OutcomeLeg, price: number, unit: number): number {
  return leg === 'yes' ? price : unit - price;
}
