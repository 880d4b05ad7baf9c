/**
 * A reference model of margin, written solely from the rulebook. It is small and slow, uses
 * bigints, and shares no code with the engine. It computes each margin account's equity and
 * requirements from positions, costs, balances, marks and tiers. The reference ledger derives these
 * inputs from the engine's events, and the tests compare the engine with both.
 */

export type MarginTierRow = {
  readonly maxSize: bigint;
  readonly maxLeverage: bigint;
  readonly mmrE8: bigint;
};

export type MarginMarket = { readonly mark: bigint; readonly tiers: readonly MarginTierRow[] };

export type MarginLeg = {
  readonly market: MarginMarket;
  /** The signed size, which is negative for a short. The cost has the same sign. */
  readonly size: bigint;
  readonly cost: bigint;
  readonly isIsolated: boolean;
  readonly leverage: bigint;
  readonly margin: bigint;
  /** Remaining sizes of the resting orders, excluding reduce-only orders. */
  readonly buys: bigint;
  readonly sells: bigint;
};

/** The figures of a margin account: an account's cross positions, or one isolated position. */
export type ScopeNumbers = {
  readonly equity: bigint;
  readonly notional: bigint;
  readonly initial: bigint;
  readonly maintenance: bigint;
  /**
   * Maintenance margin plus liquidation fee. The margin ratio is the equity divided by this sum.
   */
  readonly risk: bigint;
};

export const ONE_E8 = 100_000_000n;

export const abs = (value: bigint): bigint => (value < 0n ? -value : value);
export const max = (a: bigint, b: bigint): bigint => (a > b ? a : b);
export const min = (a: bigint, b: bigint): bigint => (a < b ? a : b);
/**
 * Divides and rounds up. The divisor must be positive. Bigint division alone truncates towards
 * zero.
 */
export const ceilDiv = (a: bigint, b: bigint): bigint => (a > 0n ? (a + b - 1n) / b : a / b);
export const floorDiv = (a: bigint, b: bigint): bigint => -ceilDiv(-a, b);

/** R-initial: returns the largest position that the resting orders could create. */
export function worstExposure(leg: Pick<MarginLeg, 'size' | 'buys' | 'sells'>): bigint {
  return max(abs(leg.size + leg.buys), abs(leg.size - leg.sells));
}

/** Returns the tier for a size. A size on a boundary belongs to the lower tier. */
function tierAt(tiers: readonly MarginTierRow[], size: bigint): MarginTierRow {
  const tier = tiers.find(({ maxSize }) => size <= maxSize) ?? tiers.at(-1);
  if (tier === undefined) throw new Error('no tiers');
  return tier;
}

export function leverageFor(market: MarginMarket, size: bigint, leverage: bigint): bigint {
  return min(leverage, tierAt(market.tiers, size).maxLeverage);
}

export function initialFor(market: MarginMarket, size: bigint, leverage: bigint): bigint {
  return ceilDiv(size * market.mark, leverageFor(market, size, leverage));
}

/** R-tiers: charges each part of a position at its tier's rate. */
export function maintenanceFor(market: MarginMarket, size: bigint): bigint {
  let weighted = 0n;
  let from = 0n;
  for (const [at, { maxSize, mmrE8 }] of market.tiers.entries()) {
    const isLast = at === market.tiers.length - 1;
    const until = isLast ? max(size, maxSize) : maxSize;
    weighted += max(0n, min(size, until) - from) * mmrE8;
    from = maxSize;
  }
  return ceilDiv(weighted * market.mark, ONE_E8);
}

export function scopeNumbers(
  money: bigint,
  legs: readonly MarginLeg[],
  liquidationFeeE8: bigint,
): ScopeNumbers {
  let equity = money;
  let notional = 0n;
  let initial = 0n;
  let maintenance = 0n;
  for (const leg of legs) {
    const { market, size } = leg;
    equity += size * market.mark - leg.cost;
    notional += abs(size) * market.mark;
    initial += initialFor(market, worstExposure(leg), leg.leverage);
    maintenance += maintenanceFor(market, abs(size));
  }
  const risk = maintenance + ceilDiv(notional * liquidationFeeE8, ONE_E8);
  return { equity, notional, initial, maintenance, risk };
}

/**
 * R-ratio: returns true if the ratio is 1.0 or less. An account without positions is never
 * liquidated.
 */
export function isAtRisk({ equity, notional, risk }: ScopeNumbers): boolean {
  return notional > 0n && equity <= risk;
}

/** R-withdrawable: returns the withdrawable amount, before the deduction for stale positions. */
export function withdrawableOf(balance: bigint, cross: ScopeNumbers): bigint {
  const required = max(cross.initial, ceilDiv(cross.notional, 10n));
  return max(0n, min(balance, cross.equity - required));
}

/** Returns the free cross balance (R-isolated). */
export function freeOf(balance: bigint, cross: ScopeNumbers): bigint {
  return max(0n, min(balance, cross.equity - cross.initial));
}

/**
 * R-bankruptcy-price: returns the price as a fraction, rounded in the account's favour. Positive
 * equity is split in proportion to maintenance margin, and a deficit in proportion to losses.
 */
export function bankruptcyOf(
  leg: Pick<MarginLeg, 'market' | 'size'>,
  scope: Pick<ScopeNumbers, 'equity' | 'maintenance'>,
  losses: { readonly own: bigint; readonly all: bigint },
): bigint {
  const { market, size } = leg;
  const isDebt = scope.equity < 0n;
  if (isDebt && losses.all === 0n) return market.mark;
  const own = isDebt ? losses.own : maintenanceFor(market, abs(size));
  const divisor = (isDebt ? losses.all : scope.maintenance) * abs(size);
  const distance = scope.equity * own;
  const price =
    size > 0n
      ? ceilDiv(market.mark * divisor - distance, divisor)
      : floorDiv(market.mark * divisor + distance, divisor);
  if (!isDebt) return max(1n, price);
  const furthest = losses.own / abs(size);
  return size > 0n ? min(price, market.mark + furthest) : max(price, market.mark - furthest);
}
