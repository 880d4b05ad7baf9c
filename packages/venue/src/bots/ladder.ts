import type { OrderSnapshot, PerpDefinition } from '@oddlot/engine';
import { type Address, MONEY_DECIMALS } from '@oddlot/units';
import type { BotMarket } from './fair-values.ts';

/**
 * A maker's quotes around a price. Their price levels, called rungs, are on a grid that does not
 * move with the price. When the price drifts by one rung, one order at each end of the ladder
 * changes, and the others keep their queue position.
 */

export type Rung = { readonly isBuy: boolean; readonly price: number; readonly size: number };

/** The distance between two rungs of a perp, as a fraction of the price. */
const STEP_SHARE = 0.0002;
/** The value of the rung closest to the price, and the relative increase per further rung. */
const TOUCH_USDC = 4_000;
const GROWTH_SHARE = 0.25;
/** An order is replaced when less than this fraction of its size remains. */
const WORN_SHARE = 0.5;

/**
 * Returns the distance between two rungs as a whole number of ticks. Prices are integers, so
 * floating point is exact enough.
 */
export function gridStep(price: number, priceTick: number): number {
  return Math.max(1, Math.round((price * STEP_SHARE) / priceTick)) * priceTick;
}

/**
 * Returns a maker's rungs on both sides of the rung nearest to the price, which stays empty. Each
 * maker uses every `makers`-th rung of a shared grid, so their quotes never cross.
 */
export function ladder(
  perp: PerpDefinition,
  anchor: number,
  shape: {
    readonly step: number;
    readonly levels: number;
    readonly maker: number;
    readonly makers: number;
  },
): Rung[] {
  const { step, levels, maker, makers } = shape;
  const rungs: Rung[] = [];
  for (let level = 0; level < levels; level++) {
    const distance = level * makers + maker + 1;
    for (const isBuy of [true, false]) {
      const price = (anchor + (isBuy ? -distance : distance)) * step;
      if (price > 0) rungs.push({ isBuy, price, size: rungSize(perp, price, distance) });
    }
  }
  return rungs;
}

function rungSize(perp: PerpDefinition, price: number, distance: number): number {
  const usdc = TOUCH_USDC * (1 + GROWTH_SHARE * (distance - 1));
  const lots = Math.round((usdc * 10 ** MONEY_DECIMALS) / price);
  return Math.min(Math.max(1, lots), perp.maxLimitOrderSize);
}

/**
 * Returns which live orders to cancel and which missing rungs to place, so that the live orders
 * match the requested rungs.
 */
export function difference(
  rungs: readonly Rung[],
  live: readonly OrderSnapshot[],
): { readonly stale: readonly OrderSnapshot[]; readonly missing: readonly Rung[] } {
  const open = new Map(rungs.map((rung) => [keyOf(rung), rung]));
  const stale: OrderSnapshot[] = [];
  for (const order of live) {
    const key = keyOf(order);
    const rung = open.get(key);
    if (rung === undefined || order.remaining < rung.size * WORN_SHARE) stale.push(order);
    else open.delete(key);
  }
  return { stale, missing: [...open.values()] };
}

/**
 * Returns the size that an order at a maker's best quote would fill against the other side of the
 * book, which is given best first; 0 if nothing crosses. The result is at least the size of the
 * quote, so that a remainder below the minimum order value is filled too.
 */
export function crossedSize(
  { isBuy, price, size }: Rung,
  others: readonly { readonly price: number; readonly size: number }[],
): number {
  const crossed = others.filter((level) => (isBuy ? level.price <= price : level.price >= price));
  const sum = crossed.reduce((total, level) => total + level.size, 0);
  return sum === 0 ? 0 : Math.max(sum, size);
}

export function bestRungs(rungs: readonly Rung[]): readonly Rung[] {
  return [true, false].flatMap((isBuy) =>
    rungs
      .filter((rung) => rung.isBuy === isBuy)
      .sort((a, b) => (isBuy ? b.price - a.price : a.price - b.price))
      .slice(0, 1),
  );
}

function keyOf({ isBuy, price }: { readonly isBuy: boolean; readonly price: number }): string {
  return `${isBuy ? 'B' : 'A'}${price}`;
}

/**
 * An order for outcome shares. `isBuy` and `reduceOnly` determine the outcome and the direction;
 * the price is for that outcome.
 */
type ShareOrder = Rung & { readonly reduceOnly: boolean };

export type FreeShares = { yes: number; no: number };

/** The distance between two rungs of an outcome market, as a fraction of a share's payout. */
const LEG_STEP_SHARE = 0.01;
/**
 * The number of shares in the rung closest to the fair value, and the relative increase per further
 * rung.
 */
const TOUCH_SHARES = 60;
const LEG_GROWTH_SHARE = 0.3;

/** Returns the distance between two rungs of a market: about 0.01, as a whole number of ticks. */
export function shareStep({ definition: { priceTick }, unit }: BotMarket): number {
  return Math.max(1, Math.round((unit * LEG_STEP_SHARE) / priceTick)) * priceTick;
}

/**
 * Returns a maker's rungs around an empty rung of the grid, in YES prices (R-one-book). Makers
 * share the grid as on perps.
 */
export function shareLadder(
  market: BotMarket,
  anchor: number,
  shape: { readonly levels: number; readonly maker: number; readonly makers: number },
): Rung[] {
  const { levels, maker, makers } = shape;
  const step = shareStep(market);
  const rungs: Rung[] = [];
  for (let level = 0; level < levels; level++) {
    const distance = level * makers + maker + 1;
    for (const isBuy of [true, false]) {
      const price = (anchor + (isBuy ? -distance : distance)) * step;
      if (price > 0 && price < market.unit)
        rungs.push({ isBuy, price, size: sizeAt(market, distance) });
    }
  }
  return rungs;
}

function sizeAt({ definition }: BotMarket, distance: number): number {
  const { maxOrderSize, minOrderSize, szDecimals } = definition;
  const shares = TOUCH_SHARES * (1 + LEG_GROWTH_SHARE * (distance - 1));
  const lots = Math.round(shares * 10 ** szDecimals);
  return Math.min(Math.max(minOrderSize, lots), maxOrderSize);
}

/**
 * Returns the order to place on a rung. It sells shares held by the maker if there are enough, and
 * otherwise buys the other outcome, which is the same rung of the book (R-mint-burn). Sold shares
 * are deducted from `free`.
 */
export function shareOrder(
  { isBuy, price, size }: Rung,
  free: FreeShares,
  unit: number,
): ShareOrder {
  const sold = isBuy ? 'no' : 'yes';
  const reduceOnly = free[sold] >= size;
  if (reduceOnly) free[sold] -= size;
  const leg = isBuy === reduceOnly ? 'no' : 'yes';
  return { isBuy, reduceOnly, size, price: leg === 'yes' ? price : unit - price };
}

/**
 * The bounds of the random factor that the planned size is multiplied by. The minimum is well above
 * `WORN_SHARE`.
 */
const SIZE_SHARE_MIN = 0.7;
const SIZE_SHARE_MAX = 1.6;
/** The fraction of sizes rounded to two digits; the others are rounded to three. */
const ROUND_SHARE = 0.6;
/** The fraction of outer rungs that a maker leaves empty. */
const GAP_SHARE = 1 / 6;

/**
 * Varies the sizes of a simulated maker and omits some of its rungs. All choices are derived from
 * the maker's address, so that a maker behaves identically in every process.
 */
export class QuotingStyle {
  readonly #seed: number;
  readonly #random: () => number;

  constructor(address: Address) {
    this.#seed = Number.parseInt(address.slice(-8), 16);
    this.#random = seeded(this.#seed);
  }

  /** Returns a random size near the planned one, within the limits of the market. */
  sizeNear(planned: number, bounds: { readonly min: number; readonly max: number }): number {
    const share = SIZE_SHARE_MIN + this.#random() * (SIZE_SHARE_MAX - SIZE_SHARE_MIN);
    const digits = this.#random() < ROUND_SHARE ? 1 : 2;
    const size = rounded(planned * share, digits);
    return Math.min(Math.max(bounds.min, size), bounds.max);
  }

  /**
   * Returns true if the maker quotes at a price other than its best. The result for a given price
   * never changes, so that quotes are not moved.
   */
  quotesAt(price: number): boolean {
    return seeded(this.#seed ^ Math.imul(price, 0x9e_37_79_b1))() >= GAP_SHARE;
  }
}

/** Rounds to this number of digits after the first digit, and to at least 1. */
function rounded(size: number, digits: number): number {
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(1, size))) - digits);
  return Math.max(1, Math.round(size / unit) * unit);
}

/**
 * Returns a generator of uniformly distributed numbers in [0, 1) that is reproducible by seed
 * (mulberry32).
 */
function seeded(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d_2b_79_f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
