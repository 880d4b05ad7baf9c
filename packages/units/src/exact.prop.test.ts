import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { divCeil, divFloor } from './division.ts';
import {
  bigintOf,
  countOf,
  isScalable,
  overScaleDown,
  overScaleUp,
  scaledDown,
  scaledUp,
} from './exact.ts';
import {
  accrueFee,
  accrueFeeDown,
  accrueOutcomeFee,
  feeAt,
  feeUp,
  isWorth,
  marginAt,
  microUsdc,
  nearestNumber,
  notional,
  partOf,
  RATE_ONE,
  rateE8,
  shareDown,
  tieredUp,
} from './quantity.ts';

/** For more runs, use `FUZZ_RUNS=5000 npx vitest run prop`. */
const numRuns = Math.max(2_000, Number(process.env.FUZZ_RUNS ?? 0));
const MAX = Number.MAX_SAFE_INTEGER;
const SCALE = 10n ** 8n;

/**
 * Generates all magnitudes, with many values near the safe-integer limit, a power of two or a
 * multiple of the scale.
 */
const count = fc.oneof(
  fc.nat({ max: 1_000_000 }),
  fc.nat({ max: MAX }),
  fc.integer({ min: MAX - 1_000, max: MAX }),
  fc.tuple(fc.nat({ max: 52 }), fc.integer({ min: -2, max: 2 })).map(([n, d]) => around(2 ** n, d)),
  fc
    .tuple(fc.nat({ max: 90_071_991 }), fc.integer({ min: -2, max: 2 }))
    .map(([n, d]) => around(n * RATE_ONE, d)),
);
const signed = fc.tuple(count, fc.boolean()).map(([n, isNegative]) => (isNegative ? -n : n));
const rate = fc.oneof(
  fc.nat({ max: RATE_ONE }),
  fc.constantFrom(0, 1, 45_000, 90_000_000, 90_000_001),
);
/** Generates the remainder of a rounded fee. */
const rest = fc.oneof(fc.nat({ max: RATE_ONE - 1 }), fc.constantFrom(0, 1, RATE_ONE - 1));

function around(value: number, by: number): number {
  return Math.min(MAX, Math.max(0, value + by));
}

function holds<Values extends [unknown, ...unknown[]]>(
  values: { [At in keyof Values]: fc.Arbitrary<Values[At]> },
  check: (...drawn: Values) => void,
): void {
  fc.assert(fc.property(...values, check), { numRuns });
}

describe('numbers and bigints are converted without loss', () => {
  test('safe integers convert in both directions without loss', () => {
    holds([signed], (n) => {
      expect(bigintOf(n)).toBe(BigInt(n));
      expect(countOf(BigInt(n))).toBe(n === 0 ? 0 : n);
    });
  });

  test.each([0, -0, 1, -1, 2 ** 31, -(2 ** 31), 2 ** 32, 2 ** 32 - 1, -(2 ** 32), MAX, -MAX])(
    'the safe integer %d converts in both directions without loss',
    (n) => {
      expect(bigintOf(n)).toBe(BigInt(n));
      expect(countOf(BigInt(n))).toBe(n === 0 ? 0 : n);
    },
  );

  test('an unsafe integer converts to undefined, and a fraction is rejected', () => {
    const beyond = BigInt(MAX) + 1n;
    for (const amount of [beyond, -beyond, 2n ** 64n, 2n ** 64n + 5n, -(2n ** 70n)]) {
      expect(countOf(amount)).toBeUndefined();
    }
    expect(bigintOf(2 ** 60)).toBe(2n ** 60n);
    for (const wrong of [0.5, NaN, Infinity]) expect(() => bigintOf(wrong)).toThrow(RangeError);
  });

  test('nearestNumber equals Number for any amount', () => {
    holds([signed, fc.nat({ max: 80 })], (n, bits) => {
      const amount = BigInt(n) << BigInt(bits);
      expect(nearestNumber(amount)).toBe(Number(amount));
      expect(nearestNumber(amount + 1n)).toBe(Number(amount + 1n));
    });
  });
});

describe('scaled counts equal the bigint results', () => {
  test('a count times a factor equals the bigint result in both rounding directions', () => {
    holds([signed, fc.oneof(rate, count)], (n, factor) => {
      const product = BigInt(n) * BigInt(factor);
      const [up, down] = [scaledUp(n, factor), scaledDown(n, factor)];
      if (up !== undefined) expect(BigInt(up)).toBe(divCeil(product, SCALE));
      if (down !== undefined) expect(BigInt(down)).toBe(divFloor(product, SCALE));
      expect(up === undefined).toBe(down === undefined);
      // A result is required unless the product cannot be divided or the rate is one of the
      // largest.
      const isNegative = n < 0 || factor < 0;
      const isSmall = product <= BigInt(MAX - RATE_ONE);
      const isRate = n <= MAX - RATE_ONE && factor <= 90_000_000;
      expect(up !== undefined).toBe(!isNegative && (isSmall || isRate));
    });
  });

  test('all rates but the largest give a result in numbers', () => {
    expect(scaledUp(MAX - RATE_ONE, 90_000_000)).toBeDefined();
    expect(scaledUp(MAX - RATE_ONE, 90_000_001)).toBeUndefined();
    expect(scaledUp(MAX, 2)).toBeUndefined();
  });

  test('division by the scale equals the bigint result', () => {
    holds([signed], (n) => {
      if (!isScalable(n)) return;
      expect(BigInt(overScaleUp(n))).toBe(divCeil(BigInt(n), SCALE));
      expect(BigInt(overScaleDown(n))).toBe(divFloor(BigInt(n), SCALE));
    });
  });
});

describe('money computed in numbers equals money computed in bigint', () => {
  test('values, margins, fees and shares equal those computed in bigint', () => {
    holds([count, signed, rate, fc.integer({ min: 1, max: 200 })], (price, size, fee, leverage) => {
      const value = BigInt(price) * BigInt(size);
      const due = value * BigInt(fee);
      expect(notional(price, size)).toBe(value);
      expect(marginAt(price, size, leverage)).toBe(divCeil(value, BigInt(leverage)));
      expect(feeAt(price, size, rateE8(fee))).toBe(divCeil(due, SCALE));
      expect(feeUp(microUsdc(value), rateE8(fee))).toBe(divCeil(due, SCALE));
      expect(shareDown(microUsdc(value), rateE8(fee))).toBe(divFloor(due, SCALE));
    });
  });

  test('the check of the minimum order value equals the check in bigint', () => {
    holds([count, count, count], (price, size, least) => {
      expect(isWorth(price, size, least)).toBe(BigInt(price) * BigInt(size) >= BigInt(least));
    });
  });

  test('fees that round once per order equal those computed in bigint', () => {
    holds([count, fc.nat({ max: 1_000_000 }), rate, rest], (price, size, fee, left) => {
      const value = BigInt(price) * BigInt(size);
      const due = value * BigInt(fee) - BigInt(left);
      const up = divCeil(due, SCALE);
      const overpaid = Number(up * SCALE - due);
      expect(accrueFee(microUsdc(value), rateE8(fee), left)).toEqual({ fee: up, overpaid });
      const owing = value * BigInt(fee) + BigInt(left);
      const down = divFloor(owing, SCALE);
      const owed = Number(owing - down * SCALE);
      expect(accrueFeeDown(microUsdc(value), rateE8(fee), left)).toEqual({ fee: down, owed });
    });
  });

  test('fees on outcome markets equal those computed in bigint', () => {
    const unit = fc.constantFrom(100, 1_000, 10_000, 100_000, 1_000_000);
    const share = fc.integer({ min: 0, max: 1_000 });
    holds([unit, share, count, rate, rest], (one, thousandths, size, fee, left) => {
      const price = Math.floor((one * thousandths) / 1_000);
      const scale = SCALE * BigInt(one);
      const weight = BigInt(price) * BigInt(one - price);
      const due = BigInt(fee) * BigInt(size) * weight - BigInt(left);
      const up = divCeil(due, scale);
      const overpaid = Number(up * scale - due);
      const found = accrueOutcomeFee({ size, price, unit: one }, rateE8(fee), left);
      expect(found).toEqual({ fee: up, overpaid });
    });
  });

  test('a proportional part of an amount equals the bigint result', () => {
    holds([signed, count, count], (amount, a, b) => {
      const [part, whole] = [Math.min(a, b), Math.max(a, b, 1)];
      const value = microUsdc(BigInt(amount));
      expect(partOf(value, { part, whole })).toBe((value * BigInt(part)) / BigInt(whole));
    });
  });

  test('margin at a rate that increases with size equals the bigint result', () => {
    holds([count, rate, count, count], (size, mmr, price, less) => {
      const weighted = BigInt(size) * BigInt(mmr);
      const deduction = BigInt(less) > weighted ? weighted : BigInt(less);
      const value = divCeil((weighted - deduction) * BigInt(price), SCALE);
      expect(tieredUp(size, mmr, deduction, price)).toBe(value);
    });
  });
});
