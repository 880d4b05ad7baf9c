import type { PriceFeed } from '../transport/price-feed.ts';
import type { SocketTransport } from '../transport/websocket.ts';
import { activeAssetCtx } from './active-asset-ctx.ts';
import { candle } from './candle.ts';
import { clearinghouseState } from './clearinghouse-state.ts';
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
import { userFundings } from './user-fundings.ts';
import { userNonFundingLedgerUpdates } from './user-non-funding-ledger-updates.ts';

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
    outcomeOrderUpdate: apiWs(outcomeOrderUpdate),
    candle: apiWs(candle),
    tickers: apiWs(tickers),
    recentTrades: apiWs(recentTrades),
    userNonFundingLedgerUpdates: apiWs(userNonFundingLedgerUpdates),
    referencePrices: bindTo(prices)(referencePrices),
    /** Whether there is a connection to /ws. */
    get status() {
      return socket.status;
    },
    /** Ends all subscriptions and the connections. */
    close: () => {
      for (const each of [socket, apiSocket, prices]) each.close();
    },
  };
}

function bindTo(socket: StreamSource) {
  return <Rest extends unknown[], Answer>(
    open: (context: StreamContext, ...rest: Rest) => Answer,
  ) =>
    (...rest: Rest): Answer =>
      open({ socket }, ...rest);
}
