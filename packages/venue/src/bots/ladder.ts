import type { OrderSnapshot, PerpDefinition } from '@oddlot/engine';
import { type Address, MONEY_DECIMALS } from '@oddlot/units';
import type { BotMarket } from './fair-values.ts';

/**
 * Which quotes a maker wants around a price. The rungs lie on a grid that does not move with the
 * price: when it drifts by a rung, one order at each end changes and the rest keep their place.
 */

/** One quote, in units of its instrument. */
export type Rung = { readonly isBuy: boolean; readonly price: number; readonly size: number };

/** The distance of two rungs as a share of the price. */
const STEP_SHARE = 0.0002;
/** What the rung at the touch is worth, and how much more each further one is. */
const TOUCH_USDC = 4_000;
const GROWTH_SHARE = 0.25;
/** An order of which less than this is left is replaced. */
const WORN_SHARE = 0.5;

/** The grid of a price, a whole number of ticks. Prices are counts, so floating point is fine. */
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

/** What has to go and what has to come, so that the live orders are the wanted ones. */
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
 * How much an order at a maker's own best quote would take from the other side, given best first; 0 when nothing crosses it. At
 * least the size of that quote, so that a rest below the minimum value of an order is taken as well.
 */
export function crossedSize(
  { isBuy, price, size }: Rung,
  others: readonly { readonly price: number; readonly size: number }[],
): number {
  const crossed = others.filter((level) => (isBuy ? level.price <= price : level.price >= price));
  const sum = crossed.reduce((total, level) => total + level.size, 0);
  return sum === 0 ? 0 : Math.max(sum, size);
}

/** The quote of each side that is nearest to the other side. */
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

/** An order for shares: `isBuy` and `reduceOnly` name leg and intent, the price is the leg's own. */
type ShareOrder = Rung & { readonly reduceOnly: boolean };

/** Shares of a leg that can be sold. */
export type FreeShares = { yes: number; no: number };

/** The distance of two rungs in a market of any tick. */
const LEG_STEP_SHARE = 0.01;
/** Shares at the touch, and how many more each further rung has. */
const TOUCH_SHARES = 60;
const LEG_GROWTH_SHARE = 0.3;

/** The grid of a market: about a hundredth, in whole ticks. */
export function shareStep({ definition: { priceTick }, unit }: BotMarket): number {
  return Math.max(1, Math.round((unit * LEG_STEP_SHARE) / priceTick)) * priceTick;
}

/**
 * A maker's rungs around a rung of the grid, which stays empty, in YES prices (R-one-book). Makers
 * share the grid as they do on perps.
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
 * The order that fills a rung: held shares are sold first; without them the other leg is bought, which
 * is the same rung of the book (R-mint-burn). Takes what it sells out of `free`.
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

/** How much smaller or larger than planned an order is; the smallest is far from worn (see `difference`). */
const SIZE_SHARE_MIN = 0.7;
const SIZE_SHARE_MAX = 1.6;
/** In how many cases a size is a round number, as people like them. */
const ROUND_SHARE = 0.6;
/** How many of the further rungs a maker leaves out. */
const GAP_SHARE = 1 / 6;

/**
 * What makes one simulated maker differ from the next: sizes that vary and rungs that it leaves out.
 * All of it is drawn from its address, so that the same maker behaves the same, wherever it runs.
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

  /** Whether it quotes at a price that is not the best: always the same answer, so that quotes stay. */
  likes(price: number): boolean {
    return seeded(this.#seed ^ Math.imul(price, 0x9e_37_79_b1))() >= GAP_SHARE;
  }
}

/** To so many digits after the first, and at least 1. */
function rounded(size: number, digits: number): number {
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(1, size))) - digits);
  return Math.max(1, Math.round(size / unit) * unit);
}

/** Uniform in [0, 1), the same for the same seed (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d_2b_79_f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
