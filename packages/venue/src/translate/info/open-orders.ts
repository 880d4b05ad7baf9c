import { openOrders, triggerOrders as waitingOrders } from '@oddlot/engine';
import type { OpenOrder, TriggerOrder } from '@oddlot/protocol';
import { answer, type InfoHandler } from './handler.ts';
import { OrderRows } from './order-rows.ts';

/** Orders in the book, newest first; what waits for its price is listed elsewhere. */
export const frontendOpenOrders: InfoHandler<'frontendOpenOrders', OpenOrder[]> = (
  { state },
  { user, coin, accountType },
) => {
  if (!accountType.includes('perp')) return answer([]);
  const rows = new OrderRows(state);
  const orders = openOrders(state, user).filter(
    ({ instrumentId }) => coin === undefined || String(instrumentId) === coin,
  );
  return answer(orders.map((order) => rows.open(order)));
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
