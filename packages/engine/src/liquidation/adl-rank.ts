import { equityOf } from '../perp/margin-restriction.ts';
import { isInsuranceFund } from '../perp/insurance-fund.ts';
import type { Account, Holding } from '../state/account.ts';
import { holdersOf } from '../state/holders.ts';
import type { Perp } from '../state/perp.ts';
import { scopeOf } from '../state/liquidations.ts';
import type { State } from '../state/state.ts';

/** The ADL rank as a fraction; a denominator of 0 ranks first. */
export type RankKey = {
  readonly numerator: bigint;
  readonly denominator: bigint;
  readonly notional: bigint;
};

export type RankedPosition = RankKey & { readonly account: Account; readonly holding: Holding };

/**
 * The ranks of positions whose account has no equity: those with a gain come before all other
 * positions, and those without a gain come last.
 */
const FIRST = { numerator: 1n, denominator: 0n };
const LAST = { numerator: 0n, denominator: 1n };

/**
 * Returns the positions of one side of an instrument, highest rank first, then larger notional,
 * then address (R-adl). All positions except the fund's are included, so that a loss elsewhere does
 * not exempt a winning position. The cost is proportional to the number of holders.
 */
export function rankPositions(
  state: State,
  perp: Perp,
  isLong: boolean,
  keyOf: (account: Account, holding: Holding) => RankKey | undefined = (account, holding) =>
    rankKey(state, account, holding),
): RankedPosition[] {
  const ranked: RankedPosition[] = [];
  for (const { account, holding } of holdersOf(state, perp)) {
    if (holding.size > 0 !== isLong || isInsuranceFund(state, account)) continue;
    const key = keyOf(account, holding);
    if (key !== undefined) ranked.push({ ...key, account, holding });
  }
  return ranked.sort(byRank);
}

/**
 * Returns the rank (max(uPnl, 0) / entry notional) × (notional / equity), with the product
 * multiplied out.
 */
export function rankKey(state: State, account: Account, holding: Holding): RankKey {
  const equity = equityOf(state, scopeOf(account, holding));
  const { notional, unrealised } = holding;
  const gain = unrealised > 0n ? unrealised : 0n;
  if (equity <= 0n) return { ...(gain > 0n ? FIRST : LAST), notional };
  const entry = holding.cost < 0n ? -holding.cost : holding.cost;
  return {
    numerator: gain * notional,
    denominator: (entry === 0n ? 1n : entry) * equity,
    notional,
  };
}

function byRank(a: RankedPosition, b: RankedPosition): number {
  const left = a.numerator * b.denominator;
  const right = b.numerator * a.denominator;
  if (left !== right) return left > right ? -1 : 1;
  if (a.notional !== b.notional) return a.notional > b.notional ? -1 : 1;
  return a.account.address < b.account.address ? -1 : 1;
}

/**
 * Returns the quintile of a rank among the positions on its side; quintile 4 is closed first
 * (R-adl).
 */
export function adlBucket(rank: number, count: number): number {
  return count <= 1 ? 4 : 4 - Math.floor((rank * 5) / count);
}
