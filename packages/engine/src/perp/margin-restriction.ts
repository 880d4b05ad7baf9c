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
 * R-oracle-stale: a position has no valid price while its market is halted or stale, or cannot settle its closing
 * hour. Withdrawals and new exposure are then limited by the value of the margin account less twice the notional
 * of such positions. A margin account whose remaining value is below its initial margin is margin-restricted.
 */

/** The positions of a margin account that have no valid price. */
function* unpricedPositions(state: State, { account, holding }: Scope): Generator<Holding> {
  if (isInsuranceFund(state, account)) return;
  const { oracleStaleMs } = parametersOf(state);
  const holdings = holding === undefined ? account.holdings.values() : [holding];
  for (const each of holdings) {
    if (each.size === 0 || each.isIsolated !== (holding !== undefined)) continue;
    if (isUnpriced(each.perp, state.timeMs, oracleStaleMs)) yield each;
  }
}

/** Twice the notional of such positions, at the higher of the mark and the last valid mark. */
export function unpricedDeduction(state: State, scope: Scope): MicroUsdc {
  return sumOver(state, scope, doubled);
}

/** The same, with another size for one position. */
export function unpricedDeductionWith(
  state: State,
  scope: Scope,
  changed: Holding,
  size: number,
): MicroUsdc {
  return sumOver(state, scope, doubled, { changed, size });
}

/**
 * R-ratio: a position without a valid price counts at the mark or at the last valid mark, whichever is worse for
 * it. Returns the deduction that this makes from the value at the marks.
 */
export function paperProfit(state: State, scope: Scope): MicroUsdc {
  return sumOver(state, scope, paperProfitOf);
}

/** The same, with another size for one position. */
export function paperProfitWith(
  state: State,
  scope: Scope,
  changed: Holding,
  size: number,
): MicroUsdc {
  return sumOver(state, scope, paperProfitOf, { changed, size });
}

/** The sum of an amount over the positions without a valid price. */
function sumOver(
  state: State,
  scope: Scope,
  amount: (perp: Perp, size: number) => MicroUsdc,
  other?: { readonly changed: Holding; readonly size: number },
): MicroUsdc {
  let sum = ZERO_USDC;
  // Called for every margin account that is checked; nearly always there are no such positions.
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

/** Equity for liquidations and ranks: the value less the paper profit (R-ratio). */
export function equityOf(state: State, scope: Scope): MicroUsdc {
  const value = valueOf(state, scope);
  return state.hasUnpriced ? subUsdc(value, paperProfit(state, scope)) : value;
}

/** The account value of cross positions, or margin and PnL of an isolated position, at the marks. */
export function valueOf(state: State, { account, holding }: Scope): MicroUsdc {
  return holding === undefined
    ? accountValue(state, account)
    : isolatedEquity(state, account, holding);
}

/** The value that can cover new risk or be withdrawn (R-initial, R-fill-check, R-withdrawable). */
export function availableValue(state: State, scope: Scope): MicroUsdc {
  const value = valueOf(state, scope);
  return state.hasUnpriced ? subUsdc(value, unpricedDeduction(state, scope)) : value;
}

/** The same for the cross positions; every order needs it. */
export function availableCrossValue(state: State, account: Account): MicroUsdc {
  return state.hasUnpriced
    ? availableValue(state, crossScope(account))
    : accountValue(state, account);
}

/** The market that makes a margin account margin-restricted; undefined if it is not. */
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

/** The rejection of an order of a margin-restricted account, which names the restricting market. */
export function restrictedReject({ definition, halted }: Perp): Reject {
  const { instrumentId } = definition;
  return halted
    ? { reason: 'tradingHalted', instrumentId }
    : { reason: 'oracleStale', instrumentId };
}

/** Divisors of the value at the mark: 0.5%, and 5% / leverage. */
const RESTRICTED_LOSS_PART = 200n;
const RESTRICTED_LOSS_PART_AT_LEVERAGE = 20n;

/**
 * R-fill-check: a margin-restricted account closes near the mark: worse by at most the lesser of 0.5% and
 * 5% / leverage, including the builder's fee.
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

/** The price furthest from the mark at which a margin-restricted position can close, in whole units. */
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

/** True if any account has a position that has no valid price now. */
export function hasUnpriced(state: State): boolean {
  return state.perpIds.some((id) => {
    const perp = present(state.perps.get(id), 'a listed perp');
    if (perp.openInterest === 0) return false;
    return isUnpriced(perp, state.timeMs, parametersOf(state).oracleStaleMs);
  });
}
