import {
  openOrders,
  outcomeOpenOrders,
  triggerOrders as waitingOrders,
  type OrderSnapshot,
} from '@oddlot/engine';
import type { OpenOrder, TriggerOrder } from '@oddlot/protocol';
import { answer, type InfoHandler } from './handler.ts';
import { rowsOf, type LazyRows } from './lazy-rows.ts';
import { outcomeOrderRow } from './outcome-orders.ts';
import { OrderRows } from './order-rows.ts';

/** Orders in the book, newest first; what waits for its price is listed elsewhere. */
export const frontendOpenOrders: InfoHandler<
  'frontendOpenOrders',
  OpenOrder[] | LazyRows<OpenOrder>
> = ({ state, markets }, { user, coin, accountType }) => {
  const isWanted = ({ instrumentId }: OrderSnapshot): boolean =>
    coin === undefined || `${instrumentId}` === coin;
  const rows: { readonly oid: number; readonly make: () => OpenOrder }[] = [];
  if (accountType.includes('perp')) {
    const perps = new OrderRows(state);
    for (const order of openOrders(state, user).filter(isWanted)) {
      rows.push({ oid: order.orderId, make: perps.open(order) });
    }
  }
  if (accountType.includes('outcome')) {
    for (const order of outcomeOpenOrders(state, user).filter(isWanted)) {
      rows.push({ oid: order.orderId, make: outcomeOrderRow(state, markets.catalogue, order) });
    }
  }
  return answer(rowsOf(rows.sort((a, b) => b.oid - a.oid).map(({ make }) => make)));
};

/** Orders that wait for their price, newest first; those of a position are with the position. */
export const triggerOrders: InfoHandler<'triggerOrders', TriggerOrder[]> = (
  { state },
  { user, asset },
) => {
  const rows = new OrderRows(state);
  const orders = waitingOrders(state, user).filter(
    ({ order }) => asset === undefined || asset === null || String(order.instrumentId) === asset,
  );
  return answer(orders.map((order) => rows.trigger(order)));
};
