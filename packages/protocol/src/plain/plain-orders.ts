import type { ActionOf } from '../actions/registry.ts';

/**
 * Limit orders without extras, flat: few values that cross threads cheaply, from which the action is
 * put together again as its schema would have read it.
 */

/** Instrument, flags, price, size, client order id; repeated. Without a client order id the text is empty. */
export type PlainOrders = (number | string)[];

const ORDER_PARTS = 5;

export const PLAIN_TIFS = ['Gtc', 'Alo', 'Ioc', 'FrontendMarket'] as const;

const KINDS = PLAIN_TIFS.map((tif) => ({ limit: { tif } }));

const IS_BUY = 1;
const REDUCES = 2;
const HAS_CLIENT_ID = 4;
const TIF_SHIFT = 3;

/** One order, its time in force by its place in `PLAIN_TIFS`. */
type PlainOrder = {
  readonly instrument: number;
  readonly isBuy: boolean;
  readonly price: string;
  readonly size: string;
  readonly reduces: boolean;
  readonly tif: number;
  readonly clientId: string | undefined;
};

export function pushPlainOrder(orders: PlainOrders, order: PlainOrder): void {
  const { clientId, instrument, isBuy, price, reduces, size, tif } = order;
  const flags =
    (isBuy ? IS_BUY : 0) |
    (reduces ? REDUCES : 0) |
    (clientId === undefined ? 0 : HAS_CLIENT_ID) |
    (tif << TIF_SHIFT);
  orders.push(instrument, flags, price, size, clientId ?? '');
}

/** The action that the orders came from. */
export function plainOrderAction(flat: PlainOrders): ActionOf<'order'> {
  const orders: ActionOf<'order'>['orders'] = [];
  for (let at = 0; at < flat.length; at += ORDER_PARTS) {
    const flags = flat[at + 1] as number;
    const order = {
      a: flat[at] as number,
      b: (flags & IS_BUY) !== 0,
      p: flat[at + 2] as string,
      s: flat[at + 3] as string,
      r: (flags & REDUCES) !== 0,
      t: KINDS[flags >> TIF_SHIFT] ?? { limit: { tif: 'Gtc' } },
    };
    orders.push((flags & HAS_CLIENT_ID) === 0 ? order : { ...order, c: flat[at + 4] as string });
  }
  return { type: 'order', grouping: 'na', orders };
}
