// Made by npm run write-shapes.
import type { ChannelMethod } from './subscription.ts';

/** The channels of /ws and /api-ws, as methods. */
export type ChannelMethods = {
  /** The book of an instrument: each event contains all of it, at most every 100 ms. */
  readonly l2Book: ChannelMethod<'l2Book'>;
  /** All levels of a book, then the levels that each block has changed. `LocalBook` applies them. */
  readonly l2Diff: ChannelMethod<'l2Diff'>;
  /**
   * The trades of an instrument, those of one block together. After a reset, the last 50 follow, some of which you may
   * have received already: identify them by `tid`.
   */
  readonly trades: ChannelMethod<'trades'>;
  /** Mark price, oracle price, volume and open interest of an instrument. */
  readonly activeAssetCtx: ChannelMethod<'activeAssetCtx'>;
  /**
   * Changes of an account's perp orders. After a reset, all live orders follow; an order that is missing has ended in
   * the meantime.
   */
  readonly orderUpdates: ChannelMethod<'orderUpdates'>;
  /** Positions and margin of a sub-account, after each block that changed them. */
  readonly clearinghouseState: ChannelMethod<'clearinghouseState'>;
  /** Funding that an account's positions paid and received: the last 200 rows, then the new ones. */
  readonly userFundings: ChannelMethod<'userFundings'>;
  /** Best bid and ask of up to 50 outcome markets, in YES prices: all of them, then those that changed. */
  readonly outcomeBbos: ChannelMethod<'outcomeBbos'>;
  /**
   * The trades of up to 50 outcome markets, those of one block together. After a reset, the last 50 follow, some of
   * which you may have received already: identify them by `tid`.
   */
  readonly outcomeTrades: ChannelMethod<'outcomeTrades'>;
  /**
   * Changes of an account's outcome orders after they have reached the book. After a reset, all live orders follow; an
   * order that is missing has ended in the meantime.
   */
  readonly outcomeOrderUpdates: ChannelMethod<'outcomeOrderUpdates'>;
  /** Each block when it is made. */
  readonly explorerBlock: ChannelMethod<'explorerBlock'>;
  /** Each executed signed request, block by block. */
  readonly explorerTxs: ChannelMethod<'explorerTxs'>;
  /**
   * How acknowledged outcome orders left the delay queue: one event per order, identified by `traceId` and `i`. After a
   * reset nothing is repeated; `exchange.waitForAction` returns the receipt.
   */
  readonly outcomeOrderUpdate: ChannelMethod<'outcomeOrderUpdate'>;
  /** The current candle of an instrument; at the end of its interval its final values, then the next candle. */
  readonly candle: ChannelMethod<'candle'>;
  /** Summaries of instruments: all of them, then those that changed. */
  readonly tickers: ChannelMethod<'tickers'>;
  /** The trades of an instrument: the last ones, then the new ones. */
  readonly recentTrades: ChannelMethod<'recentTrades'>;
  /** An account's fills: the newest 200, then those of each block. */
  readonly userFills: ChannelMethod<'userFills'>;
  /** An account's orders: the 200 that changed last, then those that each block changed. */
  readonly userHistoricalOrders: ChannelMethod<'userHistoricalOrders'>;
  /** An account's ledger with its settlements: the newest 200 rows, then the new ones. */
  readonly userNonFundingLedgerUpdates: ChannelMethod<'userNonFundingLedgerUpdates'>;
};
