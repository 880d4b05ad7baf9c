import { addUsdc, exchangeUsdc, type MicroUsdc, notional, subUsdc } from '@oddlot/units';
import type { Account, Holding } from '../state/account.ts';
import { parametersOf } from '../state/execution.ts';
import { isOracleStale, maintenanceMargin } from '../state/perp.ts';
import { scopeOf } from '../state/liquidations.ts';
import type { State } from '../state/state.ts';
import {
  restrictingPerp,
  crossScope,
  isNearMark,
  paperProfit,
  paperProfitWith,
  unpricedDeductionWith,
} from './margin-restriction.ts';
import { accountValue, initialMargin, liquidationFee, worstCase } from './margin.ts';

/** One side of a fill, before it is executed. */
export type PendingFill = {
  /** The size of the fill in lots, positive if the side buys. */
  readonly signedSize: number;
  readonly price: number;
  /** All fees of the side, including its builder's fees. */
  readonly fees: MicroUsdc;
  /** The resting sizes after the fill, excluding reduce-only orders. */
  readonly restingBuy: number;
  readonly restingSell: number;
};

/**
 * Checks one side of a fill against the state after it, at the mark and net of fees (R-fill-check).
 * A price far from the mark therefore cannot move margin to another account. The fill passes if the
 * account value covers the initial margin. A reducing fill also passes if equity stays at or above
 * zero and the margin ratio does not fall.
 */
export function isCrossFillCovered(
  state: State,
  account: Account,
  holding: Holding,
  fill: PendingFill,
): boolean {
  const { perp } = holding;
  const before = accountValue(state, account);
  // The realised and unrealised PnL together change by (mark − price) × signed size.
  const gain = notional(perp.mark - fill.price, fill.signedSize);
  const after = subUsdc(addUsdc(before, gain), fill.fees);
  const size = holding.size + fill.signedSize;
  const exposure = worstCase(size, fill.restingBuy, fill.restingSell);
  const part = initialMargin(perp, exposure, holding.leverage);
  const initial = exchangeUsdc(account.margin.initial, holding.initial, part);
  const scope = crossScope(account);
  const judged = state.hasUnpriced
    ? subUsdc(after, unpricedDeductionWith(state, scope, holding, size))
    : after;
  if (judged >= initial) return true;
  if (!isReducing(holding.size, fill.signedSize)) return false;
  const equity = subUsdc(after, paperProfitWith(state, scope, holding, size));
  if (equity < 0n) return false;
  const equityBefore = subUsdc(before, paperProfit(state, scope));
  const risk = crossRisk(state, account);
  const riskAfter = crossRiskAfter(state, account, holding, size);
  // This condition is equity / riskAfter >= equityBefore / risk with the fractions multiplied out;
  // both denominators are at least 0.
  return equity * risk >= equityBefore * riskAfter;
}

/**
 * Checks a fill against invalid prices, for each side and margin account (R-oracle-stale): in a
 * stale market, no fill may increase exposure, and a margin-restricted account can only reduce
 * positions near the mark.
 */
export function isFillPermitted(
  state: State,
  account: Account,
  holding: Holding,
  fill: Pick<PendingFill, 'signedSize' | 'price' | 'fees'> & { readonly fee: MicroUsdc },
): boolean {
  const { oracleStaleMs } = parametersOf(state);
  const reduces = isReducing(holding.size, fill.signedSize);
  // This also applies while no position is open and hence no account can be margin-restricted.
  if (!reduces && isOracleStale(holding.perp, state.timeMs, oracleStaleMs)) return false;
  if (!state.hasUnpriced) return true;
  if (holding.isIsolated && !reduces) return true;
  if (restrictingPerp(state, scopeOf(account, holding)) === undefined) return true;
  const { fee, fees, price, signedSize } = fill;
  return reduces && isNearMark(holding, { signedSize, price, builderFee: subUsdc(fees, fee) });
}

export function isReducing(size: number, signedFill: number): boolean {
  return size !== 0 && size > 0 !== signedFill > 0 && Math.abs(signedFill) <= Math.abs(size);
}

/**
 * Returns the maintenance margin and liquidation fee of the cross positions (R-ratio); the
 * account's sums must be current.
 */
export function crossRisk(state: State, account: Account): MicroUsdc {
  const { maintenance, notional: total } = account.margin;
  return addUsdc(maintenance, liquidationFee(total, parametersOf(state).liquidationFeeE8));
}

function crossRiskAfter(state: State, account: Account, holding: Holding, size: number): MicroUsdc {
  const { perp } = holding;
  const magnitude = Math.abs(size);
  const maintenance = exchangeUsdc(
    account.margin.maintenance,
    holding.maintenance,
    maintenanceMargin(perp.tiers, magnitude, perp.mark),
  );
  const total = exchangeUsdc(
    account.margin.notional,
    holding.notional,
    notional(perp.mark, magnitude),
  );
  return addUsdc(maintenance, liquidationFee(total, parametersOf(state).liquidationFeeE8));
}
