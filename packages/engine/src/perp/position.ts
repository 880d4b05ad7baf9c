import {
  addUsdc,
  divTowardsZero,
  microUsdc,
  type MicroUsdc,
  notional,
  subUsdc,
  type TimeMs,
  ZERO_USDC,
} from '@oddlot/units';
import type { Holding } from '../account.ts';

/**
 * Trades a signed size into a position and returns what it realised, before fees. Opening adds to
 * the cost; reducing releases cost in proportion, rounded towards zero, and the last lot releases
 * all (R-rounding); a trade through zero closes, then opens with the rest.
 */
export function tradePosition(
  holding: Holding,
  signedSize: number,
  atPrice: number,
  nowMs: TimeMs,
): MicroUsdc {
  const before = holding.size;
  const after = before + signedSize;
  updateOpenInterest(holding, before, after);
  holding.size = after;
  holding.updatedMs = nowMs;
  const isOpening = before === 0 || before > 0 === signedSize > 0;
  if (isOpening) {
    if (before === 0) resetTotals(holding);
    holding.cost = addUsdc(holding.cost, notional(atPrice, signedSize));
    return ZERO_USDC;
  }
  const closed = Math.min(Math.abs(before), Math.abs(signedSize));
  const closedSigned = before > 0 ? closed : -closed;
  const released = releasedCost(holding.cost, closed, Math.abs(before));
  const realised = subUsdc(notional(atPrice, closedSigned), released);
  holding.realised = addUsdc(holding.realised, realised);
  holding.cost = subUsdc(holding.cost, released);
  if (after !== 0 && after > 0 !== before > 0) {
    resetTotals(holding);
    holding.cost = notional(atPrice, after);
  }
  return realised;
}

function releasedCost(cost: MicroUsdc, closed: number, size: number): MicroUsdc {
  if (closed === size) return cost;
  return microUsdc(divTowardsZero(cost * BigInt(closed), BigInt(size)));
}

function resetTotals(holding: Holding): void {
  holding.feesPaid = ZERO_USDC;
  holding.realised = ZERO_USDC;
}

function updateOpenInterest(holding: Holding, before: number, after: number): void {
  holding.perp.openInterest += Math.max(after, 0) - Math.max(before, 0);
}
