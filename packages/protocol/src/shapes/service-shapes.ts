// Made by npm run write-shapes.
import type { Shape } from './shape.ts';

/** Requests of the other endpoints, by their names. */
export const SERVICE_SHAPES: Readonly<Record<string, Shape>> = {
  accountStatus: { type: ['is', 'accountStatus'], user: 'address', 'channel?': ['integer'] },
  requestFund: {
    user: 'address',
    'accountType?': ['enum', ['perp', 'outcome'], ['perps']],
    'onChain?': 'boolean',
  },
  depositAddress: {
    srcChain: 'text',
    dstChain: 'text',
    asset: ['enum', ['USDC']],
    dstAddr: 'address',
    'accountType?': ['enum', ['perp', 'outcome'], ['perps']],
  },
  pegAddress: { srcChain: 'text', dstChain: 'text', asset: ['enum', ['USDC']], dstAddr: 'text' },
  transfers: {
    user: 'address',
    'page?': ['integer', -2147483648, 2147483647],
    'pageSize?': ['integer'],
  },
  registerPegs: { addresses: ['list', 'address', 1, 100, 'addresses'], signature: 'text' },
  relayFund: { chain: 'text', user: 'address' },
};

/** Parameters of the exports, by their names. */
export const EXPORT_SHAPES: Readonly<Record<string, Shape>> = {
  fills: {
    user: 'address',
    'from?': 'text',
    'to?': 'text',
    'format?': ['enum', ['csv', 'ndjson']],
    'accountType?': 'any',
  },
  orders: {
    user: 'address',
    'from?': 'text',
    'to?': 'text',
    'format?': ['enum', ['csv', 'ndjson']],
    'accountType?': 'any',
  },
  fundings: {
    user: 'address',
    'from?': 'text',
    'to?': 'text',
    'format?': ['enum', ['csv', 'ndjson']],
    'accountType?': 'any',
  },
  ledger: {
    user: 'address',
    'from?': 'text',
    'to?': 'text',
    'format?': ['enum', ['csv', 'ndjson']],
    'accountType?': 'any',
  },
  candles: {
    coin: 'id',
    interval: [
      'enum',
      ['1m', '3m', '5m', '15m', '30m', '1h', '2h', '4h', '8h', '12h', '1d', '3d', '1w', '1M'],
    ],
    'from?': 'text',
    'to?': 'text',
    'format?': ['enum', ['csv', 'ndjson']],
  },
};
