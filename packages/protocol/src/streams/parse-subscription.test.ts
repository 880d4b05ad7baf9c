import { describe, expect, test } from 'vitest';
import { parseSubscription, type StreamEndpoint } from './channels.ts';

const user = `0x${'AB'.repeat(20)}`;

function keyOf(endpoint: StreamEndpoint, value: unknown): string {
  const parsed = parseSubscription(endpoint, value);
  return parsed.ok ? parsed.subscription.key : `${parsed.error.code} ${parsed.error.message}`;
}

describe('equal subscriptions in different spellings have the same key', () => {
  test.each<[StreamEndpoint, object, object]>([
    [
      'ws',
      { type: 'outcomeBbos', instrumentIds: [3, 1, 2] },
      { instrumentIds: [2, 3, 1, 1], type: 'outcomeBbos' },
    ],
    ['ws', { type: 'orderUpdates', user }, { type: 'orderUpdates', user: user.toLowerCase() }],
    ['ws', { type: 'l2Book', coin: '1', tick: '' }, { type: 'l2Book', coin: '01' }],
    [
      'ws',
      { type: 'clearinghouseState', user },
      { type: 'clearinghouseState', accountType: 'perps', user },
    ],
    [
      'api-ws',
      { type: 'userFills', user, accountType: ['perp', 'outcome'] },
      { type: 'userFills', user, accountType: ['outcome', 'perps'] },
    ],
    [
      'api-ws',
      { type: 'outcomeOrderUpdate', user },
      { type: 'outcomeOrderUpdate', user, includeSuccess: false },
    ],
    ['ws', { type: 'explorerBlock' }, { type: 'explorerBlock', extra: 1 }],
  ])('on %s, %j has the same key as its other spelling', (endpoint, one, other) => {
    expect(keyOf(endpoint, one)).toBe(keyOf(endpoint, other));
    expect(keyOf(endpoint, one)).not.toMatch(/^INVALID|^UNKNOWN/);
  });
});

test('different subscriptions have different keys', () => {
  const success = keyOf('api-ws', { type: 'outcomeOrderUpdate', user, includeSuccess: true });
  expect(success).not.toBe(keyOf('api-ws', { type: 'outcomeOrderUpdate', user }));
  expect(keyOf('ws', { type: 'l2Book', coin: '1', tick: '10' })).not.toBe(
    keyOf('ws', { type: 'l2Book', coin: '1' }),
  );
  expect(keyOf('ws', { type: 'trades', coin: '1' })).toBe('trades:{"coin":"1"}');
});

test.each<[StreamEndpoint, unknown, string]>([
  ['ws', undefined, 'INVALID_PARAMS Missing field: subscription'],
  ['ws', {}, 'INVALID_PARAMS Missing field: type'],
  ['ws', { type: 'candle', coin: '1', interval: '1m' }, 'UNKNOWN_CHANNEL Unknown channel: candle'],
  ['api-ws', { type: 'trades', coin: '1' }, 'UNKNOWN_CHANNEL Unknown channel: trades'],
  ['ws', { type: 'toString' }, 'UNKNOWN_CHANNEL Unknown channel: toString'],
  ['ws', { type: 'trades' }, 'INVALID_PARAMS Missing field: coin'],
  ['ws', { type: 'trades', coin: 'BTC' }, 'INVALID_PARAMS Wrong type for coin'],
  ['ws', { type: 'orderUpdates', user: 'me' }, 'INVALID_PARAMS Wrong type for user'],
  [
    'ws',
    { type: 'outcomeTrades', instrumentIds: [] },
    'INVALID_PARAMS instrumentIds must hold 1 to 50 entries',
  ],
  [
    'api-ws',
    { type: 'candle', coin: '1', interval: '2m' },
    'INVALID_PARAMS Wrong type for interval',
  ],
])('the endpoint %s refuses the subscription %j', (endpoint, value, expected) => {
  expect(keyOf(endpoint, value)).toBe(expected);
});
