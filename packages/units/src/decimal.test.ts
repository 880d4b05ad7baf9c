import { describe, expect, test } from 'vitest';
import {
  DECIMAL_LENGTH_MAX,
  formatDecimal,
  isDecimalText,
  parseDecimal,
  parseExact,
} from './decimal.ts';

describe('decimal text has one accepted form', () => {
  test.each([
    '0',
    '-0',
    '7',
    '007',
    '1.5',
    '1.50',
    '-1.5',
    '0.000001',
    '97123.4',
    '9'.repeat(DECIMAL_LENGTH_MAX),
    `-0.${'1'.repeat(DECIMAL_LENGTH_MAX - 3)}`,
  ])('the decimal text %s is accepted', (text) => {
    expect(isDecimalText(text)).toBe(true);
    expect(parseDecimal(text, 6)).toBeDefined();
  });

  test.each([
    ['', 'nothing'],
    ['-', 'a sign alone'],
    ['.', 'a point alone'],
    ['.5', 'no whole part'],
    ['5.', 'no fraction after the point'],
    ['+5', 'a plus'],
    ['--5', 'two signs'],
    ['1e3', 'an exponent'],
    ['1E-3', 'an exponent'],
    ['0x10', 'hexadecimal'],
    ['NaN', 'not a number'],
    ['Infinity', 'not a number'],
    [' 5', 'a blank before'],
    ['5 ', 'a blank after'],
    ['5\n', 'a line break after'],
    ['1 000', 'a blank inside'],
    ['1,000', 'a comma'],
    ['1_000', 'an underscore'],
    ['1.2.3', 'two points'],
    ['٣', 'digits of another script'],
    ['9'.repeat(DECIMAL_LENGTH_MAX + 1), 'too long'],
  ])('the text %j (%s) is rejected as a decimal', (text) => {
    expect(isDecimalText(text)).toBe(false);
    expect(parseDecimal(text, 6)).toBeUndefined();
    expect(parseExact(text, 6)).toBeUndefined();
  });
});

describe('decimal text is rounded down to a grid', () => {
  // The grid step is 10^-decimals; a negative number of decimals means steps of 10, 100 and so on.
  test.each([
    ['1.5', 1, 15n, true],
    ['1.5', 6, 1_500_000n, true],
    ['1.50', 1, 15n, true],
    ['1.5', 0, 1n, false],
    ['-1.5', 0, -2n, false],
    ['-1.0', 0, -1n, true],
    ['0.29', 2, 29n, true],
    ['0.1', 20, 10_000_000_000_000_000_000n, true],
    ['1.23', 1, 12n, false],
    ['-1.23', 1, -13n, false],
    ['0.0000001', 6, 0n, false],
    ['-0.0000001', 6, -1n, false],
    ['-0', 6, 0n, true],
    ['-0.000', 1, 0n, true],
    ['120', -1, 12n, true],
    ['120.0', -1, 12n, true],
    ['125', -1, 12n, false],
    ['-125', -1, -13n, false],
    ['120.5', -1, 12n, false],
    ['9007199254740993', 0, 9_007_199_254_740_993n, true],
  ])('parsing %s with %i decimals returns %s, exact: %s', (text, decimals, floor, exact) => {
    expect(parseDecimal(text, decimals)).toEqual({ floor, exact });
    expect(parseExact(text, decimals)).toBe(exact ? floor : undefined);
  });
});

describe('a decimal is formatted as its shortest text', () => {
  test.each([
    [0, 6, '0'],
    [0n, 0, '0'],
    [0n, -2, '0'],
    [1n, 6, '0.000001'],
    [-1n, 6, '-0.000001'],
    [1_500_000n, 6, '1.5'],
    [1_000_000n, 6, '1'],
    [10_000_000n, 6, '10'],
    [-12_340_000n, 6, '-12.34'],
    [971_234, 1, '97123.4'],
    [5, 0, '5'],
    [-5, 0, '-5'],
    [12n, -1, '120'],
    [-12n, -2, '-1200'],
    [9_007_199_254_740_993n, 3, '9007199254740.993'],
    [Number.MAX_SAFE_INTEGER, 2, '90071992547409.91'],
  ])('formatting %s with %i decimals returns %s', (value, decimals, text) => {
    expect(formatDecimal(value, decimals)).toBe(text);
  });

  test('negative zero is formatted without a minus sign', () => {
    expect(formatDecimal(-0, 6)).toBe('0');
  });
});
