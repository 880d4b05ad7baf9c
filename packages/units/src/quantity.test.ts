import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  accrueFee,
  accrueFeeDown,
  addUsdc,
  address,
  feeUp,
  hash,
  instrumentId,
  lots,
  marginFor,
  maxUsdc,
  microUsdc,
  minUsdc,
  negUsdc,
  notional,
  orderId,
  price,
  rateE8,
  RATE_ONE,
  shareDown,
  signedLots,
  subUsdc,
  timeMs,
  usdcFromText,
  ZERO_USDC,
  marginAt,
} from './quantity.ts';

const NOT_COUNTS = [NaN, Infinity, -Infinity, 0.5, 2 ** 53, -(2 ** 53)];

describe('a quantity’s constructor rejects invalid values', () => {
  test.each([
    { name: 'price', make: price, least: 1 },
    { name: 'lots', make: lots, least: 0 },
    { name: 'signedLots', make: signedLots, least: -Number.MAX_SAFE_INTEGER },
    { name: 'rateE8', make: rateE8, least: 0 },
    { name: 'timeMs', make: timeMs, least: 0 },
    { name: 'orderId', make: orderId, least: 0 },
    { name: 'instrumentId', make: instrumentId, least: 0 },
  ])(
    '$name accepts integers starting with $least and rejects all other numbers',
    ({ make, least }) => {
      expect(make(least)).toBe(least);
      expect(make(Number.MAX_SAFE_INTEGER)).toBe(Number.MAX_SAFE_INTEGER);
      expect(() => make(least - 1)).toThrow(RangeError);
      for (const value of NOT_COUNTS) expect(() => make(value)).toThrow(RangeError);
    },
  );

  test('the error message names the quantity and includes the invalid value', () => {
    expect(() => lots(-1)).toThrow('size must be an integer of at least 0: -1');
  });

  test('an amount of money can be any integer', () => {
    expect(microUsdc(-5)).toBe(-5n);
    expect(microUsdc(10n ** 30n)).toBe(10n ** 30n);
    expect(() => microUsdc(0.5)).toThrow(RangeError);
    expect(usdcFromText('-12')).toBe(-12n);
  });

  test('an address must be 20 bytes in lower case', () => {
    const text = `0x${'a1'.repeat(20)}`;
    expect(address(text)).toBe(text);
    for (const wrong of [text.toUpperCase(), text.slice(2), `${text}0`, text.slice(0, -1), '']) {
      expect(() => address(wrong)).toThrow(RangeError);
    }
    expect(() => address(`0x${'A1'.repeat(20)}`)).toThrow('lower-case');
  });

  test('a hash must be 32 bytes in lower case', () => {
    const text = `0x${'0f'.repeat(32)}`;
    expect(hash(text)).toBe(text);
    for (const wrong of [`0x${'0F'.repeat(32)}`, text.slice(0, -2), `${text}00`]) {
      expect(() => hash(wrong)).toThrow(RangeError);
    }
  });
});

describe('the notional is the exact product of price and size', () => {
  test.each([
    // The price is 97,123.4 with one decimal, and the size is half a coin with five decimals.
    [971_234, 50_000, 48_561_700_000n],
    [1, 0, 0n],
    [971_234, -50_000, -48_561_700_000n],
    [2 ** 53 - 1, 1, 9_007_199_254_740_991n],
    // The results exceed 2^53; above that, a product of numbers would lose its last digits.
    [2 ** 53 - 1, 3, 27_021_597_764_222_973n],
    [2 ** 53 - 1, 2 ** 53 - 1, 81_129_638_414_606_663_681_390_495_662_081n],
    [94_906_267, -94_906_267, -9_007_199_515_875_289n],
  ])('price %i times size %i is %s micro-USDC', (atPrice, size, expected) => {
    expect(notional(atPrice, size)).toBe(expected);
  });

  test('the notional is exact for any price and size', () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), fc.maxSafeInteger(), (atPrice, size) => {
        expect(notional(atPrice, size)).toBe(BigInt(atPrice) * BigInt(size));
      }),
    );
  });
});

describe('amounts are rounded against the user', () => {
  test.each([
    // A fee of 0.05% on 100.000001 USDC is 50,000.0005 micro-USDC.
    [100_000_001n, 50_000, 50_001n, 50_000n],
    [100_000_000n, 50_000, 50_000n, 50_000n],
    [1n, 1, 1n, 0n],
    [0n, 50_000, 0n, 0n],
    [5n, 0, 0n, 0n],
  ])('an amount of %s at rate %i has a fee of %s and a share of %s', (value, rate, fee, share) => {
    expect(feeUp(microUsdc(value), rateE8(rate))).toBe(fee);
    expect(shareDown(microUsdc(value), rateE8(rate))).toBe(share);
  });

  test('required margin rounds up', () => {
    expect(marginFor(microUsdc(100n), 20)).toBe(5n);
    expect(marginFor(microUsdc(101n), 20)).toBe(6n);
    expect(marginFor(ZERO_USDC, 20)).toBe(0n);
  });
});

describe('the fee for an order with several fills rounds up once', () => {
  test('the first fill pays the rounding, and later fills recover it', () => {
    // Three fills of 1 micro-USDC at 40% cost 1.2 in total, so the fee is 2, not 3.
    const rate = rateE8(0.4 * RATE_ONE);
    const first = accrueFee(microUsdc(1n), rate, 0);
    expect(first).toEqual({ fee: 1n, overpaid: 60_000_000 });
    const second = accrueFee(microUsdc(1n), rate, first.overpaid);
    expect(second).toEqual({ fee: 0n, overpaid: 20_000_000 });
    expect(accrueFee(microUsdc(1n), rate, second.overpaid)).toEqual({
      fee: 1n,
      overpaid: 80_000_000,
    });
  });

  test('partial fills together cost the same fee as one fill of the full size', () => {
    const parts = fc.array(fc.bigInt({ min: 0n, max: 10n ** 15n }), {
      minLength: 1,
      maxLength: 50,
    });
    const rates = fc.oneof(fc.integer({ min: 0, max: 1_000_000 }), fc.constantFrom(1, RATE_ONE));
    fc.assert(
      fc.property(parts, rates, (values, rate) => {
        let paid = 0n;
        let sum = 0n;
        let overpaid = 0;
        for (const value of values) {
          const step = accrueFee(microUsdc(value), rateE8(rate), overpaid);
          expect(step.fee >= 0n).toBe(true);
          paid += step.fee;
          sum += value;
          overpaid = step.overpaid;
          // The fee is checked after each fill, because an order can be cancelled after any of
          // them.
          expect(paid).toBe(feeUp(microUsdc(sum), rateE8(rate)));
        }
        expect(overpaid).toBeGreaterThanOrEqual(0);
        expect(overpaid).toBeLessThan(RATE_ONE);
      }),
    );
  });
});

describe('a fee that rounds down does so once over several fills', () => {
  test('a fraction of a micro-USDC is charged with a later fill', () => {
    // Three fills of 1 micro-USDC at 40% cost 1.2 in total, so the fee is 1, not 0.
    const rate = rateE8(0.4 * RATE_ONE);
    const first = accrueFeeDown(microUsdc(1n), rate, 0);
    expect(first).toEqual({ fee: 0n, owed: 40_000_000 });
    const second = accrueFeeDown(microUsdc(1n), rate, first.owed);
    expect(second).toEqual({ fee: 0n, owed: 80_000_000 });
    const third = accrueFeeDown(microUsdc(1n), rate, second.owed);
    expect(third).toEqual({ fee: 1n, owed: 20_000_000 });
  });

  test('after each partial fill, the fee equals that of one fill of the same size', () => {
    const parts = fc.array(fc.bigInt({ min: 0n, max: 10n ** 15n }), { maxLength: 50 });
    const rates = fc.oneof(fc.integer({ min: 0, max: 1_000_000 }), fc.constantFrom(1, RATE_ONE));
    fc.assert(
      fc.property(parts, rates, (values, rate) => {
        let paid = 0n;
        let sum = 0n;
        let owed = 0;
        for (const value of values) {
          const step = accrueFeeDown(microUsdc(value), rateE8(rate), owed);
          paid += step.fee;
          sum += value;
          owed = step.owed;
          expect(paid).toBe(shareDown(microUsdc(sum), rateE8(rate)));
        }
      }),
    );
  });
});

test('sums, differences, minimum and maximum of amounts are exact', () => {
  const five = microUsdc(5n);
  const seven = microUsdc(7n);
  expect(addUsdc(five, seven)).toBe(12n);
  expect(subUsdc(five, seven)).toBe(-2n);
  expect(negUsdc(five)).toBe(-5n);
  expect(minUsdc(five, seven)).toBe(5n);
  expect(maxUsdc(five, seven)).toBe(7n);
  expect(addUsdc(five, ZERO_USDC)).toBe(5n);
});

describe('margin computed by price and size equals that of the notional', () => {
  test('marginAt equals marginFor of the notional for all sizes', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 9_000_000_000 }),
        fc.integer({ min: 0, max: 1_000_000_000_000 }),
        fc.integer({ min: 1, max: 200 }),
        (atPrice, size, leverage) => {
          expect(marginAt(atPrice, size, leverage)).toBe(
            marginFor(notional(atPrice, size), leverage),
          );
        },
      ),
    );
    expect(marginAt(3, 7, 2)).toBe(11n);
    expect(marginAt(2 ** 40, 2 ** 20, 3)).toBe((2n ** 60n + 2n) / 3n);
  });
});
