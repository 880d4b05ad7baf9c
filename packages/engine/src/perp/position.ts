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
import type { Holding } from '../state/account.ts';
import { setSize } from '../state/holders.ts';

/** How a signed trade divides: first it closes what stands against it, then it opens. */
export function splitTrade(size: number, signedSize: number): { close: number; open: number } {
  const magnitude = Math.abs(signedSize);
  if (size === 0 || size > 0 === signedSize > 0) return { close: 0, open: magnitude };
  const close = Math.min(Math.abs(size), magnitude);
  return { close, open: magnitude - close };
}

/** What closing part of a position realises, before fees, and the cost that it releases. */
export function closeResult(
  holding: Holding,
  close: number,
  atPrice: number,
): { realised: MicroUsdc; released: MicroUsdc } {
  const signed = holding.size > 0 ? close : -close;
  const released = releasedPart(holding.cost, close, Math.abs(holding.size));
  return { realised: subUsdc(notional(atPrice, signed), released), released };
}

/**
 * The part of an amount that goes with part of a position: in proportion, rounded towards zero, and
 * the last lot releases all (R-rounding).
 */
export function releasedPart(amount: MicroUsdc, closed: number, size: number): MicroUsdc {
  if (closed === size) return amount;
  return microUsdc(divTowardsZero(amount * BigInt(closed), BigInt(size)));
}

/**
 * Trades a signed size into a position and returns what it realised, before fees. Opening adds to
 * the cost; reducing releases cost; a trade through zero closes, then opens with the rest.
 */
export function tradePosition(
  holding: Holding,
  signedSize: number,
  atPrice: number,
  nowMs: TimeMs,
): MicroUsdc {
  const before = holding.size;
  const after = before + signedSize;
  const { close, open } = splitTrade(before, signedSize);
  holding.updatedMs = nowMs;
  holding.funding.sinceChange = ZERO_USDC;
  let realised = ZERO_USDC;
  if (close > 0) {
    const closed = closeResult(holding, close, atPrice);
    realised = closed.realised;
    holding.realised = addUsdc(holding.realised, realised);
    holding.cost = subUsdc(holding.cost, closed.released);
  }
  if (open > 0) {
    if (before === 0 || close > 0) startPosition(holding);
    holding.cost = addUsdc(holding.cost, notional(atPrice, signedSize > 0 ? open : -open));
  }
  setSize(holding, after);
  return realised;
}

function startPosition(holding: Holding): void {
  holding.feesPaid = ZERO_USDC;
  holding.realised = ZERO_USDC;
  holding.funding.sinceOpen = ZERO_USDC;
}
