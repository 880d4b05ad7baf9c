import type {
  AccountStateUpdate,
  Candle,
  ClearinghouseState,
  Fill,
  L2Book,
  OrderUpdate,
  Ticker,
  TickersUpdate,
  Trade,
  UpdatedOutcomeOrder,
  UserFillsUpdate,
} from '@oddlot/sdk';
import { type Channel, unseen } from './streams.ts';

/** The name of the reader that receives the values of all instruments. */
export const ALL = '*';

/** The ticker channel for some instruments, or for all perps. */
export function tickersChannel(ids: readonly string[] | undefined): Channel<Ticker> {
  const scope = ids === undefined ? { accountType: 'perp' } : { instrumentIds: ids.map(Number) };
  return {
    path: 'api-ws',
    subscription: { type: 'tickers', ...scope },
    kind: 'fact',
    read: ({ data }) => (data as TickersUpdate).tickers,
  };
}

export function bookChannel(coin: string): Channel<L2Book> {
  return {
    path: 'ws',
    subscription: { type: 'l2Book', coin },
    kind: 'state',
    read: ({ data }) => [data as L2Book],
  };
}

/** The channel for new trades. After a lost connection, a snapshot can repeat earlier trades. */
export function tradesChannel(coin: string): Channel<Trade> {
  const fresh = unseen(({ tid }: Trade) => tid);
  return {
    path: 'ws',
    subscription: { type: 'trades', coin },
    kind: 'fact',
    read: ({ data }) => fresh(data as Trade[]),
  };
}

/** The maximum number of recent trades that the venue keeps for a query. */
const RECENT_TRADES = 200;

/** The channel whose first frame holds the newest trades, newest first. */
export function recentTradesChannel(coin: string): Channel<Trade> {
  return {
    path: 'api-ws',
    subscription: { type: 'recentTrades', coin, limit: RECENT_TRADES },
    kind: 'fact',
    read: ({ data }) => (data as { readonly trades: readonly Trade[] }).trades,
  };
}

export function candlesChannel(coin: string, interval: string): Channel<Candle> {
  return {
    path: 'api-ws',
    subscription: { type: 'candle', coin, interval },
    kind: 'fact',
    read: ({ data }) => [data as Candle],
  };
}

/** The channel for an account's orders, either on perps or on outcome markets. */
export function ordersChannel<Order extends UpdatedOutcomeOrder | OrderUpdate['order']>(
  type: 'orderUpdates' | 'outcomeOrderUpdates',
  user: string,
): Channel<OrderUpdate<Order>> {
  return {
    path: 'ws',
    subscription: { type, user },
    kind: 'fact',
    read: ({ data }) => data as OrderUpdate<Order>[],
  };
}

/** The channel for new fills. The rows in the first snapshot are earlier fills. */
export function fillsChannel(user: string, accountType: readonly string[]): Channel<Fill> {
  const fresh = unseen(({ oid, tid }: Fill) => `${tid}-${oid}`);
  return {
    path: 'api-ws',
    subscription: { type: 'userFills', user, accountType },
    kind: 'fact',
    read: ({ data }, isFirst) => {
      const { fills, isSnapshot } = data as UserFillsUpdate;
      const rows = fresh(isSnapshot === true ? [...fills].reverse() : fills);
      return isFirst && isSnapshot === true ? [] : rows;
    },
  };
}

export function stateChannel(
  user: string,
  accountType: 'perp' | 'outcome',
): Channel<ClearinghouseState> {
  return {
    path: 'ws',
    subscription: { type: 'clearinghouseState', user, accountType },
    kind: 'state',
    read: ({ data }) => [(data as AccountStateUpdate).clearinghouseState],
  };
}
