import {
  addUsdc,
  divFloor,
  maxUsdc,
  type MicroUsdc,
  notional,
  present,
  subUsdc,
  ZERO_USDC,
} from '@oddlot/units';
import type { Reject } from '../messages/reject.ts';
import type { Account, Holding } from '../state/account.ts';
import { parametersOf } from '../state/execution.ts';
import { isUnpriced, lastValidMarkOf, type Perp } from '../state/perp.ts';
import type { Scope } from '../state/liquidations.ts';
import type { State } from '../state/state.ts';
import { isInsuranceFund } from './insurance-fund.ts';
import { accountValue, initialMargin, isolatedEquity } from './margin.ts';

/**
 * Yields the positions in a margin account that have no valid price (R-oracle-stale): those in a
 * market that is halted or stale, or that cannot settle its closing hour. Withdrawals and new
 * exposure are limited by the value of the margin account less twice the notional of these
 * positions. A margin account whose remaining value is below its initial margin is
 * margin-restricted.
 */
function* unpricedPositions(state: State, { account, holding }: Scope): Generator<Holding> {
  if (isInsuranceFund(state, account)) return;
  const { oracleStaleMs } = parametersOf(state);
  const holdings = holding === undefined ? account.holdings.values() : [holding];
  for (const each of holdings) {
    if (each.size === 0 || each.isIsolated !== (holding !== undefined)) continue;
    if (isUnpriced(each.perp, state.timeMs, oracleStaleMs)) yield each;
  }
}

/**
 * Returns twice the notional of the positions without a valid price, at the higher of the mark and
 * the last valid mark.
 */
export function unpricedDeduction(state: State, scope: Scope): MicroUsdc {
  return sumOver(state, scope, doubled);
}

/**
 * Returns the same deduction as `unpricedDeduction`, but with a different size for one position.
 */
export function unpricedDeductionWith(
  state: State,
  scope: Scope,
  changed: Holding,
  size: number,
): MicroUsdc {
  return sumOver(state, scope, doubled, { changed, size });
}

/**
 * Returns the deduction from the value at the marks for positions without a valid price (R-ratio).
 * They count at the mark or the last valid mark, whichever is worse for them.
 */
export function paperProfit(state: State, scope: Scope): MicroUsdc {
  return sumOver(state, scope, paperProfitOf);
}

/** Returns the same deduction as `paperProfit`, but with a different size for one position. */
export function paperProfitWith(
  state: State,
  scope: Scope,
  changed: Holding,
  size: number,
): MicroUsdc {
  return sumOver(state, scope, paperProfitOf, { changed, size });
}

/** Returns the sum of an amount over the positions without a valid price. */
function sumOver(
  state: State,
  scope: Scope,
  amount: (perp: Perp, size: number) => MicroUsdc,
  other?: { readonly changed: Holding; readonly size: number },
): MicroUsdc {
  let sum = ZERO_USDC;
  // This function runs for every margin account checked, and positions without a valid price are
  // rare.
  if (!state.hasUnpriced) return sum;
  for (const each of unpricedPositions(state, scope)) {
    const size = each === other?.changed ? other.size : each.size;
    sum = addUsdc(sum, amount(each.perp, size));
  }
  return sum;
}

function doubled(perp: Perp, size: number): MicroUsdc {
  return notional(Math.max(perp.mark, lastValidMarkOf(perp)), 2 * Math.abs(size));
}

function paperProfitOf(perp: Perp, size: number): MicroUsdc {
  return maxUsdc(ZERO_USDC, notional(perp.mark - lastValidMarkOf(perp), size));
}

/**
 * Returns the equity used for liquidations and ranks: the value less the paper profit (R-ratio).
 */
export function equityOf(state: State, scope: Scope): MicroUsdc {
  const value = valueOf(state, scope);
  return state.hasUnpriced ? subUsdc(value, paperProfit(state, scope)) : value;
}

/**
 * Returns the account value for cross positions, or the margin plus PnL for an isolated position,
 * at the marks.
 */
export function valueOf(state: State, { account, holding }: Scope): MicroUsdc {
  return holding === undefined
    ? accountValue(state, account)
    : isolatedEquity(state, account, holding);
}

/**
 * Returns the value that can cover new risk or be withdrawn (R-initial, R-fill-check,
 * R-withdrawable).
 */
export function availableValue(state: State, scope: Scope): MicroUsdc {
  const value = valueOf(state, scope);
  return state.hasUnpriced ? subUsdc(value, unpricedDeduction(state, scope)) : value;
}

/**
 * Returns the available value of the cross positions without creating a scope, because every order
 * needs it.
 */
export function availableCrossValue(state: State, account: Account): MicroUsdc {
  return state.hasUnpriced
    ? availableValue(state, crossScope(account))
    : accountValue(state, account);
}

/**
 * Returns the market that makes a margin account margin-restricted, or undefined if it is not
 * restricted.
 */
export function restrictingPerp(state: State, scope: Scope): Perp | undefined {
  if (!state.hasUnpriced) return undefined;
  const { value: first } = unpricedPositions(state, scope).next();
  if (first === undefined) return undefined;
  return availableValue(state, scope) < initialOf(scope) ? first.perp : undefined;
}

function initialOf({ account, holding }: Scope): MicroUsdc {
  if (holding === undefined) return account.margin.initial;
  return initialMargin(holding.perp, Math.abs(holding.size), holding.leverage);
}

/**
 * Returns the rejection for a margin-restricted account's order; it names the restricting market.
 */
export function restrictedReject({ definition, halted }: Perp): Reject {
  const { instrumentId } = definition;
  return halted
    ? { reason: 'tradingHalted', instrumentId }
    : { reason: 'oracleStale', instrumentId };
}

/** Divisors of the value at the mark, for 0.5% and 5% / leverage. */
const RESTRICTED_LOSS_PART = 200n;
const RESTRICTED_LOSS_PART_AT_LEVERAGE = 20n;

/**
 * Returns true if a margin-restricted account closes near the mark (R-fill-check): at a price that,
 * including the builder's fee, is worse by at most the lesser of 0.5% and 5% / leverage.
 */
export function isNearMark(
  holding: Holding,
  fill: { readonly signedSize: number; readonly price: number; readonly builderFee: MicroUsdc },
): boolean {
  const { leverage, perp } = holding;
  const worse = notional(fill.price - perp.mark, fill.signedSize);
  const loss = addUsdc(worse, fill.builderFee);
  const value = notional(perp.mark, Math.abs(fill.signedSize));
  return (
    loss * RESTRICTED_LOSS_PART <= value &&
    loss * RESTRICTED_LOSS_PART_AT_LEVERAGE * BigInt(leverage) <= value
  );
}

/**
 * Returns the price furthest from the mark at which a margin-restricted position can close, in
 * whole units.
 */
export function restrictedLimit({ leverage, perp, size }: Holding): number {
  const part = RESTRICTED_LOSS_PART_AT_LEVERAGE * BigInt(leverage);
  const away = divFloor(
    BigInt(perp.mark),
    part > RESTRICTED_LOSS_PART ? part : RESTRICTED_LOSS_PART,
  );
  return perp.mark + (size > 0 ? -Number(away) : Number(away));
}

export function crossScope(account: Account): Scope {
  return { account, holding: undefined };
}

/** Returns true if any account has a position without a currently valid price. */
export function hasUnpriced(state: State): boolean {
  return state.perpIds.some((id) => {
    const perp = present(state.perps.get(id), 'a listed perp');
    if (perp.openInterest === 0) return false;
    return isUnpriced(perp, state.timeMs, parametersOf(state).oracleStaleMs);
  });
}
