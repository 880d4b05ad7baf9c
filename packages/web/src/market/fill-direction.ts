import type { Fill } from '@oddlot/sdk';
import { add, negate, sign } from '../lib/decimal.ts';

type FillDirection =
  | 'openLong'
  | 'openShort'
  | 'closeLong'
  | 'closeShort'
  | 'longToShort'
  | 'shortToLong';

type PerpFill = Pick<Fill, 'side' | 'startPosition' | 'sz'>;

/**
 * Returns the effect of a perp fill on the position. In hedge mode, the start position is that of
 * the side being traded, and a fill never reverses it.
 */
export function fillDirection({ side, startPosition, sz }: PerpFill): FillDirection {
  const isBuy = side === 'B';
  const before = sign(startPosition);
  if (before === 0 || before > 0 === isBuy) return isBuy ? 'openLong' : 'openShort';
  const after = sign(add(startPosition, isBuy ? sz : negate(sz)));
  if (after !== 0 && after !== before) return isBuy ? 'shortToLong' : 'longToShort';
  return isBuy ? 'closeShort' : 'closeLong';
}
