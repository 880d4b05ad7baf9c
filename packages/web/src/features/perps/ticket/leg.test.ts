import { expect, test } from 'vitest';
import { legOf } from './ticket.tsx';

const LONG = { szi: '0.2' };
const SHORT = { szi: '-0.1' };
const CLOSED = { szi: '0' };

test.each([
  ['what opens a short', [LONG, SHORT], { side: 'sell', isClosing: false }, SHORT],
  ['what opens the first short', [LONG], { side: 'sell', isClosing: false }, undefined],
  ['what opens a long', [SHORT, LONG], { side: 'buy', isClosing: false }, LONG],
  ['what closes the long', [LONG, SHORT], { side: 'sell', isClosing: true }, LONG],
  ['what closes the short', [LONG, SHORT], { side: 'buy', isClosing: true }, SHORT],
  ['what closed the short', [LONG, CLOSED], { side: 'buy', isClosing: true }, CLOSED],
] as const)('in hedge mode %s is about that position', (_, rows, draft, expected) => {
  expect(legOf<{ readonly szi: string }>(rows, true, draft)).toBe(expected);
});

test('in one-way mode there is one position, whatever the side', () => {
  expect(legOf([LONG], false, { side: 'sell', isClosing: false })).toBe(LONG);
  expect(legOf([], false, { side: 'sell', isClosing: true })).toBeUndefined();
});
