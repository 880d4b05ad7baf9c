import { MESSAGES, type OrderResult } from '@oddlot/protocol';
import { expect, test } from 'vitest';
import { cancelStatuses, orderStatuses, rejectedStatuses } from './order-statuses.ts';
import { sentence } from './sentences.ts';

const sent = (fields: object = {}) => ({ asset: 1, cloid: undefined, isTrigger: false, ...fields });

const result = (fields: Partial<OrderResult>): OrderResult => ({
  i: 0,
  oid: 7,
  cloid: null,
  state: 'open',
  filledSz: '0',
  avgPx: null,
  error: null,
  ...fields,
});

const statusOf = (fields: Partial<OrderResult>, order = sent()): unknown =>
  orderStatuses([order], [result(fields)], 'na', undefined)[0];

test.each<[string, Partial<OrderResult>, unknown]>([
  ['rests', {}, { resting: { oid: 7 } }],
  ['rests after a partial fill', { filledSz: '1', avgPx: '9' }, { resting: { oid: 7 } }],
  [
    'fills',
    { state: 'filled', filledSz: '2', avgPx: '9' },
    { filled: { totalSz: '2', avgPx: '9', oid: 7 } },
  ],
  [
    'fills in part and is cancelled',
    { state: 'cancelled', filledSz: '1', avgPx: '9' },
    { filled: { totalSz: '1', avgPx: '9', oid: 7 } },
  ],
  [
    'finds no match',
    { state: 'cancelled' },
    { error: 'Order could not immediately match against any resting orders. asset=1' },
  ],
  [
    'is rejected',
    { state: 'rejected', oid: null, error: 'Insufficient margin' },
    { error: 'Insufficient margin to place order. asset=1' },
  ],
  [
    'is rejected for a reason of this venue',
    { state: 'rejected', oid: null, error: 'Market is closing' },
    { error: 'Market is closing asset=1' },
  ],
])('the status of an order that %s has the form of Hyperliquid', (_, fields, status) => {
  expect(statusOf(fields)).toEqual(status);
});

test("an order's status repeats its client order id", () => {
  expect(statusOf({}, sent({ cloid: '0xab' }))).toEqual({ resting: { oid: 7, cloid: '0xab' } });
});

test.each<[OrderResult['state'], string]>([
  ['filled', 'waitingForTrigger'],
  ['open', 'waitingForFill'],
])('the TP/SL orders of an order that is %s are %s', (state, status) => {
  const orders = [sent(), sent({ isTrigger: true })];
  const results = [result({ state, filledSz: '1', avgPx: '9' }), result({ oid: 8 })];
  expect(orderStatuses(orders, results, 'normalTpsl', undefined)[1]).toBe(status);
  // A trigger order without a parent gets its own order id.
  const [, alone] = orderStatuses(orders, results, 'na', undefined);
  expect(alone).toEqual({ resting: { oid: 8 } });
});

test("only a request's first failure has details", () => {
  const failed = result({ state: 'rejected', error: 'Price precision does not match the tick' });
  const failure = {
    message: 'orders[0]: Price precision does not match the tick',
    details: { nearest: ['1', '2'] as const },
  };
  const [first] = orderStatuses([sent()], [failed], 'na', failure as never);
  expect(first).toEqual({
    error: 'Price must be divisible by tick size. The nearest valid values are 1 and 2. asset=1',
  });
});

test('the error for a rejected request identifies the entry that caused it', () => {
  const failure = { message: 'Market is closing', details: { field: 'orders[1].a' } };
  expect(rejectedStatuses([1, 2], failure, false)).toEqual([
    {
      error: 'Not executed, because entry 1 was rejected: Market is closing (orders[1].a) asset=1',
    },
    { error: 'Market is closing (orders[1].a) asset=2' },
  ]);
});

test('the error for a rejected modification names its asset once', () => {
  const gone = 'Order was never placed, already canceled, or filled. asset=1';
  const failure = { message: gone, details: { field: 'orders[0]' } };
  expect(rejectedStatuses([1], failure, true)).toEqual([{ error: gone }]);
});

test('the error for a signer without an account gives its address', () => {
  const message = MESSAGES.noAccount();
  const text = sentence({ message, details: { got: '0xab', why: 'credit it first' } });
  expect(text).toBe('User or API Wallet 0xab does not exist. Credit it first.');
});

test.each([
  ['twapOrder: this venue has no TWAP orders', 'twapOrder: this venue has no TWAP orders'],
  ['asset 10000 is not a perp', 'Asset 10000 is not a perp'],
])('the reason %j begins with a capital unless it begins with a name', (why, text) => {
  expect(sentence({ message: MESSAGES.notAllowed(), details: { why } })).toBe(text);
});

test('a cancel has one status per entry', () => {
  const notFound = 'Order was never placed, already canceled, or filled. asset=2';
  const results = [result({ state: 'cancelled' }), result({ state: 'rejected', error: notFound })];
  expect(cancelStatuses([1, 2], results)).toEqual(['success', { error: notFound }]);
});
