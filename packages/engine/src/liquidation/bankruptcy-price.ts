import {
  addUsdc,
  divCeil,
  divFloor,
  maxUsdc,
  type MicroUsdc,
  negUsdc,
  notional,
  ZERO_USDC,
} from '@oddlot/units';
import type { Holding } from '../state/account.ts';
import { lastValidMarkOf } from '../state/perp.ts';
import type { Scope } from '../state/liquidations.ts';
import type { State } from '../state/state.ts';
import { type Health, positionsOf } from './scope.ts';

/**
 * R-bankruptcy-price: the price at which a position of a scope uses up its share of the equity, rounded
 * to the price unit that leaves the account at or above zero, and at least 1. Closing every position at
 * its own leaves exactly nothing but that rounding, in whatever order. What a solvent scope has is
 * shared by maintenance. What an insolvent one lacks is shared by what its positions lost since they
 * were last judged: by maintenance the other side of a market that did not move would pay for a gap in
 * another one.
 */
export function bankruptcyPrice(
  state: State,
  scope: Scope,
  holding: Holding,
  { equity, maintenance }: Health,
): number {
  if (equity >= 0n) return priceByShare(holding, equity, holding.maintenance, maintenance);
  const loss = lossOf(state, holding);
  let losses = ZERO_USDC;
  for (const each of positionsOf(scope)) losses = addUsdc(losses, lossOf(state, each));
  const { mark } = holding.perp;
  if (losses === 0n) return mark;
  const price = priceByShare(holding, equity, loss, losses);
  // Nobody pays more than the position lost: the rest is R-deficit's.
  const furthest = Number(divFloor(loss, BigInt(Math.abs(holding.size))));
  return holding.size > 0 ? Math.min(price, mark + furthest) : Math.max(price, mark - furthest);
}

/** `mark ∓ (equity × part / whole) / size`. */
function priceByShare(
  { perp, size }: Holding,
  equity: MicroUsdc,
  part: MicroUsdc,
  whole: MicroUsdc,
): number {
  const share = equity * part;
  const scale = whole * BigInt(Math.abs(size));
  const atMark = BigInt(perp.mark) * scale;
  const price = size > 0 ? divCeil(atMark - share, scale) : divFloor(atMark + share, scale);
  return price < 1n ? 1 : Number(price);
}

/** What a position lost since its last judged mark, and the funding that it paid in this block. */
function lossOf(state: State, holding: Holding): MicroUsdc {
  return addUsdc(fallOf(holding), state.blockRecord.fundingPaid(holding));
}

/** What a position lost since its last judged mark; nothing when it gained. */
export function fallOf({ perp, size }: Holding): MicroUsdc {
  return maxUsdc(ZERO_USDC, negUsdc(notional(perp.mark - lastValidMarkOf(perp), size)));
}
