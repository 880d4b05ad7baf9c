/** The reference venue's types, and its stateless margin and funding arithmetic. */

export type ReferenceTier = {
  readonly maxSize: bigint;
  readonly maxLeverage: bigint;
  readonly mmrE8: bigint;
};

export type ReferencePerp = {
  readonly id: number;
  readonly tick: bigint;
  readonly maxLimit: bigint;
  readonly maxMarket: bigint;
  readonly takerFeeE8: bigint;
  readonly makerFeeE8: bigint;
  readonly tiers: readonly ReferenceTier[];
  readonly impactNotional: bigint;
  oracle: bigint;
  oracleMs: number;
  mark: bigint;
  /** R-funding: the sum of the current hour's premiums, in 10^-10, and how many there are. */
  premiums: bigint;
  samples: number;
};

export type ReferenceRequest = {
  readonly perp: number;
  readonly isBuy: boolean;
  readonly price: bigint;
  readonly size: bigint;
  readonly tif: 'gtc' | 'gtd' | 'alo' | 'ioc' | 'market';
  readonly reduceOnly: boolean;
  readonly client: string | undefined;
  readonly expireMs: number | undefined;
};

export type ReferenceOrder = ReferenceRequest & {
  readonly id: number;
  readonly owner: string;
  original: bigint;
  remaining: bigint;
  filledNotional: bigint;
  /** The notional and the fee that the order has paid in its current role. */
  roleNotional: bigint;
  rolePaid: bigint;
};

export type ReferenceResult = {
  readonly state: 'open' | 'filled' | 'cancelled' | 'rejected';
  readonly reason: string | undefined;
  readonly filled: bigint;
  readonly filledNotional: bigint;
};

type Side = readonly Pick<ReferenceOrder, 'price' | 'remaining'>[];

export const ONE = 100_000_000n;
const LEVERAGE = 20n;
/** R-funding: the cap is 1%, in units of 10^-10. */
const PREMIUM_CAP = 100_000_000n;

export const abs = (value: bigint): bigint => (value < 0n ? -value : value);
export const max = (a: bigint, b: bigint): bigint => (a > b ? a : b);
export const min = (a: bigint, b: bigint): bigint => (a < b ? a : b);
/** Divides and rounds up. Both arguments must be non-negative. */
export const ceil = (a: bigint, b: bigint): bigint => (a + b - 1n) / b;

export const isReducing = (held: bigint, signed: bigint): boolean =>
  held !== 0n && held > 0n !== signed > 0n && abs(signed) <= abs(held);

/**
 * R-fill-check: returns true if the price is worse than the mark by at most 0.5% and at most 5% /
 * leverage.
 */
export function isNear({ mark, tiers }: ReferencePerp, isBuy: boolean, price: bigint): boolean {
  const leverage = min(LEVERAGE, tiers[0]?.maxLeverage ?? LEVERAGE);
  const worse = isBuy ? price - mark : mark - price;
  return worse * 200n <= mark && worse * 20n * leverage <= mark;
}

export function clamped(
  perp: ReferencePerp,
  { isBuy, price }: { readonly isBuy: boolean; readonly price: bigint },
): bigint {
  const ticks = 100n * perp.tick;
  if (isBuy) return min(price, ((perp.mark * 105n) / ticks) * perp.tick);
  return max(price, ceil(perp.mark * 95n, ticks) * perp.tick);
}

export function initialOf(perp: ReferencePerp, exposure: bigint): bigint {
  const tier = perp.tiers.find(({ maxSize }) => exposure <= maxSize) ?? perp.tiers.at(-1);
  const most = tier?.maxLeverage ?? 1n;
  const first = perp.tiers[0]?.maxLeverage ?? 1n;
  return ceil(exposure * perp.mark, min(min(LEVERAGE, first), most));
}

/** Charges each part of the position at its tier's rate. */
export function maintenanceOf(perp: ReferencePerp, size: bigint): bigint {
  let weighted = 0n;
  let from = 0n;
  for (const { maxSize, mmrE8 } of perp.tiers) {
    weighted += max(0n, min(size, maxSize) - from) * mmrE8;
    from = maxSize;
  }
  return ceil(weighted * perp.mark, ONE);
}

/** R-funding: returns (max(b − O, 0) − max(O − a, 0)) / O in 10^-10, rounded towards zero. */
export function premiumOf(perp: ReferencePerp, bids: Side, asks: Side): bigint {
  const { mark, oracle } = perp;
  const bid = impactOf(perp, bids);
  const ask = impactOf(perp, asks);
  const inE10 = (distance: bigint, lots: bigint): bigint =>
    (10_000_000_000n * distance) / (oracle * lots);
  const above = bid && [inE10(bid.value - oracle * bid.lots, bid.lots), inE10(mark - oracle, 1n)];
  const below = ask && [inE10(oracle * ask.lots - ask.value, ask.lots), inE10(oracle - mark, 1n)];
  const capped = (distances: readonly bigint[] = [0n]): bigint =>
    max(0n, [...distances, PREMIUM_CAP].reduce(min));
  return capped(above) - capped(below);
}

/**
 * Returns one side's average price for the impact notional as a fraction of value and lots, both
 * multiplied by one price.
 */
function impactOf(
  { impactNotional }: ReferencePerp,
  side: Side,
): { value: bigint; lots: bigint } | undefined {
  let left = impactNotional;
  let lots = 0n;
  for (const { price, remaining } of side) {
    if (price * remaining >= left) {
      return { value: impactNotional * price, lots: lots * price + left };
    }
    left -= price * remaining;
    lots += remaining;
  }
  return undefined;
}

/** Returns the hourly funding rate in 10^-10. */
export function rateOf(premium: bigint): bigint {
  const pull = max(-5_000_000n, min(5_000_000n, 1_000_000n - premium));
  // The division by 8 rounds half up: (x + 4) / 8 is rounded down.
  const raised = premium + pull + 4n;
  return raised >= 0n ? raised / 8n : -ceil(-raised, 8n);
}

/**
 * Returns the payment for size × oracle × rate. Payments are rounded up, and receipts are rounded
 * towards zero.
 */
export function paidFor(due: bigint): bigint {
  return due > 0n ? ceil(due, 10_000_000_000n) : due / 10_000_000_000n;
}

/** R-sizes: returns why an order's numbers are rejected, or undefined if they are valid. */
export function shapeFault(
  { maxLimit, maxMarket, tick }: ReferencePerp,
  { price, size, tif }: ReferenceRequest,
): string | undefined {
  if (size <= 0n) return 'sizeBelowMin';
  if (size > (tif === 'ioc' || tif === 'market' ? maxMarket : maxLimit)) return 'sizeAboveMax';
  if (price <= 0n) return 'priceOutOfRange';
  return price % tick === 0n ? undefined : 'priceOffTick';
}

/** R-sizes: returns true if the price is more than 80% away from the oracle price. */
export function isTooFar({ oracle }: ReferencePerp, price: bigint): boolean {
  return 5n * price < oracle || 5n * price > 9n * oracle;
}

/** Sorts lower prices first. */
export const cheaper = (a: ReferenceOrder, b: ReferenceOrder): number =>
  Number(a.price > b.price) - Number(a.price < b.price);
