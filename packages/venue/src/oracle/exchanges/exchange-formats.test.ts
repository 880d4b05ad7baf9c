import { describe, expect, test } from 'vitest';
import { binance, coinbase, type ExchangeFormat, kraken } from './exchange-formats.ts';

const btc = { symbol: 'BTC', bidE8: 9_700_010_000_000, askE8: 9_700_020_000_000 };

const bookTicker = {
  u: 400_900_217,
  s: 'BTCUSDT',
  b: '97000.10000000',
  B: '3.1',
  a: '97000.20000000',
  A: '4',
};
const combined = { stream: 'btcusdt@bookTicker', data: bookTicker };
const ticker = {
  type: 'ticker',
  sequence: 37_475_248_783,
  product_id: 'BTC-USD',
  price: '97000.15',
  best_bid: '97000.10',
  best_ask: '97000.20',
  time: '2026-10-14T20:19:27.028459Z',
};
const row = {
  symbol: 'BTC/USD',
  bid: 97_000.1,
  bid_qty: 1.2,
  ask: 97_000.2,
  ask_qty: 3,
  last: 97_000.2,
};
const update = { channel: 'ticker', type: 'update', data: [row] };

describe.each<[string, ExchangeFormat, object, readonly object[], readonly object[]]>([
  [
    'binance',
    binance,
    combined,
    [],
    [
      bookTicker,
      { ...combined, data: null },
      { ...combined, data: { ...bookTicker, s: 'BTCEUR' } },
      { ...combined, data: { ...bookTicker, b: '-1' } },
      { ...combined, data: { ...bookTicker, b: 'NaN' } },
    ],
  ],
  [
    'coinbase',
    coinbase,
    ticker,
    [
      { type: 'heartbeat', product_id: 'BTC-USD' },
      { type: 'subscriptions', channels: [] },
      { type: 'error', message: 'Failed to subscribe' },
    ],
    [
      {},
      { ...ticker, product_id: 7 },
      { ...ticker, best_ask: null },
      { ...ticker, best_bid: '97000.30' },
      { ...ticker, best_bid: '90000' },
    ],
  ],
  [
    'kraken',
    kraken,
    update,
    [
      { channel: 'heartbeat' },
      { channel: 'status', data: [{}] },
      { method: 'subscribe', success: true },
    ],
    [
      {},
      { ...update, data: {} },
      { ...update, data: [row, null] },
      { ...update, data: [{ ...row, ask: 0 }] },
      { ...update, data: [{ ...row, symbol: 'BTC/EUR' }] },
    ],
  ],
])('%s', (_, format, frame, silent, senseless) => {
  test('the best bid and ask are read from a quote frame', () => {
    expect(format.read({ ...frame })).toEqual([btc]);
  });

  test('status frames do not include prices', () => {
    for (const each of silent) expect(format.read({ ...each })).toEqual([]);
  });

  test('invalid frames and frames with a crossed or wide book are rejected', () => {
    for (const each of senseless)
      expect(format.read({ ...each }), JSON.stringify(each)).toBeUndefined();
  });
});

test('each exchange is queried with its own symbol names', () => {
  expect(binance.address('ws://x', ['BTC', 'DOGE'])).toBe(
    'ws://x/stream?streams=btcusdt@bookTicker/dogeusdt@bookTicker',
  );
  expect(coinbase.greetings(['BTC', 'DOGE']).map((text) => JSON.parse(text).product_ids)).toEqual([
    ['BTC-USD'],
    ['DOGE-USD'],
  ]);
  expect(kraken.greetings(['BTC']).map((text) => JSON.parse(text).params)).toEqual([
    { channel: 'ticker', symbol: ['BTC/USD'], event_trigger: 'bbo' },
  ]);
});
