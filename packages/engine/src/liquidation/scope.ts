import type { MicroUsdc } from '@oddlot/units';
import { equityOf } from '../perp/blind.ts';
import { crossRisk } from '../perp/fill-check.ts';
import { riskOf } from '../perp/isolated.ts';
import type { Account, Holding } from '../state/account.ts';
import { parametersOf } from '../state/execution.ts';
import { isolatedKey } from '../state/liquidations.ts';
import { isUnjudged } from '../state/perp.ts';
import type { Scope } from '../state/risk-index.ts';
import type { State } from '../state/state.ts';

/** A scope's numbers at the current marks (R-ratio). */
export type Health = {
  readonly equity: MicroUsdc;
  readonly maintenance: MicroUsdc;
  /** Maintenance margin and liquidation fee: the ratio is equity over this. */
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

/** A ratio of 1.0 or less; nothing at risk is never liquidated. */
export function isLiquidatable({ equity, notional, risk }: Health): boolean {
  return notional > 0n && equity <= risk;
}

/** Below two thirds of maintenance the market has had its chance. */
export function isDeep({ equity, maintenance }: Health): boolean {
  return equity * 3n < maintenance * 2n;
}

/** Lower ratio first, compared multiplied out. */
export function compareRatio(a: Health, b: Health): number {
  const left = a.equity * b.risk;
  const right = b.equity * a.risk;
  return left < right ? -1 : left > right ? 1 : 0;
}

/** By address, then the cross scope, then isolated ones by instrument and leg. */
export function byScope(a: Scope, b: Scope): number {
  return byAddress(a.account, b.account) || isolatedKey(a.holding) - isolatedKey(b.holding);
}

function byAddress(a: Account, b: Account): number {
  return a.address < b.address ? -1 : a.address > b.address ? 1 : 0;
}

/** The open positions of a scope, largest notional first, then by instrument and leg. */
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

/** Liquidation waits in a market without a valid price. */
export function isWorkable(state: State, { perp }: Holding): boolean {
  const { oracleStaleMs } = parametersOf(state);
  return !isUnjudged(perp, state.timeMs, oracleStaleMs);
}
