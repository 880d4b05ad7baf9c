import { describe, expect, test } from 'vitest';
import { ERROR_CODES, wireError } from './errors.ts';
import { MESSAGES, MESSAGE_NAMES, refusal } from './refusal.ts';
import { MESSAGE_GROUPS } from './message-groups.ts';

test('error codes are unique, and every error name except OK has messages', () => {
  const codes = Object.values(ERROR_CODES);
  expect(new Set(codes).size).toBe(codes.length);
  expect(['OK', ...Object.keys(MESSAGE_GROUPS)].sort()).toEqual(Object.keys(ERROR_CODES).sort());
});

test('message keys are unique across all error names', () => {
  const keys = Object.values(MESSAGE_GROUPS).flatMap((group) => Object.keys(group));
  expect(new Set(keys).size).toBe(keys.length);
  expect(Object.keys(MESSAGES).length).toBe(keys.length);
});

test('no message belongs to two error names, except the one for an order not found', () => {
  const texts = Object.values(MESSAGES).map((build) => (build as () => string)());
  const twice = texts.filter((text, at) => texts.indexOf(text) !== at);
  expect(twice).toEqual(['Order not found']);
  expect(texts.every((text) => text.length > 0)).toBe(true);
});

describe('the error name determines the HTTP status of a refusal', () => {
  test.each([
    ['BAD_REQUEST', 400],
    ['VERSION', 400],
    ['RATE_LIMITED', 429],
    ['INTERNAL', 500],
    ['UNAVAILABLE', 503],
    ['INVALID', 200],
    ['NOT_ALLOWED', 200],
    ['UNAUTHORIZED', 200],
    ['NOT_FOUND', 200],
  ] as const)('a refusal with the name %s has the HTTP status %i', (name, status) => {
    expect(wireError(name, 'text').httpStatus).toBe(status);
    expect(wireError(name, 'text').details?.docs).toBe(`/docs/errors#${name}`);
  });

  test('a caller can override the HTTP status of a refusal', () => {
    expect(wireError('NOT_ALLOWED', 'text', undefined, 403).httpStatus).toBe(403);
  });
});

test('a refusal gets its code and name from its message', () => {
  const nearest: [string, string] = ['100', '100.5'];
  expect(refusal('priceOffTick', ['0.5'], { field: 'orders[0].p', got: '100.3', nearest })).toEqual(
    {
      code: 10000,
      name: 'INVALID',
      message: 'Price precision does not match the tick size: 0.5',
      details: { field: 'orders[0].p', got: '100.3', nearest, docs: '/docs/errors#INVALID' },
      httpStatus: 200,
    },
  );
  expect(MESSAGE_NAMES.invalidCloid).toBe('ORDER');
  expect(MESSAGE_NAMES.noAccount).toBe('NO_ACCOUNT');
});

/**
 * Clients match these texts, so they are repeated here, and any change to the table fails this
 * test.
 */
test.each([
  [MESSAGES.sizeOffLot('0.1'), 'Size precision does not match the lot size: 0.1'],
  [MESSAGES.valueBelowMin(10), 'Order must have a minimum value of 10 USDC'],
  [MESSAGES.nonceTooLow(5), 'Nonce too low: must be above 5'],
  [MESSAGES.noAccount(), 'No trading account found. Please deposit first.'],
  [MESSAGES.orderGone(7), 'Order was never placed, already canceled, or filled. asset=7'],
  [MESSAGES.agentsFull(), 'Max agents per account reached (100)'],
  [MESSAGES.marginModeDiffers(), "Margin mode differs from the open position's"],
  [MESSAGES.actionExpired(1, 2), 'Action expired: expiresAfter 1, consensus time 2'],
  [MESSAGES.notEnoughSignatures(1, 2), 'Not enough signatures: 1 of 2'],
  [MESSAGES.invalidPhaseChange('open', 'open'), 'Invalid phase change: open to open'],
  [MESSAGES.rateLimited(), 'rate limit exceeded'],
  [MESSAGES.notAllowed(), 'This action is not allowed.'],
])('the message "%s" does not change', (text, expected) => {
  expect(text).toBe(expected);
});
