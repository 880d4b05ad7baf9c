import {
  hasValidMark,
  larger,
  magnitude,
  type Held,
  type Prices,
  type Funds,
  type StateCopy,
  unrealised,
} from './state-copy.ts';

/**
 * R-initial, R-oracle-stale: computes a margin account's value and requirements from balances and
 * positions only.
 */

/** The figures of a margin account: an account's cross positions, or one isolated position. */
export type ScopeNumbers = {
  readonly value: bigint;
  readonly initial: bigint;
  readonly notional: bigint;
  /** Twice the notional of positions in markets without a valid mark, in micro-USDC. */
  readonly staleNotional: bigint;
};

export function crossNumbers(
  funds: Funds,
  shot: StateCopy,
  prices: Prices,
  judged: Prices,
): ScopeNumbers {
  const own = funds.held.filter(({ isIsolated }) => !isIsolated);
  return numbers(funds.balance, own, shot, prices, judged);
}

export function isolatedNumbers(
  held: Held,
  shot: StateCopy,
  prices: Prices,
  judged: Prices,
): ScopeNumbers {
  // Resting isolated orders have separate reserves.
  const alone = { ...held, restingBuy: 0, restingSell: 0 };
  return numbers(held.margin, [alone], shot, prices, judged);
}

function numbers(
  money: bigint,
  held: readonly Held[],
  shot: StateCopy,
  prices: Prices,
  judged: Prices,
): ScopeNumbers {
  let value = money;
  let initial = 0n;
  let notional = 0n;
  let staleNotional = 0n;
  for (const each of held) {
    const market = shot.markets.get(each.id);
    if (market === undefined) continue;
    const price = BigInt(prices(each.id));
    value += unrealised(each, prices);
    notional += magnitude(each.size) * price;
    const { restingBuy, restingSell, size } = each;
    const exposure = Math.max(Math.abs(size + restingBuy), Math.abs(size - restingSell));
    const tier = market.tiers.find(({ maxSize }) => exposure <= maxSize) ?? market.tiers.at(-1);
    const leverage = BigInt(Math.min(each.leverage, tier?.maxLeverage ?? 1));
    const exposed = BigInt(exposure) * price;
    initial += (exposed + leverage - 1n) / leverage;
    if (size === 0 || hasValidMark(market)) continue;
    const dear = larger(BigInt(market.mark), BigInt(judged(each.id)));
    staleNotional += 2n * magnitude(size) * dear;
  }
  return { value, initial, notional, staleNotional };
}

/**
 * Returns true for a margin-restricted account, which may neither lose money nor open a position.
 */
export function isMarginRestricted({ staleNotional, initial, value }: ScopeNumbers): boolean {
  return staleNotional > 0n && value - staleNotional < initial;
}
