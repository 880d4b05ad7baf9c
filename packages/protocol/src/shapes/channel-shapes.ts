// Made by npm run write-shapes.
import type { Shape } from './shape.ts';

/** Channels of /ws, by their names. */
export const WS_SHAPES: Readonly<Record<string, Shape>> = {
  l2Book: { coin: 'id', 'tick?': 'any' },
  l2Diff: { coin: 'id' },
  trades: { coin: 'id' },
  activeAssetCtx: { coin: 'id' },
  orderUpdates: { user: 'address' },
  clearinghouseState: {
    user: 'address',
    'accountType?': ['enum', ['perp', 'outcome'], ['perps']],
    'exchangeId?*': ['integer', -2147483648, 2147483647],
    'exchange_id?*': ['integer', -2147483648, 2147483647],
  },
  userFundings: { user: 'address' },
  outcomeBbos: {
    instrumentIds: ['list', ['integer', 0, 4294967295], 1, 50, 'instrumentIds'],
    'exchangeId?*': ['is', 1],
    'exchange_id?*': ['is', 1],
  },
  outcomeTrades: { instrumentIds: ['list', ['integer', 0, 4294967295], 1, 50, 'instrumentIds'] },
  outcomeOrderUpdates: { user: 'address' },
  explorerBlock: 'object',
  explorerTxs: 'object',
};

/** Channels of /api-ws, by their names. */
export const API_WS_SHAPES: Readonly<Record<string, Shape>> = {
  outcomeOrderUpdate: { user: 'address', 'includeSuccess?': 'boolean' },
  candle: {
    coin: 'id',
    interval: [
      'enum',
      ['1m', '3m', '5m', '15m', '30m', '1h', '2h', '4h', '8h', '12h', '1d', '3d', '1w', '1M'],
    ],
    'price?': ['enum', ['trade', 'mark', 'oracle']],
  },
  tickers: {
    'accountType?': ['enum', ['perp', 'outcome'], ['perps']],
    'instrumentIds?': ['list', ['integer', 0, 4294967295], 1, 50, 'instrumentIds'],
  },
  recentTrades: { coin: 'id', 'limit?': ['integer'] },
  userFills: { user: 'address', 'accountType?': 'any' },
  userHistoricalOrders: { user: 'address', 'accountType?': 'any' },
  userNonFundingLedgerUpdates: { user: 'address', 'accountTypes?': 'any' },
};

/** The values of parameters that are left out, by channel. */
export const CHANNEL_DEFAULTS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  clearinghouseState: { accountType: 'perp' },
  outcomeOrderUpdate: { includeSuccess: false },
  candle: { price: 'trade' },
  recentTrades: { limit: 50 },
  userFills: { accountType: ['perp'] },
  userHistoricalOrders: { accountType: ['perp'] },
  userNonFundingLedgerUpdates: { accountTypes: ['outcome', 'perp'] },
};
