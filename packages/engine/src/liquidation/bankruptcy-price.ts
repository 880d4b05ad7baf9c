import { divCeil, divFloor, type MicroUsdc } from '@oddlot/units';
import type { Holding } from '../state/account.ts';

/**
 * R-bankruptcy-price: the price at which a position of a scope with equity E and maintenance MM uses
 * up its share of the equity, `mark ∓ (E × MM_i / MM) / size`, rounded to the price unit that leaves
 * the account at or above zero, and at least 1. Closing every position at its own leaves exactly
 * nothing but that rounding, in whatever order.
 */
export function bankruptcyPrice(
  holding: Holding,
  equity: MicroUsdc,
  maintenance: MicroUsdc,
): number {
  const { perp, size } = holding;
  const share = equity * holding.maintenance;
  const scale = maintenance * BigInt(Math.abs(size));
  const atMark = BigInt(perp.mark) * scale;
  const price = size > 0 ? divCeil(atMark - share, scale) : divFloor(atMark + share, scale);
  return price < 1n ? 1 : Number(price);
}
