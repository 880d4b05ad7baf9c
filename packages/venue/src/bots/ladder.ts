import type { OrderSnapshot, PerpDefinition } from '@oddlot/engine';
import { MONEY_DECIMALS } from '@oddlot/units';

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
