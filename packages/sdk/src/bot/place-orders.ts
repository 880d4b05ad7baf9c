import { CLIENT_LIMITS, type OrderResult } from '@oddlot/protocol';
import type { TradingClient } from '../exchange/create-trading.ts';
import type { OrderEntry, OrderParameters } from '../exchange/order.ts';
import { waitFor, type Pacer } from './pacer.ts';

/** How many orders are placed. */
export type PlaceOptions = {
  readonly builder?: OrderParameters['builder'];
  /** Keeps to the limits of the venue. */
  readonly pacer?: Pacer | undefined;
  readonly signal?: AbortSignal | undefined;
};

/** What became of one of many orders; `undefined` where the venue has not said it yet. */
export type PlacedOrder = { readonly order: OrderEntry; readonly result: OrderResult | undefined };

/**
 * Places any number of orders, as many in an action as it takes, one action after the other. Each order has its own end; an
 * action that is refused as a whole is thrown, and those before it stand.
 *
 * @throws ValidationError, SigningError, HttpError, ApiError
 */
export async function placeOrders(
  { exchange }: { readonly exchange: Pick<TradingClient, 'order'> },
  orders: readonly OrderEntry[],
  { builder, pacer, signal }: PlaceOptions = {},
): Promise<PlacedOrder[]> {
  const placed: PlacedOrder[] = [];
  for (let from = 0; from < orders.length; from += CLIENT_LIMITS.ordersMax) {
    const some = orders.slice(from, from + CLIENT_LIMITS.ordersMax);
    await waitFor(pacer, signal);
    const parameters = { orders: some, ...(builder === undefined ? {} : { builder }) };
    const reply = await exchange.order(parameters, { confirm: 'executed', signal });
    const results = reply.status === 'executed' ? reply.orders : [];
    placed.push(...some.map((order, index) => ({ order, result: results[index] })));
  }
  return placed;
}
