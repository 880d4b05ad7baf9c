import { type MicroUsdc, nearestNumber, RATE_ONE } from '@oddlot/units';
import { equityOf, paperProfit } from '../perp/margin-restriction.ts';
import { crossRisk } from '../perp/fill-check.ts';
import { riskOf } from '../perp/isolated.ts';
import type { Account, Holding } from '../state/account.ts';
import { parametersOf } from '../state/execution.ts';
import {
  DISTANCE_MAX,
  isolatedKey,
  ROUNDING,
  type Scope,
  TRAVEL_ONE,
} from '../state/liquidations.ts';
import { isUnpriced, tierOf } from '../state/perp.ts';
import type { State } from '../state/state.ts';
import { isInsuranceFund } from '../perp/insurance-fund.ts';

/** A margin account's values at the current marks (R-ratio). */
export type Health = {
  readonly equity: MicroUsdc;
  readonly maintenance: MicroUsdc;
  /** The maintenance margin and liquidation fee, which are the denominator of the ratio. */
  readonly risk: MicroUsdc;
  readonly notional: MicroUsdc;
};

export function healthOf(state: State, scope: Scope): Health {
  const { account, holding } = scope;
  const equity = equityOf(state, scope);
  if (holding === undefined) {
    const { maintenance, notional } = account.margin;
    return { equity, maintenance, risk: crossRisk(state, account), notional };
  }
  const { maintenance, notional } = holding;
  return {
    equity,
    maintenance,
    risk: riskOf(state, holding.perp, Math.abs(holding.size)),
    notional,
  };
}

/**
 * Returns true if the ratio is 1.0 or less. A margin account without positions is never liquidated.
 */
export function isLiquidatable({ equity, notional, risk }: Health): boolean {
  return notional > 0n && equity <= risk;
}

/**
 * Returns true if equity is below two thirds of maintenance margin, in which case step (3) follows
 * the market order.
 */
export function isDeep({ equity, maintenance }: Health): boolean {
  return equity * 3n < maintenance * 2n;
}

export function compareRatio(a: Health, b: Health): number {
  const left = a.equity * b.risk;
  const right = b.equity * a.risk;
  return left < right ? -1 : left > right ? 1 : 0;
}

/**
 * Compares margin accounts by address. Cross comes before isolated positions, which are ordered by
 * instrument and leg.
 */
export function byScope(a: Scope, b: Scope): number {
  return byAddress(a.account, b.account) || isolatedKey(a.holding) - isolatedKey(b.holding);
}

function byAddress(a: Account, b: Account): number {
  return a.address < b.address ? -1 : a.address > b.address ? 1 : 0;
}

/**
 * Returns the open positions of a margin account, sorted by notional, largest first, and then by
 * instrument and leg.
 */
export function positionsOf({ account, holding }: Scope): Holding[] {
  if (holding !== undefined) return holding.size === 0 ? [] : [holding];
  return [...account.holdings.values()]
    .filter((each) => !each.isIsolated && each.size !== 0)
    .sort(
      (a, b) =>
        Number(b.notional > a.notional) - Number(b.notional < a.notional) ||
        a.perp.definition.instrumentId - b.perp.definition.instrumentId ||
        a.leg - b.leg,
    );
}

/**
 * Returns false for a position in a market without a valid price, where liquidations have to wait.
 */
export function isWorkable(state: State, { perp }: Holding): boolean {
  const { oracleStaleMs } = parametersOf(state);
  return !isUnpriced(perp, state.timeMs, oracleStaleMs);
}

/**
 * Returns the margin accounts to check now, except those that the rough distance shows to be safe.
 * These return to the index without allocating memory. Accounts in liquidation are always included.
 */
export function scopesToCheck(state: State): Scope[] {
  return state.risk.take().filter((scope) => {
    if (state.liquidations.has(scope)) return true;
    const distance = roughDistance(state, scope);
    if (distance === 0) return true;
    state.risk.wait(scope, distance);
    return false;
  });
}

/**
 * The divisor that turns the magnitude of a sum into a bound on its error. A number has 53 bits,
 * and each operation loses at most half of the last bit, so the error of 2^20 operations stays
 * below this bound.
 */
const INEXACT = 2 ** 32;

/**
 * Returns a floating-point lower bound on how far marks can move before a margin account must be
 * checked again. It is at most the result of `safeDistance` for the exact sums, and 0 if only exact
 * sums can decide. Most margin accounts are safe after most price changes; for them, this function
 * allocates no memory, whereas exact sums need several bigints each.
 */
export function roughDistance(state: State, scope: Scope): number {
  const { account, holding } = scope;
  const isIsolated = holding !== undefined;
  if (holding?.isIsolated === false || isInsuranceFund(state, account)) return 0;
  let value = nearestNumber(isIsolated ? holding.isolatedMargin : account.perpBalance);
  let gross = Math.abs(value);
  let notional = 0;
  let maintenance = 0;
  for (const each of isIsolated ? [holding] : account.holdings.values()) {
    if (each.isIsolated !== isIsolated || each.size === 0) continue;
    const worth = each.perp.mark * each.size;
    const cost = nearestNumber(each.cost);
    value += worth - cost;
    gross += Math.abs(worth) + Math.abs(cost);
    notional += Math.abs(worth);
    maintenance += maintenanceOf(each);
  }
  if (notional === 0) return 0;
  const fee = Math.ceil((notional * parametersOf(state).liquidationFeeE8) / RATE_ONE);
  const risk = maintenance + fee;
  const onPaper = state.hasUnpriced ? Number(paperProfit(state, scope)) : 0;
  const spare = value - onPaper - risk - ROUNDING - Math.ceil((gross + onPaper) / INEXACT);
  if (!(spare > 0)) return 0;
  const distance = Math.floor((2 * spare * TRAVEL_ONE) / (2 * (notional + risk + 1) + spare));
  return Math.max(0, Math.min(distance - 1, DISTANCE_MAX));
}

/** Returns the maintenance margin of a position, rounded up (R-tiers). */
function maintenanceOf({ perp, size }: Holding): number {
  if (size === 0) return 0;
  const lots = Math.abs(size);
  const { deductionNumber, mmrE8 } = tierOf(perp.tiers, lots);
  return Math.ceil(((lots * mmrE8 - deductionNumber) * perp.mark) / RATE_ONE);
}
