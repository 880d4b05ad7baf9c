import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  add,
  compare,
  divide,
  isDecimal,
  multiply,
  negate,
  onStep,
  roundTo,
  sign,
  subtract,
  sum,
} from './decimal.ts';

describe('arithmetic on decimal text is exact', () => {
  test.each([
    ['0.1 + 0.2', add('0.1', '0.2'), '0.3'],
    ['9007199254740993 + 1', add('9007199254740993', '1'), '9007199254740994'],
    ['1 − 1.05', subtract('1', '1.05'), '-0.05'],
    ['0.014 × 96926.5', multiply('0.014', '96926.5'), '1356.971'],
    ['−0.5 × 0.2', multiply('-0.5', '0.2'), '-0.1'],
    ['1 / 3', divide('1', '3', 4), '0.3333'],
    ['−1 / 3 towards zero', divide('-1', '3', 4), '-0.3333'],
    ['1 / 0', divide('1', '0'), undefined],
    ['−(−0)', negate('0'), '0'],
    ['sum', sum(['0.1', '0.2', '-0.3']), '0'],
    ['2.345 to 2', roundTo('2.345', 2), '2.35'],
    ['−2.345 to 2', roundTo('-2.345', 2), '-2.35'],
    ['2.349 down to 2', roundTo('2.349', 2, 'down'), '2.34'],
    ['2 to 4', roundTo('2', 4), '2'],
    ['96926.53 on 0.5', onStep('96926.53', '0.5'), '96926.5'],
    ['96926.8 on 0.5, down', onStep('96926.8', '0.5', 'down'), '96926.5'],
    ['7 on 10', onStep('7', '10'), '10'],
  ])('decimal arithmetic computes %s', (_, found, expected) => {
    expect(found).toBe(expected);
  });

  test.each([
    ['1', true],
    ['-0.5', true],
    ['', false],
    ['1.', false],
    ['.5', false],
    ['1e3', false],
    [null, false],
    [undefined, false],
  ])('the text %j is a decimal number: %s', (text, expected) => {
    expect(isDecimal(text)).toBe(expected);
  });
});

/** Amounts in micro-USDC. */
const amount = fc.bigInt({ min: -(10n ** 15n), max: 10n ** 15n });
const textOf = (micros: bigint): string => {
  const digits = String(micros < 0n ? -micros : micros).padStart(7, '0');
  return `${micros < 0n ? '-' : ''}${digits.slice(0, -6)}.${digits.slice(-6)}`;
};

test('sums and comparisons of decimal text equal those of integers', () => {
  fc.assert(
    fc.property(amount, amount, (a, b) => {
      expect(subtract(add(textOf(a), textOf(b)), textOf(b))).toBe(add(textOf(a), '0'));
      expect(compare(textOf(a), textOf(b))).toBe(a < b ? -1 : a > b ? 1 : 0);
      expect(sign(subtract(textOf(a), textOf(b)))).toBe(compare(textOf(a), textOf(b)));
    }),
  );
});
