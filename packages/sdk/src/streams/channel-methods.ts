// Made by npm run write-shapes.
import type { ChannelMethod } from './subscription.ts';

/** The channels of /ws and /api-ws, as methods. */
export type ChannelMethods = {
  /**
   * Subscribes to the book of an instrument. Each event has the whole book, at most every 100 ms.
   */
  readonly l2Book: ChannelMethod<'l2Book'>;
  /**
   * Subscribes to a book: first all levels, and then the levels changed by each block. `LocalBook`
   * applies the events.
   */
  readonly l2Diff: ChannelMethod<'l2Diff'>;
  /**
   * Subscribes to an instrument's trades; the trades in one block are one event. After a reset, the
   * last 50 trades are sent, some of which you may already have received; compare their `tid`.
   */
  readonly trades: ChannelMethod<'trades'>;
  /** Subscribes to an instrument's mark price, oracle price, volume and open interest. */
  readonly activeAssetCtx: ChannelMethod<'activeAssetCtx'>;
  /**
   * Subscribes to changes to an account's perp orders. After a reset, all live orders are sent; any
   * order that is missing has ended in the meantime.
   */
  readonly orderUpdates: ChannelMethod<'orderUpdates'>;
  /**
   * Subscribes to a sub-account's positions and margin, sent after each block that changes them.
   */
  readonly clearinghouseState: ChannelMethod<'clearinghouseState'>;
  /**
   * Subscribes to the funding payments of an account's positions: first the last 200 rows, and then
   * new ones.
   */
  readonly userFundings: ChannelMethod<'userFundings'>;
  /**
   * Subscribes to the best bid and ask of up to 50 outcome markets, in prices of YES: first all of
   * them, and then those that change.
   */
  readonly outcomeBbos: ChannelMethod<'outcomeBbos'>;
  /**
   * Subscribes to the trades of up to 50 outcome markets; the trades in one block are one event.
   * After a reset, the last 50 trades are sent, some of which you may already have received;
   * compare their `tid`.
   */
  readonly outcomeTrades: ChannelMethod<'outcomeTrades'>;
  /**
   * Subscribes to changes to an account's outcome orders once they have reached the book. After a
   * reset, all live orders are sent; any order that is missing has ended in the meantime.
   */
  readonly outcomeOrderUpdates: ChannelMethod<'outcomeOrderUpdates'>;
  /** Subscribes to new blocks. */
  readonly explorerBlock: ChannelMethod<'explorerBlock'>;
  /** Subscribes to the signed requests that each block executes. */
  readonly explorerTxs: ChannelMethod<'explorerTxs'>;
  /**
   * Subscribes to the results of acknowledged outcome orders when they leave the delay queue. There
   * is one event per order, identified by `traceId` and `i`. After a reset, no event is repeated;
   * `exchange.waitForAction` returns the receipt.
   */
  readonly outcomeOrderUpdate: ChannelMethod<'outcomeOrderUpdate'>;
  /**
   * Subscribes to the current candle of an instrument. When the interval ends, its final values are
   * sent, followed by the next candle.
   */
  readonly candle: ChannelMethod<'candle'>;
  /** Subscribes to summaries of instruments: first all of them, and then those that change. */
  readonly tickers: ChannelMethod<'tickers'>;
  /** Subscribes to an instrument's trades: first the most recent trades, and then new ones. */
  readonly recentTrades: ChannelMethod<'recentTrades'>;
  /** Subscribes to an account's fills: first the newest 200, and then those in each block. */
  readonly userFills: ChannelMethod<'userFills'>;
  /**
   * Subscribes to an account's orders: first the 200 that changed last, and then those changed by
   * each block.
   */
  readonly userHistoricalOrders: ChannelMethod<'userHistoricalOrders'>;
  /**
   * Subscribes to an account's ledger, including settlements: first the newest 200 rows, and then
   * new ones.
   */
  readonly userNonFundingLedgerUpdates: ChannelMethod<'userNonFundingLedgerUpdates'>;
};
