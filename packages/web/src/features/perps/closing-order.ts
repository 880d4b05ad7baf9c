import { limitOrder, type AssetPosition, type OrderParameters } from '@oddlot/sdk';
import { magnitude, multiply, onStep } from '../../lib/decimal.ts';
import type { Grid } from './grid.ts';
import { marketPrice } from './ticket/orders-of-draft.ts';
import { isLong } from './use-account.ts';

/** A market order that closes a part of a position, at least one lot; all of it to the last lot. */
export function closingOrder(
  row: AssetPosition,
  percent: number,
  { lot, tick }: Grid,
): OrderParameters {
  const { asset, markPx, szi } = row.position;
  const whole = magnitude(szi);
  const part = onStep(multiply(whole, String(percent / 100)), lot, 'down');
  const size = percent === 100 ? whole : part === '0' ? lot : part;
  const side = isLong(row) ? 'sell' : 'buy';
  return {
    orders: [
      limitOrder({
        asset: Number(asset),
        side,
        size,
        price: marketPrice(side, markPx, tick),
        reduceOnly: true,
        tif: 'FrontendMarket',
      }),
    ],
  };
}
