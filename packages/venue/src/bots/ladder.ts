import type { OrderSnapshot, PerpDefinition } from '@oddlot/engine';
import { type Address, MONEY_DECIMALS } from '@oddlot/units';
import type { BotMarket } from './fair-values.ts';

/**
 * The quotes of a maker around a price. The rungs are on a grid that does not move with the price:
 * when the price drifts by a rung, one order at each end changes and the others keep their queue
 * position.
 */

/** One quote, in units of its instrument. */
export type Rung = { readonly isBuy: boolean; readonly price: number; readonly size: number };

/** The distance of two rungs as a fraction of the price. */
const STEP_SHARE = 0.0002;
/** The value of the rung at the touch, and the increase per further rung. */
const TOUCH_USDC = 4_000;
const GROWTH_SHARE = 0.25;
/** An order with less than this fraction remaining is replaced. */
const WORN_SHARE = 0.5;

/**
 * The grid of a price, a whole number of ticks. Prices are counts, so floating point is exact
 * enough.
 */
export function gridStep(price: number, priceTick: number): number {
  return Math.max(1, Math.round((price * STEP_SHARE) / priceTick)) * priceTick;
}

/**
 * A maker's rungs on both sides of the rung nearest to a price, which stays empty. Makers share a
 * grid: each has every `makers`-th rung, so that together they are deep and never cross.
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

/** The orders to cancel and the rungs to place, so that the live orders become the wanted ones. */
export function difference(
  wanted: readonly Rung[],
  live: readonly OrderSnapshot[],
): { readonly stale: readonly OrderSnapshot[]; readonly missing: readonly Rung[] } {
  const open = new Map(wanted.map((rung) => [keyOf(rung), rung]));
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
 * The size that an order at a maker's best quote would execute against the other side, given best
 * first; 0 if none crosses. At least the size of the quote, so that a remainder below the minimum
 * order value is executed as well.
 */
export function crossedSize(
  { isBuy, price, size }: Rung,
  others: readonly { readonly price: number; readonly size: number }[],
): number {
  const crossed = others.filter((level) => (isBuy ? level.price <= price : level.price >= price));
  const sum = crossed.reduce((total, level) => total + level.size, 0);
  return sum === 0 ? 0 : Math.max(sum, size);
}

export function bestRungs(wanted: readonly Rung[]): readonly Rung[] {
  return [true, false].flatMap((isBuy) =>
    wanted
      .filter((rung) => rung.isBuy === isBuy)
      .sort((a, b) => (isBuy ? b.price - a.price : a.price - b.price))
      .slice(0, 1),
  );
}

function keyOf({ isBuy, price }: { readonly isBuy: boolean; readonly price: number }): string {
  return `${isBuy ? 'B' : 'A'}${price}`;
}

/**
 * An order for shares: `isBuy` and `reduceOnly` determine outcome and direction, and the price is
 * that of the outcome.
 */
type ShareOrder = Rung & { readonly reduceOnly: boolean };

/** Shares of each outcome that can be sold. */
export type FreeShares = { yes: number; no: number };

/** The distance of two rungs in a market of any tick. */
const LEG_STEP_SHARE = 0.01;
/** Shares at the touch, and the increase per further rung. */
const TOUCH_SHARES = 60;
const LEG_GROWTH_SHARE = 0.3;

/** The grid of a market: about 0.01, in whole ticks. */
export function shareStep({ definition: { priceTick }, unit }: BotMarket): number {
  return Math.max(1, Math.round((unit * LEG_STEP_SHARE) / priceTick)) * priceTick;
}

/**
 * A maker's rungs around an empty rung of the grid, in YES prices (R-one-book). Makers share the
 * grid as on perps.
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
 * The order that fills a rung: it sells held shares first; without them it buys the other outcome,
 * which is the same rung of the book (R-mint-burn). Deducts the sold shares from `free`.
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

/** Random factors of the planned size; the smallest is well above `WORN_SHARE`. */
const SIZE_SHARE_MIN = 0.7;
const SIZE_SHARE_MAX = 1.6;
/** The fraction of sizes that are round numbers, as with human traders. */
const ROUND_SHARE = 0.6;
/** The fraction of the outer rungs that a maker omits. */
const GAP_SHARE = 1 / 6;

/**
 * The individual behaviour of a simulated maker: varying sizes and omitted rungs. All of it is
 * derived from its address, so that a maker behaves identically in every process.
 */
export class QuotingStyle {
  readonly #seed: number;
  readonly #random: () => number;

  constructor(address: Address) {
    this.#seed = Number.parseInt(address.slice(-8), 16);
    this.#random = seeded(this.#seed);
  }

  /** A size near the planned one, within the bounds of its market. */
  sizeNear(planned: number, bounds: { readonly min: number; readonly max: number }): number {
    const share = SIZE_SHARE_MIN + this.#random() * (SIZE_SHARE_MAX - SIZE_SHARE_MIN);
    const digits = this.#random() < ROUND_SHARE ? 1 : 2;
    const size = rounded(planned * share, digits);
    return Math.min(Math.max(bounds.min, size), bounds.max);
  }

  /**
   * True if it quotes at a price behind the best one. The result for a price is constant, so that
   * quotes stay.
   */
  likes(price: number): boolean {
    return seeded(this.#seed ^ Math.imul(price, 0x9e_37_79_b1))() >= GAP_SHARE;
  }
}

/** Rounds to this many digits after the first; at least 1. */
function rounded(size: number, digits: number): number {
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(1, size))) - digits);
  return Math.max(1, Math.round(size / unit) * unit);
}

/** Uniform in [0, 1), reproducible by seed (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d_2b_79_f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
