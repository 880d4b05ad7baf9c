import type { BotMarket } from './fair-values.ts';
import type { Rung } from './ladder.ts';

/** An order for shares: `isBuy` and `reduceOnly` name leg and intent, the price is the leg's own. */
type ShareOrder = Rung & { readonly reduceOnly: boolean };

/** Shares of a leg that can be sold. */
export type FreeShares = { yes: number; no: number };

/** The distance of two rungs in a market of any tick. */
const STEP_SHARE = 0.01;
/** Shares at the touch, and how many more each further rung has. */
const TOUCH_SHARES = 60;
const GROWTH_SHARE = 0.3;

/** The grid of a market: about a hundredth, in whole ticks. */
export function shareStep({ definition: { priceTick }, unit }: BotMarket): number {
  return Math.max(1, Math.round((unit * STEP_SHARE) / priceTick)) * priceTick;
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
  const shares = TOUCH_SHARES * (1 + GROWTH_SHARE * (distance - 1));
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
