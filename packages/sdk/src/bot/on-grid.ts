import { divCeil, divFloor, divHalfUp, formatDecimal, parseExact } from '@oddlot/units';
import { ValidationError } from '../errors.ts';

/** Which way a value goes that lies between two steps; `nearest` takes halves away from zero. */
export type GridDirection = 'down' | 'up' | 'nearest';

/** Finer than any price or size of a venue. */
const DECIMALS = 18;
const DIVIDE = { down: divFloor, up: divCeil, nearest: divHalfUp } as const;

/**
 * A price or a size on the grid of its instrument. The direction is the caller's to name: a buyer who rounds up pays more
 * than was meant, and who rounds a size up may lack the money for it.
 *
 *     onGrid('100.07', '0.05', 'down') // '100.05'
 *
 * @throws ValidationError for what is no decimal text
 */
export function onGrid(value: string, step: string, direction: GridDirection): string {
  const units = exact(value);
  const stepUnits = exact(step);
  if (stepUnits <= 0n) throw new ValidationError(`Invalid step: ${step}. Use a value above zero`);
  return formatDecimal(DIVIDE[direction](units, stepUnits) * stepUnits, DECIMALS);
}

/** Decimal text times a fraction of 100, exactly. */
export function withPercent(value: string, percent: string): string {
  return formatDecimal(
    divFloor(exact(value) * (exact('100') + exact(percent)), exact('100')),
    DECIMALS,
  );
}

function exact(text: string): bigint {
  const units = parseExact(text, DECIMALS);
  if (units === undefined) throw new ValidationError(`Not a decimal: ${text}`);
  return units;
}
