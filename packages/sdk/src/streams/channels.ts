import type { ClearinghouseState, INTERVALS } from '@oddlot/protocol';

/** What the channels take, and what they give where the protocol has no name for it. */

/** What `l2Book` takes. */
export type L2BookChannel = { readonly coin: string; readonly tick?: string | undefined };

/** What `l2Diff` takes. */
export type L2DiffChannel = { readonly coin: string };

/** What `trades` takes. */
export type TradesChannel = { readonly coin: string };

/** What `orderUpdates` takes. */
export type OrderUpdatesChannel = { readonly user: string };

/** What `clearinghouseState` takes. */
export type ClearinghouseStateChannel = {
  readonly user: string;
  readonly accountType?: 'perp' | 'outcome' | undefined;
};

/** The state of a sub-account. */
export type AccountStateUpdate = {
  user: string;
  accountType: 'perp' | 'outcome';
  clearinghouseState: ClearinghouseState;
};

/** What `activeAssetCtx` takes. */
export type ActiveAssetCtxChannel = { readonly coin: string };

/** What traders watch of an instrument. Prices that are not known yet are empty. */
export type AssetContext = {
  coin: string;
  instrumentId: number;
  ctx: {
    dayNtlVlm: string;
    dayBaseVlm: string;
    prevDayPx: string;
    markPx: string;
    midPx: string | null;
    oraclePx: string;
    openInterest: string;
    /** A fraction per hour. */
    funding: string;
    premium: string | null;
    impactPxs: [string, string] | null;
    nextFundingTime: number;
  };
};

/** What `userFundings` takes. */
export type UserFundingsChannel = { readonly user: string };

/** What `outcomeBbos` takes. */
export type OutcomeBbosChannel = { /** Up to 50. */ readonly instrumentIds: readonly number[] };

/** What `outcomeTrades` takes. */
export type OutcomeTradesChannel = { /** Up to 50. */ readonly instrumentIds: readonly number[] };

/** What `outcomeOrderUpdates` takes. */
export type OutcomeOrderUpdatesChannel = { readonly user: string };

/** What `explorerBlock` takes. */
export type ExplorerBlockChannel = Readonly<Record<never, never>>;

/** What `explorerTxs` takes. */
export type ExplorerTxsChannel = Readonly<Record<never, never>>;

/** What `outcomeOrderUpdate` takes. */
export type OutcomeOrderUpdateChannel = {
  readonly user: string;
  /** Tells of orders that reach the book too, not only of those that fail before. */
  readonly includeSuccess?: boolean | undefined;
};

/** What `candle` takes. */
export type CandleChannel = {
  readonly coin: string;
  readonly interval: (typeof INTERVALS)[number];
};

/** What `tickers` takes. */
export type TickersChannel = {
  readonly accountType?: 'perp' | 'outcome' | undefined;
  /** Up to 50; all that trade when it is absent. */
  readonly instrumentIds?: readonly number[] | undefined;
};

/** What `recentTrades` takes. */
export type RecentTradesChannel = {
  readonly coin: string;
  /** How many to begin with: 50 by default, at most 200. */
  readonly limit?: number | undefined;
};

/** What `userFills` takes. */
export type UserFillsChannel = {
  readonly user: string;
  /** `perp` unless told. */
  readonly accountType?: readonly ('perp' | 'outcome')[] | undefined;
};

/** What `userHistoricalOrders` takes. */
export type UserHistoricalOrdersChannel = {
  readonly user: string;
  /** `perp` unless told. */
  readonly accountType?: readonly ('perp' | 'outcome')[] | undefined;
};

/** What `userNonFundingLedgerUpdates` takes. */
export type UserNonFundingLedgerUpdatesChannel = {
  readonly user: string;
  readonly accountTypes?: readonly ('perp' | 'outcome')[] | undefined;
};
