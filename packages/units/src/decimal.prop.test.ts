import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DECIMAL_LENGTH_MAX, formatDecimal, parseDecimal, parseExact } from './decimal.ts';

/** For more runs, use `FUZZ_RUNS=5000 npx vitest run prop`. */
const numRuns = Math.max(300, Number(process.env.FUZZ_RUNS ?? 0));

/** A decimal text in the accepted form, with the fraction it represents. */
const decimalText = fc
  .record({
    negative: fc.boolean(),
    whole: fc.stringMatching(/^[0-9]{1,16}$/),
    fraction: fc.option(fc.stringMatching(/^[0-9]{1,14}$/), { nil: undefined }),
  })
  .map(({ negative, whole, fraction }) => {
    const magnitude = BigInt(whole + (fraction ?? ''));
    return {
      text: (negative ? '-' : '') + whole + (fraction === undefined ? '' : `.${fraction}`),
      numerator: negative ? -magnitude : magnitude,
      denominator: power(fraction?.length ?? 0),
    };
  });

const decimals = fc.integer({ min: -4, max: 18 });

function power(exponent: number): bigint {
  let result = 1n;
  for (let count = 0; count < exponent; count++) result *= 10n;
  return result;
}

test('formatting a count and parsing the text returns the same count', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(10n ** 24n), max: 10n ** 24n }), decimals, (value, scale) => {
      const text = formatDecimal(value, scale);
      expect(text.length).toBeLessThanOrEqual(DECIMAL_LENGTH_MAX);
      expect(parseExact(text, scale)).toBe(value);
    }),
    { numRuns },
  );
});

test('formatting returns the shortest text of a value, without a negative zero', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(10n ** 24n), max: 10n ** 24n }), decimals, (value, scale) => {
      expect(formatDecimal(value, scale)).toMatch(/^(?:0|-?(?:[1-9]\d*|0)(?:\.\d*[1-9])?)$/);
      expect(formatDecimal(value, scale)).not.toBe('-0');
    }),
    { numRuns },
  );
});

test('a number and a bigint of the same count have the same text', () => {
  fc.assert(
    fc.property(fc.maxSafeInteger(), decimals, (value, scale) => {
      expect(formatDecimal(value, scale)).toBe(formatDecimal(BigInt(value), scale));
    }),
    { numRuns },
  );
});

test('parsing rounds down to the grid and reports whether the value is on the grid', () => {
  fc.assert(
    fc.property(decimalText, decimals, ({ text, numerator, denominator }, scale) => {
      const parsed = parseDecimal(text, scale);
      // With step = 10^-scale and the result n, the condition is n × step ≤ value < (n + 1) × step,
      // with both sides multiplied out.
      const value = numerator * power(Math.max(scale, 0));
      const step = denominator * power(Math.max(-scale, 0));
      const floor = parsed?.floor ?? 0n;
      expect(parsed).toBeDefined();
      expect(floor * step <= value).toBe(true);
      expect(value < (floor + 1n) * step).toBe(true);
      expect(parsed?.exact).toBe(floor * step === value);
    }),
    { numRuns },
  );
});

test('leading and trailing zeros do not change the value', () => {
  fc.assert(
    fc.property(decimalText, decimals, ({ text }, scale) => {
      const longer = text.includes('.') ? `${text}0` : `${text}.0`;
      fc.pre(longer.length < DECIMAL_LENGTH_MAX);
      expect(parseDecimal(longer, scale)).toEqual(parseDecimal(text, scale));
      const padded = text.startsWith('-') ? `-0${text.slice(1)}` : `0${text}`;
      expect(parseDecimal(padded, scale)).toEqual(parseDecimal(text, scale));
    }),
    { numRuns },
  );
});
