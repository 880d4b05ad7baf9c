import type {
  Candle,
  ChannelName,
  ExplorerBlock,
  ExplorerTx,
  L2Book,
  L2Diff,
  OrderUpdate,
  OutcomeBbosUpdate,
  OutcomeOrderRelease,
  OutcomeTradesUpdate,
  RecentTradesUpdate,
  RtdsTopic,
  TickersUpdate,
  Trade,
  UpdatedOutcomeOrder,
  UserFillsUpdate,
  UserFundingsUpdate,
  UserHistoricalOrdersUpdate,
  UserLedgerUpdate,
} from '@oddlot/protocol';
import { SocketError } from '../errors.ts';
import type { SocketStatus } from '../transport/kept-socket.ts';
import type { PriceFeed, ReferencePricesUpdate } from '../transport/price-feed.ts';
import type { SocketTransport } from '../transport/socket-transport.ts';
import type {
  AccountStateUpdate,
  ActiveAssetCtxChannel,
  AssetContext,
  CandleChannel,
  ClearinghouseStateChannel,
  ExplorerBlockChannel,
  ExplorerTxsChannel,
  L2BookChannel,
  L2DiffChannel,
  OrderUpdatesChannel,
  OutcomeBbosChannel,
  OutcomeOrderUpdateChannel,
  OutcomeOrderUpdatesChannel,
  OutcomeTradesChannel,
  RecentTradesChannel,
  TickersChannel,
  TradesChannel,
  UserFillsChannel,
  UserFundingsChannel,
  UserHistoricalOrdersChannel,
  UserNonFundingLedgerUpdatesChannel,
} from './channels.ts';
import {
  type StreamContext,
  type StreamListener,
  type StreamOptions,
  type StreamSource,
  Subscription,
} from './subscription.ts';

/** A path of the venue that is a socket. */
export type StreamPath = 'ws' | 'api-ws' | 'ws-rtds';

/** The connections of a venue: one for each path, opened when it is needed. */
type StreamSockets = {
  /** /ws. */
  readonly socket: SocketTransport;
  /** /api-ws. */
  readonly apiSocket: SocketTransport;
  /** /ws-rtds. */
  readonly prices: PriceFeed;
};

/** The channels of the venue's sockets, bound to a venue. */
export type StreamsClient = ReturnType<typeof createStreams>;

/**
 * Binds the channels to a venue. Those of one path share its connection. A channel that is subscribed to as the venue
 * knows it is a line here: what it takes, and what its events carry.
 */
export function createStreams({ socket, apiSocket, prices }: StreamSockets) {
  const ws = bindTo(socket);
  const apiWs = bindTo(apiSocket);
  const sockets = [socket, apiSocket, prices];
  return {
    /** The book of an instrument: all of it in every event, at most every 100 ms. */
    l2Book: ws<L2BookChannel, L2Book>('l2Book'),
    /** Every level of a book: all of them first, then those that a block has changed. `LocalBook` keeps it. */
    l2Diff: ws<L2DiffChannel, L2Diff>('l2Diff'),
    /**
     * The trades of an instrument, those of one block together. After a reset the last 50 follow, known
     * ones among them: tell them apart by `tid`.
     */
    trades: ws<TradesChannel, Trade[]>('trades'),
    /**
     * What becomes of an account's perp orders. After a reset all live orders follow; one that is not
     * among them has ended meanwhile.
     */
    orderUpdates: ws<OrderUpdatesChannel, OrderUpdate[]>('orderUpdates'),
    /** Positions and margin of a sub-account, after each block that changed them. */
    clearinghouseState: ws<ClearinghouseStateChannel, AccountStateUpdate>('clearinghouseState'),
    /** Mark, oracle, volume and open interest of an instrument. */
    activeAssetCtx: ws<ActiveAssetCtxChannel, AssetContext>('activeAssetCtx'),
    /** Funding that an account's positions paid and collected: the last 200 first, then the new ones. */
    userFundings: ws<UserFundingsChannel, UserFundingsUpdate>('userFundings'),
    /** Best bid and ask of a group of outcome markets, in YES prices: all first, then the changed ones. */
    outcomeBbos: ws<OutcomeBbosChannel, OutcomeBbosUpdate>('outcomeBbos'),
    /**
     * The trades of a group of outcome markets, those of one block together. After a reset the last 50
     * follow, known ones among them: tell them apart by `tid`.
     */
    outcomeTrades: ws<OutcomeTradesChannel, OutcomeTradesUpdate>('outcomeTrades'),
    /**
     * What becomes of an account's orders on outcome markets once they are at the book. After a reset all
     * live orders follow; one that is not among them has ended meanwhile.
     */
    outcomeOrderUpdates: ws<OutcomeOrderUpdatesChannel, OrderUpdate<UpdatedOutcomeOrder>[]>(
      'outcomeOrderUpdates',
    ),
    /** Every block, as it is made. */
    explorerBlock: ws<ExplorerBlockChannel, ExplorerBlock[]>('explorerBlock'),
    /** Every signed request that was executed, block by block. */
    explorerTxs: ws<ExplorerTxsChannel, ExplorerTx[]>('explorerTxs'),
    /**
     * How acknowledged orders on outcome markets left the delay queue, one event per order: told apart by
     * `traceId` and `i`. After a reset nothing is repeated; the receipts know (`exchange.waitForAction`).
     */
    outcomeOrderUpdate: apiWs<OutcomeOrderUpdateChannel, OutcomeOrderRelease>('outcomeOrderUpdate'),
    /** The running candle of an instrument; when its interval ends, as it ended, and then the next one. */
    candle: apiWs<CandleChannel, Candle>('candle'),
    /** Instruments at a glance: all first, then those that changed. */
    tickers: apiWs<TickersChannel, TickersUpdate>('tickers'),
    /** The trades of an instrument: the last ones first, then the new ones. */
    recentTrades: apiWs<RecentTradesChannel, RecentTradesUpdate>('recentTrades'),
    /** An account's fills: the newest 200 first, then those of each block. */
    userFills: apiWs<UserFillsChannel, UserFillsUpdate>('userFills'),
    /** An account's orders: the 200 that changed last first, then those that each block changed. */
    userHistoricalOrders: apiWs<UserHistoricalOrdersChannel, UserHistoricalOrdersUpdate>(
      'userHistoricalOrders',
    ),
    /** An account's ledger, settlements among it: the newest 200 rows first, then the new ones. */
    userNonFundingLedgerUpdates: apiWs<UserNonFundingLedgerUpdatesChannel, UserLedgerUpdate>(
      'userNonFundingLedgerUpdates',
    ),
    /**
     * What the underlyings of outcome markets cost, about once a second. With a symbol its last minute
     * comes first, as a snapshot, and again after a reset.
     */
    referencePrices: (
      parameters: ReferencePricesChannel,
      listener?: StreamListener<ReferencePricesUpdate>,
      options?: StreamOptions,
    ) => referencePrices({ socket: prices }, parameters, listener, options),
    /** All connections in one word: `open` when every one that is needed is open. */
    get status(): SocketStatus {
      return joined(sockets.map((each) => each.status));
    },
    /** Each connection; one that nothing is subscribed on is `idle`. */
    get statuses(): Readonly<Record<StreamPath, SocketStatus>> {
      return { ws: socket.status, 'api-ws': apiSocket.status, 'ws-rtds': prices.status };
    },
    /** How long until the next attempt to connect, in milliseconds; undefined while none is waited for. */
    get nextTryInMs(): number | undefined {
      const waits = sockets.flatMap(({ nextTryInMs }) => nextTryInMs ?? []);
      return waits.length === 0 ? undefined : Math.min(...waits);
    },
    /**
     * After a sleep or a change of the network: an open connection that says nothing within a second is replaced,
     * and a wait for the next attempt ends.
     */
    check: (): void => {
      for (const each of sockets) each.venueIsBack();
    },
    /** Replaces all connections that are needed at once. Each stream goes on where it stopped. */
    reconnect: (): void => {
      if (socket.status === 'closed') throw new SocketError('The client is closed');
      for (const each of sockets) each.reconnect();
    },
    /** Ends all subscriptions and the connections. */
    close: (): void => {
      for (const each of sockets) each.close();
    },
  };
}

/** The worst of the connections that are needed. */
const FROM_WORST: readonly SocketStatus[] = ['closed', 'waiting', 'connecting', 'open', 'idle'];

function joined(statuses: readonly SocketStatus[]): SocketStatus {
  return FROM_WORST.find((status) => statuses.includes(status)) ?? 'idle';
}

/** A channel that is subscribed to as the venue knows it. */
function bindTo(socket: StreamSource) {
  return <Channel extends object, Data>(type: ChannelName) =>
    (
      parameters: Channel,
      listener?: StreamListener<Data>,
      options?: StreamOptions,
    ): Subscription<Data> =>
      new Subscription<Data>({ socket }, { type, ...parameters }, { listener, ...options });
}

/** What `referencePrices` takes. */
export type ReferencePricesChannel = {
  /** Prices of spot markets, of the oracle, or its averages over 30 or 60 seconds. */
  readonly topic: RtdsTopic;
  /** `btcusdt` of spot prices, `btc/usd` of all others; every symbol when it is absent. */
  readonly symbol?: string | undefined;
};

/**
 * What the underlyings of outcome markets cost, about once a second. With a symbol its last minute
 * comes first, as a snapshot, and again after a reset.
 */
export function referencePrices(
  context: StreamContext,
  { topic, symbol }: ReferencePricesChannel,
  listener?: StreamListener<ReferencePricesUpdate>,
  options?: StreamOptions,
): Subscription<ReferencePricesUpdate> {
  return new Subscription(context, { type: topic, symbol }, { listener, ...options });
}
