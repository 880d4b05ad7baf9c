import { openOrders, triggerOrders as waitingOrders } from '@oddlot/engine';
import type { OpenOrder, TriggerOrder } from '@oddlot/protocol';
import { answer, type InfoHandler } from './handler.ts';
import { outcomeOrderRows } from './outcome-orders.ts';
import { OrderRows } from './order-rows.ts';

/** Orders in the book, newest first; what waits for its price is listed elsewhere. */
export const frontendOpenOrders: InfoHandler<'frontendOpenOrders', OpenOrder[]> = (
  { state, markets },
  { user, coin, accountType },
) => {
  const rows: OpenOrder[] = [];
  if (accountType.includes('perp')) {
    const perps = new OrderRows(state);
    rows.push(...openOrders(state, user).map((order) => perps.open(order)));
  }
  if (accountType.includes('outcome')) {
    rows.push(...outcomeOrderRows(state, markets.catalogue, user));
  }
  const wanted = rows.filter(
    ({ instrumentId }) => coin === undefined || `${instrumentId}` === coin,
  );
  return answer(wanted.sort((a, b) => b.oid - a.oid));
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
