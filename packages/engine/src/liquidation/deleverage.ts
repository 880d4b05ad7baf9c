import { addUsdc, type MicroUsdc, notional } from '@oddlot/units';
import { crossRisk } from '../perp/fill-check.ts';
import { isInsuranceFund } from '../perp/insurance-fund.ts';
import { riskOf } from '../perp/isolated.ts';
import { accountValue, isolatedEquity } from '../perp/margin.ts';
import type { Account, Holding } from '../state/account.ts';
import { type Holder, holdersOf } from '../state/holders.ts';
import type { Perp } from '../state/perp.ts';
import type { State } from '../state/state.ts';

/** A position that could be deleveraged, with what its rank is made of. */
export type RankedPosition = {
  readonly account: Account;
  readonly holding: Holding;
  /** max(uPnl, 0) × notional, and entry notional × equity: the rank is their quotient. */
  readonly numerator: bigint;
  readonly denominator: bigint;
};

/**
 * R-adl: positions of one side of an instrument, highest rank first, then larger notional, then
 * address. The rank is (max(uPnl, 0) / entry notional) × (notional / equity), compared multiplied
 * out. The fund and scopes at a ratio of 1 or less are left out. Costs as much as there are holders.
 */
export function rankPositions(state: State, perp: Perp, isLong: boolean): RankedPosition[] {
  const ranked: RankedPosition[] = [];
  for (const { account, holding } of holdersOf(state, perp)) {
    if (holding.size > 0 !== isLong || isInsuranceFund(state, account)) continue;
    const entry = rankOf(state, account, holding);
    if (entry !== undefined) ranked.push(entry);
  }
  return ranked.sort(byRank);
}

function rankOf(state: State, account: Account, holding: Holding): RankedPosition | undefined {
  const { equity, risk } = scopeHealth(state, account, holding);
  if (equity <= risk) return undefined;
  const gain = holding.unrealised > 0n ? holding.unrealised : 0n;
  const entry = holding.cost < 0n ? -holding.cost : holding.cost;
  return {
    account,
    holding,
    numerator: gain * holding.notional,
    denominator: (entry === 0n ? 1n : entry) * equity,
  };
}

/** Equity and risk of the scope that a position belongs to, at the current marks. */
export function scopeHealth(
  state: State,
  account: Account,
  holding: Holding,
): { equity: MicroUsdc; risk: MicroUsdc } {
  if (holding.isIsolated) {
    const equity = isolatedEquity(state, account, holding);
    return { equity, risk: riskOf(state, holding.perp, Math.abs(holding.size)) };
  }
  const equity = accountValue(state, account);
  return { equity, risk: crossRisk(state, account) };
}

function byRank(a: RankedPosition, b: RankedPosition): number {
  const left = a.numerator * b.denominator;
  const right = b.numerator * a.denominator;
  if (left !== right) return left > right ? -1 : 1;
  const x = a.holding.notional;
  const y = b.holding.notional;
  if (x !== y) return x > y ? -1 : 1;
  return a.account.address < b.account.address ? -1 : 1;
}

/**
 * Whether part of a ranked position may be closed at a price as things stand now: its scope is at a
 * ratio above 1, and the close would not leave it with equity below zero.
 */
export function mayDeleverage(
  state: State,
  { account, holding }: Holder,
  closedSize: number,
  price: number,
): boolean {
  const { equity, risk } = scopeHealth(state, account, holding);
  if (equity <= risk) return false;
  const signed = holding.size > 0 ? -closedSize : closedSize;
  const gain = notional(holding.perp.mark - price, signed);
  return addUsdc(equity, gain) >= 0n;
}

/** R-adl: the bucket of a position among its side, 4 closes first. */
export function adlBucket(rank: number, count: number): number {
  return count <= 1 ? 4 : 4 - Math.floor((rank * 5) / count);
}
