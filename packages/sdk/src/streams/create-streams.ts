import { SocketError } from '../errors.ts';
import type { SocketStatus } from '../transport/kept-socket.ts';
import type { PriceFeed } from '../transport/price-feed.ts';
import type { SocketTransport } from '../transport/websocket.ts';
import { activeAssetCtx } from './active-asset-ctx.ts';
import { candle } from './candle.ts';
import { clearinghouseState } from './clearinghouse-state.ts';
import { explorerBlock } from './explorer-block.ts';
import { explorerTxs } from './explorer-txs.ts';
import { l2Book } from './l2-book.ts';
import { orderUpdates } from './order-updates.ts';
import { outcomeBbos } from './outcome-bbos.ts';
import { outcomeOrderUpdate } from './outcome-order-update.ts';
import { outcomeOrderUpdates } from './outcome-order-updates.ts';
import { outcomeTrades } from './outcome-trades.ts';
import { recentTrades } from './recent-trades.ts';
import { referencePrices } from './reference-prices.ts';
import type { StreamContext, StreamSource } from './subscription.ts';
import { tickers } from './tickers.ts';
import { trades } from './trades.ts';
import { userFills } from './user-fills.ts';
import { userFundings } from './user-fundings.ts';
import { userHistoricalOrders } from './user-historical-orders.ts';
import { userNonFundingLedgerUpdates } from './user-non-funding-ledger-updates.ts';

/** A path of the venue that is a socket. */
export type StreamPath = 'ws' | 'api-ws' | 'ws-rtds';

/** The connections of a venue: one for each path, opened when it is needed. */
export type StreamSockets = {
  /** /ws. */
  readonly socket: SocketTransport;
  /** /api-ws. */
  readonly apiSocket: SocketTransport;
  /** /ws-rtds. */
  readonly prices: PriceFeed;
};

/** The channels of the venue's sockets, bound to a venue. */
export type StreamsClient = ReturnType<typeof createStreams>;

/** Binds the channels to a venue. Those of one path share its connection. */
export function createStreams({ socket, apiSocket, prices }: StreamSockets) {
  const ws = bindTo(socket);
  const apiWs = bindTo(apiSocket);
  const sockets = [socket, apiSocket, prices];
  return {
    l2Book: ws(l2Book),
    trades: ws(trades),
    orderUpdates: ws(orderUpdates),
    clearinghouseState: ws(clearinghouseState),
    activeAssetCtx: ws(activeAssetCtx),
    userFundings: ws(userFundings),
    outcomeBbos: ws(outcomeBbos),
    outcomeTrades: ws(outcomeTrades),
    outcomeOrderUpdates: ws(outcomeOrderUpdates),
    explorerBlock: ws(explorerBlock),
    explorerTxs: ws(explorerTxs),
    outcomeOrderUpdate: apiWs(outcomeOrderUpdate),
    candle: apiWs(candle),
    tickers: apiWs(tickers),
    recentTrades: apiWs(recentTrades),
    userFills: apiWs(userFills),
    userHistoricalOrders: apiWs(userHistoricalOrders),
    userNonFundingLedgerUpdates: apiWs(userNonFundingLedgerUpdates),
    referencePrices: bindTo(prices)(referencePrices),
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

function bindTo(socket: StreamSource) {
  return <Rest extends unknown[], Answer>(
    open: (context: StreamContext, ...rest: Rest) => Answer,
  ) =>
    (...rest: Rest): Answer =>
      open({ socket }, ...rest);
}
