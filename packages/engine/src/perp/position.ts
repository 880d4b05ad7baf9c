import {
  addUsdc,
  type MicroUsdc,
  notional,
  partOf,
  subUsdc,
  timeMs,
  ZERO_USDC,
} from '@oddlot/units';
import type { Holding } from '../state/account.ts';
import { setSize } from '../state/holders.ts';
import type { State } from '../state/state.ts';

/** Splits a signed trade into a part that closes an opposite position and a part that opens. */
export function splitTrade(size: number, signedSize: number): { close: number; open: number } {
  const magnitude = Math.abs(signedSize);
  if (size === 0 || size > 0 === signedSize > 0) return { close: 0, open: magnitude };
  const close = Math.min(Math.abs(size), magnitude);
  return { close, open: magnitude - close };
}

/** The PnL realised by closing this many lots, before fees, and the released cost. */
export type Closed = {
  readonly size: number;
  readonly realised: MicroUsdc;
  readonly released: MicroUsdc;
};

export function closeResult(holding: Holding, close: number, atPrice: number): Closed {
  const signed = holding.size > 0 ? close : -close;
  const released = releasedPart(holding.cost, close, Math.abs(holding.size));
  return { size: close, realised: subUsdc(notional(atPrice, signed), released), released };
}

/** Returns the part of a position that a signed trade at a price closes, if any. */
export function closedBy(
  holding: Holding,
  signedSize: number,
  atPrice: number,
): Closed | undefined {
  const { close } = splitTrade(holding.size, signedSize);
  return close > 0 ? closeResult(holding, close, atPrice) : undefined;
}

/**
 * Returns the share of an amount that belongs to part of a position, rounded towards zero. The last
 * lot releases the remainder (R-rounding).
 */
export function releasedPart(amount: MicroUsdc, closed: number, size: number): MicroUsdc {
  return closed === size ? amount : partOf(amount, { part: closed, whole: size });
}

/**
 * Trades a signed size into a position and returns the closed part, if any. Opening adds to the
 * cost, and reducing releases cost. A trade through zero first closes the position and then opens
 * one with the remainder. Callers that have planned the trade pass the closed part.
 */
export function tradePosition(
  state: Pick<State, 'timeMs' | 'watch'>,
  holding: Holding,
  signedSize: number,
  atPrice: number,
  closed = closedBy(holding, signedSize, atPrice),
): Closed | undefined {
  const before = holding.size;
  const after = before + signedSize;
  const close = closed?.size ?? 0;
  const open = Math.abs(signedSize) - close;
  holding.updatedMs = timeMs(state.timeMs);
  holding.funding.sinceChange = ZERO_USDC;
  if (closed !== undefined) {
    holding.realised = addUsdc(holding.realised, closed.realised);
    holding.cost = subUsdc(holding.cost, closed.released);
  }
  if (open > 0) {
    if (before === 0 || close > 0) startPosition(holding);
    holding.cost = addUsdc(holding.cost, notional(atPrice, signedSize > 0 ? open : -open));
  }
  setSize(state, holding, after);
  return closed;
}

function startPosition(holding: Holding): void {
  holding.feesPaid = ZERO_USDC;
  holding.realised = ZERO_USDC;
  holding.funding.sinceOpen = ZERO_USDC;
}
