import { expect, test } from 'vitest';
import { legOf } from './preview.tsx';

const LONG = { szi: '0.2' };
const SHORT = { szi: '-0.1' };
const CLOSED = { szi: '0' };

test.each([
  ['opening a short', [LONG, SHORT], { side: 'sell', isClosing: false }, SHORT],
  ['opening the first short', [LONG], { side: 'sell', isClosing: false }, undefined],
  ['opening a long', [SHORT, LONG], { side: 'buy', isClosing: false }, LONG],
  ['closing the long', [LONG, SHORT], { side: 'sell', isClosing: true }, LONG],
  ['closing the short', [LONG, SHORT], { side: 'buy', isClosing: true }, SHORT],
  ['an order that closed the short', [LONG, CLOSED], { side: 'buy', isClosing: true }, CLOSED],
] as const)('in hedge mode %s affects only that position', (_, rows, draft, expected) => {
  expect(legOf<{ readonly szi: string }>(rows, true, draft)).toBe(expected);
});

test('in one-way mode, both sides affect the same position', () => {
  expect(legOf([LONG], false, { side: 'sell', isClosing: false })).toBe(LONG);
  expect(legOf([], false, { side: 'sell', isClosing: true })).toBeUndefined();
});
