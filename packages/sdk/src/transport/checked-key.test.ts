import { parseSubscription, type StreamEndpoint, type SubscriptionFields } from '@oddlot/protocol';
import { expect, test } from 'vitest';
import { SocketError } from '../errors.ts';
import { checkedKey } from './checked-key.ts';

const USER = `0x${'ab'.repeat(20)}`;
const LOUD = `0x${'AB'.repeat(20)}`;

/**
 * Each row lists several spellings of one subscription; different rows are different subscriptions.
 */
const MEANINGS: readonly (readonly [StreamEndpoint, ...Record<string, unknown>[]])[] = [
  ['ws', { type: 'l2Book', coin: '7' }, { type: 'l2Book', coin: '007', tick: '' }],
  ['ws', { type: 'l2Book', coin: '7', tick: '1' }, { tick: '1.0', coin: '7', type: 'l2Book' }],
  ['ws', { type: 'l2Book', coin: '7', tick: '0.10' }, { type: 'l2Book', coin: '7', tick: '0.1' }],
  ['ws', { type: 'l2Diff', coin: '7' }],
  ['ws', { type: 'orderUpdates', user: USER }, { type: 'orderUpdates', user: LOUD }],
  [
    'ws',
    { type: 'clearinghouseState', user: USER },
    { type: 'clearinghouseState', user: LOUD, accountType: 'perps', exchangeId: 0 },
  ],
  ['ws', { type: 'clearinghouseState', user: USER, accountType: 'OUTCOME' }],
  [
    'ws',
    { type: 'outcomeBbos', instrumentIds: [30, 4, 4] },
    { type: 'outcomeBbos', instrumentIds: [4, 30], exchange_id: 1 },
  ],
  ['ws', { type: 'outcomeTrades', instrumentIds: [4, 30] }],
  [
    'api-ws',
    { type: 'outcomeOrderUpdate', user: USER },
    { type: 'outcomeOrderUpdate', user: USER, includeSuccess: false },
  ],
  ['api-ws', { type: 'outcomeOrderUpdate', user: USER, includeSuccess: true }],
  ['api-ws', { type: 'candle', coin: '7', interval: '1m' }],
  ['api-ws', { type: 'candle', coin: '7', interval: '1M' }],
  ['api-ws', { type: 'recentTrades', coin: '7' }, { type: 'recentTrades', coin: '7', limit: 50 }],
  [
    'api-ws',
    { type: 'recentTrades', coin: '7', limit: 200 },
    { type: 'recentTrades', coin: '7', limit: 900 },
  ],
  [
    'api-ws',
    { type: 'userFills', user: USER },
    { type: 'userFills', user: USER, accountType: 'perps' },
    { type: 'userFills', user: USER, accountType: ['Perp'] },
  ],
  [
    'api-ws',
    { type: 'userNonFundingLedgerUpdates', user: USER },
    { type: 'userNonFundingLedgerUpdates', user: USER, accountTypes: ['perp', 'outcome'] },
  ],
];

test('two subscriptions have the same key only if the venue treats them as equal', () => {
  const keys = MEANINGS.map(([endpoint, ...spellings]) => {
    const subscriptions = spellings.map((each) => parseSubscription(endpoint, each));
    const keySet = new Set(
      subscriptions.map((each) => (each.ok ? each.subscription.key : each.error)),
    );
    expect([...keySet]).toHaveLength(1);
    return new Set(spellings.map((each) => checkedKey(endpoint)(each as SubscriptionFields)));
  });
  expect(keys.filter(({ size }) => size !== 1)).toEqual([]);
  expect(new Set(keys.flatMap((set) => [...set])).size).toBe(MEANINGS.length);
});

test.each<[StreamEndpoint, Record<string, unknown>, string]>([
  ['ws', { type: 'l2Book' }, 'Missing field: coin'],
  ['ws', { type: 'orderUpdates', user: '0x1' }, 'Wrong type for user'],
  ['ws', { type: 'candle', coin: '7', interval: '1m' }, 'Unknown channel: candle'],
])(
  'on %s, the subscription %j fails with the error of the venue',
  (endpoint, subscription, message) => {
    const fault = checkedKey(endpoint)(subscription as SubscriptionFields) as SocketError;
    const parsed = parseSubscription(endpoint, subscription);
    expect(fault).toBeInstanceOf(SocketError);
    expect(fault.message).toBe(message);
    expect(parsed).toMatchObject({ ok: false, error: { message, code: fault.code } });
  },
);
