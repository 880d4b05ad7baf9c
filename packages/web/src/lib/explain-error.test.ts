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

/** Returns the sentence and the labels of the buttons. */
function textsOf(error: unknown): string[] {
  const { remedies, sentence } = explainError(error, t);
  return [sentence, ...remedies.map((remedy) => remedyLabel(remedy, t))];
}

describe('a rejection is explained with a sentence and remedies', () => {
  test.each([
    [
      'a price off the tick suggests both neighbours',
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
      'a missing neighbour is not suggested',
      refused({ message: 'Too small', details: { nearest: [null, '0.014'] } }),
      ['Too small.', 'Use 0.014'],
    ],
    [
      'insufficient margin contains the available amount',
      refused({
        message: 'Insufficient margin',
        details: { required: '67.85', available: '12.4' },
      }),
      ['Insufficient margin. Required: 67.85 USDC. Available: 12.40 USDC.', 'Deposit'],
    ],
    [
      'the broken rule is included',
      refused({ message: 'Not now', details: { why: 'halted' } }),
      ['Not now. halted.'],
    ],
    [
      'a reason in the message is not repeated',
      refused({ message: 'Invalid priceTick: must be 1', details: { why: 'must be 1' } }),
      ['Invalid priceTick: must be 1.'],
    ],
    [
      'a gate lists the allowed actions',
      refused({ name: 'GATED', message: 'User not in whitelist' }),
      [
        'This account cannot currently open or increase positions (User not in whitelist). You can still close, cancel and withdraw.',
      ],
    ],
    [
      'details for programs are omitted',
      refused({ message: 'No such agent', details: { why: 'The signature is that of `got`' } }),
      ['No such agent.'],
    ],
    [
      'a rate limit contains the retry time',
      refused({ name: 'RATE_LIMITED', httpStatus: 429, retryAfterMs: 1_500 }),
      ['Rate limit reached. Retry in 2 s.', 'Try again'],
    ],
    [
      'an expired action is not executed',
      new ExpiredError(refused({ name: 'EXPIRED' }), { txHash: '0x1', expiresAfter: 5 }),
      ['Request expired and was not executed.'],
    ],
    [
      'an action unknown at its expiry is not executed',
      new NotArrivedError({ txHash: '0x1', mayStill: false }),
      ['Request expired and was not executed.'],
    ],
    [
      'an action without an expiry has an unknown status',
      new NotArrivedError({ txHash: '0x1', mayStill: true }),
      ['Status unknown. Check your history before retrying.'],
    ],
    [
      'an action without a response has an unknown status',
      new HttpError('lost', { txHash: '0x1' }),
      ['No response. Check your orders and history before retrying.'],
    ],
    ['a query without a response', new HttpError('lost'), ['The venue did not respond.']],
    ['not signed', new SigningError('rejected'), ['Not signed. Nothing was sent.']],
    ['an error found before sending', new ValidationError('Wrong at size'), ['Wrong at size.']],
    ['anything else', new Error('Broken!'), ['Broken!']],
  ])('the explanation of an error covers this case: %s', (_, error, expected) => {
    expect(textsOf(error)).toEqual(expected);
  });
});

test('a rejected field is explained by its name in the form', () => {
  const error = refused({
    message: 'Invalid priceTick: must be 1',
    details: { field: 'registerPerp.priceTick', why: 'must be 1' },
  });
  const named = (field: string) => (field.endsWith('priceTick') ? 'Price tick' : undefined);
  expect(explainError(error, t, named).sentence).toBe('Price tick must be 1.');
  expect(explainError(error, t, () => undefined).sentence).toBe('Invalid priceTick: must be 1.');
});
