import { openOrders, tradeCapacity, type OrderSnapshot, type State } from '@oddlot/engine';
import type { OpenOrder, TriggerOrder } from '@oddlot/protocol';
import type { Address, InstrumentId } from '@oddlot/units';
import { orderFields } from '../event-to-stream.ts';
import { defaultLeverage } from './account.ts';
import { answer, findPerp, type InfoHandler } from './handler.ts';

export const frontendOpenOrders: InfoHandler<'frontendOpenOrders', OpenOrder[]> = (
  { state },
  { user, coin, accountType },
) => {
  if (!accountType.includes('perp')) return answer([]);
  const leverages = new Map<number, number>();
  const rows = openOrders(state, user)
    .filter((order) => coin === undefined || String(order.instrumentId) === coin)
    .map((order) => openOrderRow(state, order, leverages));
  return answer(rows);
};

/** Trigger orders do not exist yet, so nobody has any. */
export const triggerOrders: InfoHandler<'triggerOrders', TriggerOrder[]> = () => answer([]);

function openOrderRow(
  state: State,
  order: OrderSnapshot,
  leverages: Map<number, number>,
): OpenOrder {
  const { avgPx, filledSz: _filledSz, ...fields } = orderFields(state, order);
  const expiry = order.expireMs === undefined ? {} : { expireTime: order.expireMs };
  return {
    ...fields,
    ...expiry,
    triggerCondition: 'N/A',
    children: [],
    isPositionTpsl: false,
    dir: order.isBuy ? 'Buy' : 'Sell',
    avgFillPrice: avgPx,
    positionMode: 'OneWay',
    marginMode: 'Cross',
    leverage: leverageOf(state, order, leverages),
    instrumentType: 'perps',
    marketType: 'perps',
    status: 'open',
  };
}

function leverageOf(
  state: State,
  { account, instrumentId }: { account: Address; instrumentId: InstrumentId },
  known: Map<number, number>,
): number {
  let leverage = known.get(instrumentId);
  if (leverage === undefined) {
    const perp = findPerp(state, instrumentId);
    const fallback = perp === undefined ? 1 : defaultLeverage(state, perp);
    leverage = tradeCapacity(state, account, instrumentId)?.leverage ?? fallback;
    known.set(instrumentId, leverage);
  }
  return leverage;
}
