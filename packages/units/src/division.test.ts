import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { InvariantError } from './assert.ts';
import {
  divCeil,
  divExact,
  divFloor,
  divHalfToPlus,
  divHalfUp,
  divTowardsZero,
} from './division.ts';

describe('each division function rounds in its own direction', () => {
  test.each([
    // The columns are the numerator, the denominator and the quotient rounded down, up, towards
    // zero, and half up (halves away from zero).
    [7n, 2n, 3n, 4n, 3n, 4n],
    [-7n, 2n, -4n, -3n, -3n, -4n],
    [7n, 3n, 2n, 3n, 2n, 2n],
    [-7n, 3n, -3n, -2n, -2n, -2n],
    [8n, 3n, 2n, 3n, 2n, 3n],
    [-8n, 3n, -3n, -2n, -2n, -3n],
    [6n, 3n, 2n, 2n, 2n, 2n],
    [-6n, 3n, -2n, -2n, -2n, -2n],
    [0n, 3n, 0n, 0n, 0n, 0n],
    [1n, 3n, 0n, 1n, 0n, 0n],
    [-1n, 3n, -1n, 0n, 0n, 0n],
    [1n, 2n, 0n, 1n, 0n, 1n],
    [-1n, 2n, -1n, 0n, 0n, -1n],
    [5n, 1n, 5n, 5n, 5n, 5n],
    [10n ** 30n + 1n, 10n ** 15n, 10n ** 15n, 10n ** 15n + 1n, 10n ** 15n, 10n ** 15n],
  ])(
    'each function divides %s by %s with its own rounding',
    (numerator, denominator, floor, ceil, towardsZero, halfUp) => {
      expect(divFloor(numerator, denominator)).toBe(floor);
      expect(divCeil(numerator, denominator)).toBe(ceil);
      expect(divTowardsZero(numerator, denominator)).toBe(towardsZero);
      expect(divHalfUp(numerator, denominator)).toBe(halfUp);
    },
  );

  test.each([
    [7n, 2n, 4n],
    [-7n, 2n, -3n],
    [-1n, 2n, 0n],
    [-7n, 3n, -2n],
    [-8n, 3n, -3n],
    [0n, 3n, 0n],
  ])(
    '%s over %s rounds to the nearest value %s, ties upwards',
    (numerator, denominator, quotient) => {
      expect(divHalfToPlus(numerator, denominator)).toBe(quotient);
    },
  );

  test.each([
    [6n, 3n, 2n],
    [-6n, 3n, -2n],
    [0n, 3n, 0n],
  ])('dividing %s by %s exactly returns %s', (numerator, denominator, quotient) => {
    expect(divExact(numerator, denominator)).toBe(quotient);
  });

  test('an exact division with a remainder stops the process', () => {
    expect(() => divExact(7n, 3n)).toThrow(InvariantError);
    expect(() => divExact(-7n, 3n)).toThrow(InvariantError);
  });

  test.each([divFloor, divCeil, divTowardsZero, divHalfUp, divHalfToPlus, divExact])(
    '%o rejects denominators that are not positive',
    (divide) => {
      expect(() => divide(1n, 0n)).toThrow(InvariantError);
      expect(() => divide(4n, -2n)).toThrow(InvariantError);
    },
  );
});

test('each function rounds in its direction for any numerator', () => {
  const numerators = fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n });
  const denominators = fc.bigInt({ min: 1n, max: 10n ** 20n });
  fc.assert(
    fc.property(numerators, denominators, (numerator, denominator) => {
      const below = divFloor(numerator, denominator);
      const above = divCeil(numerator, denominator);
      expect(below * denominator <= numerator && numerator < (below + 1n) * denominator).toBe(true);
      expect(above * denominator >= numerator && numerator > (above - 1n) * denominator).toBe(true);
      expect(divTowardsZero(numerator, denominator)).toBe(numerator < 0n ? above : below);
      // The result is the nearest value: the distance is at most half a denominator, and a tie
      // rounds away from zero.
      const nearest = divHalfUp(numerator, denominator);
      const distance = 2n * (nearest * denominator - numerator);
      const outwards = numerator < 0n ? -distance : distance;
      expect(outwards <= denominator && outwards > -denominator).toBe(true);
    }),
  );
});
