import type { Address, Hash, InstrumentId, MicroUsdc, TimeMs } from '@oddlot/units';
import type {
  EventListing,
  MarketListing,
  MarketPhase,
  OutcomeLeg,
  PriceSource,
  SeriesListing,
  TwapInputs,
} from './commands/outcome.ts';
import type { EntryResult } from './order-result.ts';

/** What happened on outcome markets. */
export type OutcomeEngineEvent =
  | OutcomeEventListed
  | OutcomeMarketListed
  | OutcomeSeriesListed
  | MarketPhaseChanged
  | ReferencePriceTaken
  | OutcomeOrderQueued
  | OutcomeOrderReleased
  | OutcomeTraded
  | SharesOperated
  | SeriesStruck
  | MarketResolved
  | SharesSettled
  | MarketSettled;

/** An event was listed or its texts changed: everything a catalogue shows of it. */
type OutcomeEventListed = {
  readonly type: 'outcomeEventListed';
  readonly commandIndex: number;
  readonly eventId: number;
  readonly event: EventListing;
  /** Of an event that a series listed. */
  readonly seriesSlug: string | undefined;
};

type OutcomeMarketListed = {
  readonly type: 'outcomeMarketListed';
  readonly commandIndex: number;
  readonly instrumentId: InstrumentId;
  readonly market: MarketListing;
  readonly phase: MarketPhase;
  readonly seriesSlug: string | undefined;
};

type OutcomeSeriesListed = {
  readonly type: 'outcomeSeriesListed';
  readonly commandIndex: number;
  readonly series: SeriesListing;
};

type MarketPhaseChanged = {
  readonly type: 'marketPhaseChanged';
  readonly commandIndex: number;
  readonly instrumentId: InstrumentId;
  readonly from: MarketPhase;
  readonly to: MarketPhase;
};

type ReferencePriceTaken = {
  readonly type: 'referencePriceTaken';
  readonly commandIndex: number;
  readonly symbol: string;
  readonly source: PriceSource;
  readonly priceE8: number;
  readonly observedMs: TimeMs;
};

/** R-delay: an order waits, with its funds reserved. Only its owner may be told what it says. */
type OutcomeOrderQueued = {
  readonly type: 'outcomeOrderQueued';
  readonly commandIndex: number;
  readonly account: Address;
  readonly instrumentId: InstrumentId;
  readonly txHash: Hash;
  readonly index: number;
  readonly clientOrderId: string | undefined;
  readonly dueMs: TimeMs;
};

/**
 * An order left the queue, at once or after its delay. `entry` says how it went: refused before the
 * book (no order id), or what it was right after it reached it.
 */
export type OutcomeOrderReleased = {
  readonly type: 'outcomeOrderReleased';
  readonly commandIndex: number;
  readonly account: Address;
  readonly instrumentId: InstrumentId;
  readonly txHash: Hash;
  readonly index: number;
  readonly clientOrderId: string | undefined;
  readonly entry: EntryResult;
  /** True when it had waited. */
  readonly wasQueued: boolean;
};

/** R-mint-burn: shares changed hands, came into being or ceased. */
export type OutcomeTraded = {
  readonly type: 'outcomeTraded';
  readonly commandIndex: number;
  readonly tradeId: number;
  readonly instrumentId: InstrumentId;
  readonly kind: 'transfer' | 'mint' | 'burn';
  /** The resting order's price in YES terms. */
  readonly price: number;
  readonly size: number;
  /** True when the aggressor stood on the bid side of the book. */
  readonly takerIsBuy: boolean;
  readonly taker: OutcomeTradeSide;
  readonly maker: OutcomeTradeSide;
  /** The action that made the taker trade; of a queued order it is older than the block. */
  readonly txHash: Hash;
};

export type OutcomeTradeSide = {
  readonly account: Address;
  readonly orderId: number;
  readonly clientOrderId: string | undefined;
  readonly leg: OutcomeLeg;
  readonly isSell: boolean;
  /** The leg's own price. */
  readonly price: number;
  /** Lots of the leg before the trade. */
  readonly startSize: number;
  readonly fee: MicroUsdc;
  /** Of a sell: proceeds less what the shares had cost, before the fee. */
  readonly realised: MicroUsdc;
  /** Of a sell: what the shares had cost. */
  readonly closedCost?: MicroUsdc;
  readonly builderFee?: {
    readonly builder: Address;
    readonly feeTenthsBp: number;
    readonly amount: MicroUsdc;
  };
};

/** R-split-merge. */
export type SharesOperated = {
  readonly type: 'sharesOperated';
  readonly commandIndex: number;
  readonly account: Address;
  readonly instrumentId: InstrumentId;
  readonly kind: 'split' | 'merge';
  readonly size: number;
  readonly amount: MicroUsdc;
  /** Lots of each leg before it. */
  readonly startSizes: readonly [yes: number, no: number];
  /** Realised on each leg by a merge. */
  readonly realised: readonly [yes: MicroUsdc, no: MicroUsdc];
};

/** R-series: the strike of a market is known. */
type SeriesStruck = {
  readonly type: 'seriesStruck';
  readonly commandIndex: number;
  readonly instrumentId: InstrumentId;
  /** Rounded half up, for showing. */
  readonly strikeE8: number;
};

/** R-settlement: the result, with all that it was made of. */
export type MarketResolved = {
  readonly type: 'marketResolved';
  readonly commandIndex: number;
  readonly instrumentId: InstrumentId;
  /** Price units. */
  readonly fraction: number;
  readonly by: 'series' | 'operator';
  readonly oracleOutcome: string | null;
  readonly evidence: string | null;
  readonly inputs: ResolutionInputs | null;
};

/** What a series resolved from: anyone can compute the result again. */
type ResolutionInputs = {
  readonly symbol: string;
  readonly source: PriceSource;
  readonly windowMs: number;
  readonly strike: TwapInputs;
  readonly settle: TwapInputs;
};

/** One holder was paid. */
export type SharesSettled = {
  readonly type: 'sharesSettled';
  readonly commandIndex: number;
  readonly account: Address;
  readonly instrumentId: InstrumentId;
  readonly leg: OutcomeLeg;
  readonly size: number;
  readonly amount: MicroUsdc;
  readonly cost: MicroUsdc;
  readonly fraction: number;
  /** The action that resolved the market, which may be of an earlier block. */
  readonly txHash?: Hash;
};

/** Every holder of a market is paid. */
type MarketSettled = {
  readonly type: 'marketSettled';
  readonly commandIndex: number;
  readonly instrumentId: InstrumentId;
};
