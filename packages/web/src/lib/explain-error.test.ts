import { ApiError, ExpiredError, HttpError, SigningError, ValidationError } from '@oddlot/sdk';
import { beforeAll, describe, expect, test } from 'vitest';
import { explainError, NotArrivedError, remedyLabel } from './explain-error.ts';
import { chooseLocale } from './languages.ts';
import { words } from './words.ts';

const t = words.t;
beforeAll(() => chooseLocale('en-US'));

function refused(facts: Partial<ConstructorParameters<typeof ApiError>[0]>): ApiError {
  return new ApiError({ code: 10_000, message: 'No', httpStatus: 200, response: {}, ...facts });
}

/** The sentence, and what the buttons say. */
function told(error: unknown): string[] {
  const { remedies, sentence } = explainError(error, t);
  return [sentence, ...remedies.map((remedy) => remedyLabel(remedy, t))];
}

describe('a refusal is one sentence and a button', () => {
  test.each([
    [
      'a price off the tick offers both neighbours',
      refused({
        message: 'Price off tick: 0.1',
        details: {
          field: 'orders[0].p',
          allowed: { step: '0.1' },
          nearest: ['96926.5', '96926.6'],
        },
      }),
      ['Price must be a multiple of 0.1.', 'Use 96,926.5', 'Use 96,926.6'],
    ],
    [
      'a side without a neighbour offers none',
      refused({ message: 'Too small', details: { nearest: [null, '0.014'] } }),
      ['Too small.', 'Use 0.014'],
    ],
    [
      'too little money says how much there is',
      refused({
        message: 'Insufficient margin',
        details: { required: '67.85', available: '12.4' },
      }),
      ['Insufficient margin. Required: 67.85 USDC. Available: 12.40 USDC.', 'Deposit'],
    ],
    [
      'which of several rules it was',
      refused({ message: 'Not now', details: { why: 'halted' } }),
      ['Not now. halted.'],
    ],
    [
      'a reason that the message ends with is not said twice',
      refused({ message: 'Invalid priceTick: must be 1', details: { why: 'must be 1' } }),
      ['Invalid priceTick: must be 1.'],
    ],
    [
      'a gate says what goes on',
      refused({ name: 'GATED', message: 'User not in whitelist' }),
      [
        'This account cannot currently open or increase positions (User not in whitelist). You can still close, cancel and withdraw.',
      ],
    ],
    [
      'what is said to programs is left out',
      refused({ message: 'No such agent', details: { why: 'The signature is that of `got`' } }),
      ['No such agent.'],
    ],
    [
      'too many requests say when to come back',
      refused({ name: 'RATE_LIMITED', httpStatus: 429, retryAfterMs: 1_500 }),
      ['Rate limit reached. Retry in 2 s.', 'Try again'],
    ],
    [
      'too late is not executed',
      new ExpiredError(refused({ name: 'EXPIRED' }), { txHash: '0x1', expiresAfter: 5 }),
      ['Request expired and was not executed.'],
    ],
    [
      'what never came until its end was not done',
      new NotArrivedError({ txHash: '0x1', mayStill: false }),
      ['Request expired and was not executed.'],
    ],
    [
      'what has no end may still come: nothing is promised',
      new NotArrivedError({ txHash: '0x1', mayStill: true }),
      ['Status unknown. Check your history before retrying.'],
    ],
    [
      'no answer to an action leaves its fate open',
      new HttpError('lost', { txHash: '0x1' }),
      ['No response. Check your orders and history before retrying.'],
    ],
    ['no answer to a query', new HttpError('lost'), ['The venue did not respond.']],
    ['not signed', new SigningError('rejected'), ['Not signed. Nothing was sent.']],
    ['found before it was sent', new ValidationError('Wrong at size'), ['Wrong at size.']],
    ['anything else', new Error('Broken!'), ['Broken!']],
  ])('%s', (_, error, expected) => {
    expect(told(error)).toEqual(expected);
  });
});

test('a refused field has the name that the form gives it', () => {
  const error = refused({
    message: 'Invalid priceTick: must be 1',
    details: { field: 'registerPerp.priceTick', why: 'must be 1' },
  });
  const named = (field: string) => (field.endsWith('priceTick') ? 'Price tick' : undefined);
  expect(explainError(error, t, named).sentence).toBe('Price tick must be 1.');
  expect(explainError(error, t, () => undefined).sentence).toBe('Invalid priceTick: must be 1.');
});
