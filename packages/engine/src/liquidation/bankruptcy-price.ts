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
 * Returns the price at which a position uses up its share of its margin account's equity
 * (R-bankruptcy-price). It is at least 1, and rounded to the price unit that leaves the account at
 * or above zero. After closing each position at its own price, in any order, only that rounding
 * remains. Positive equity is divided by maintenance margin. Negative equity is divided by the
 * losses since the last valid marks; otherwise the counterparties in a market that did not move
 * would pay for a price gap in another.
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
  // Counterparties pay at most the loss of the position; R-deficit covers the remainder.
  const furthest = Number(divFloor(loss, BigInt(Math.abs(holding.size))));
  return holding.size > 0 ? Math.min(price, mark + furthest) : Math.max(price, mark - furthest);
}

/** Returns `mark ∓ (equity × part / whole) / size`. */
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

/**
 * Returns the loss of a position since its last valid mark, plus the funding that it paid in this
 * block.
 */
function lossOf(state: State, holding: Holding): MicroUsdc {
  return addUsdc(fallOf(holding), state.blockRecord.fundingPaid(holding));
}

/** Returns the loss of a position since its last valid mark, or 0 for a gain. */
export function fallOf({ perp, size }: Holding): MicroUsdc {
  return maxUsdc(ZERO_USDC, negUsdc(notional(perp.mark - lastValidMarkOf(perp), size)));
}
