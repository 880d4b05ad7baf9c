import { ValidationError } from '../errors.ts';
import { limitOrder } from '../exchange/limit-order.ts';
import type { OrderEntry } from '../exchange/order.ts';
import type { InfoClient } from '../info/create-info.ts';
import type { Instrument } from './instruments.ts';
import { onGrid, withPercent } from './on-grid.ts';

/** A market order on a perp, in words. */
export type MarketOrder = {
  readonly instrument: Instrument;
  readonly side: 'buy' | 'sell';
  /** A decimal text, on the grid. */
  readonly size: string;
  /** How much worse than the best price of now it may be, in percent: `'0.5'`. */
  readonly slippagePercent: string;
  readonly reduceOnly?: boolean | undefined;
  readonly cloid?: string | undefined;
};

/**
 * Takes what is there, and nothing beyond a bound: an order that is good at once or not at all, at the best price of the other
 * side and some percent more. The bound is rounded to the grid so that it is never worse than was said.
 *
 * @throws ValidationError when nobody stands on the other side, HttpError, ApiError
 */
export async function marketOrder(
  { info }: { readonly info: InfoClient },
  { instrument, side, size, slippagePercent, reduceOnly, cloid }: MarketOrder,
): Promise<OrderEntry> {
  const { id, isOutcome, name, priceTick } = instrument;
  if (isOutcome) throw new ValidationError(`${name} is an outcome market: its orders need a price`);
  if (!/^[0-9]{1,2}(\.[0-9]+)?$/.test(slippagePercent)) {
    throw new ValidationError(
      `Invalid slippage: ${slippagePercent}. Use a percentage from 0 to 100`,
    );
  }
  const { levels } = await info.l2Book({ coin: String(id) });
  const best = levels[side === 'buy' ? 1 : 0][0]?.px;
  if (best === undefined) {
    throw new ValidationError(`There are no ${side === 'buy' ? 'asks' : 'bids'} on ${name}`);
  }
  const bound = withPercent(best, side === 'buy' ? slippagePercent : `-${slippagePercent}`);
  const price = onGrid(bound, priceTick, side === 'buy' ? 'down' : 'up');
  return limitOrder({ asset: id, side, price, size, tif: 'Ioc', reduceOnly, cloid });
}
