import { assert } from './assert.ts';

/**
 * Divides and rounds towards minus infinity. Each division function states its rounding direction
 * (R-rounding). The operator `/` truncates towards zero, which favours debtors, so only this file
 * uses it.
 */
export function divFloor(numerator: bigint, denominator: bigint): bigint {
  assert(denominator > 0n, 'divFloor: the denominator is positive');
  const quotient = numerator / denominator;
  return numerator < 0n && quotient * denominator !== numerator ? quotient - 1n : quotient;
}

/** Divides and rounds towards plus infinity. */
export function divCeil(numerator: bigint, denominator: bigint): bigint {
  assert(denominator > 0n, 'divCeil: the denominator is positive');
  const quotient = numerator / denominator;
  return numerator > 0n && quotient * denominator !== numerator ? quotient + 1n : quotient;
}

/** Divides and rounds towards zero. */
export function divTowardsZero(numerator: bigint, denominator: bigint): bigint {
  assert(denominator > 0n, 'divTowardsZero: the denominator is positive');
  return numerator / denominator;
}

/**
 * Divides and rounds to the nearest value, halves away from zero. Intended for displayed values.
 */
export function divHalfUp(numerator: bigint, denominator: bigint): bigint {
  assert(denominator > 0n, 'divHalfUp: the denominator is positive');
  const doubled = numerator < 0n ? -2n * numerator : 2n * numerator;
  const magnitude = (doubled + denominator) / (2n * denominator);
  return numerator < 0n ? -magnitude : magnitude;
}

/** Divides and rounds to the nearest value, halves towards plus infinity for both signs. */
export function divHalfToPlus(numerator: bigint, denominator: bigint): bigint {
  assert(denominator > 0n, 'divHalfToPlus: the denominator is positive');
  return divFloor(2n * numerator + denominator, 2n * denominator);
}

/** Divides without rounding; a remainder breaks an invariant. */
export function divExact(numerator: bigint, denominator: bigint): bigint {
  const quotient = divFloor(numerator, denominator);
  assert(quotient * denominator === numerator, 'divExact: the division leaves a remainder');
  return quotient;
}
