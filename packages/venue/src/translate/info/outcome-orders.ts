import { type OrderSnapshot, outcomeOpenOrders, type State } from '@oddlot/engine';
import type { OutcomeOpenOrder } from '@oddlot/protocol';
import { present } from '@oddlot/units';
import type { OutcomeCatalogue } from '../../read-models/outcome-catalogue.ts';
import { outcomeName } from '../actions/instrument-lookup.ts';
import { TIF_TEXT } from '../event-to-stream.ts';
import { formatAveragePrice, formatPrice, formatSize } from '../format.ts';
import { answer, type InfoHandler } from './handler.ts';
import { rowsOf, type LazyRows } from './lazy-rows.ts';
import { marketScale } from './outcome-market.ts';

/** Resting orders on outcome markets, newest first. Queued ones are not listed (R-delay). */
export const outcomeFrontendOpenOrders: InfoHandler<
  'outcomeFrontendOpenOrders',
  OutcomeOpenOrder[] | LazyRows<OutcomeOpenOrder>
> = ({ state, markets }, { instrumentIds = [], user }) => {
  const orders = outcomeOpenOrders(state, user).filter(
    ({ instrumentId }) => instrumentIds.length === 0 || instrumentIds.includes(instrumentId),
  );
  return answer(rowsOf(orders.map((order) => outcomeOrderRow(state, markets.catalogue, order))));
};

/**
 * Prices are the leg's own; side and reduceOnly are the wire's `b` and `r`. The market is looked up
 * now, the row is made when it is asked for.
 */
export function outcomeOrderRow(
  state: State,
  catalogue: OutcomeCatalogue,
  order: OrderSnapshot,
): () => OutcomeOpenOrder {
  const { expireMs, filled, instrumentId } = order;
  const scale = marketScale(state, instrumentId);
  const { listing } = present(catalogue.market(instrumentId), 'the market of an order');
  const outcome = order.outcome?.leg === 'no' ? 'No' : 'Yes';
  const name = outcomeName(instrumentId);
  return () => ({
    coin: name,
    symbol: name,
    side: order.isBuy ? 'B' : 'A',
    limitPx: formatPrice(scale, order.price),
    sz: formatSize(scale, order.remaining),
    origSz: formatSize(scale, order.original),
    oid: order.orderId,
    timestamp: order.acceptedMs,
    triggerCondition: 'N/A',
    isTrigger: false,
    triggerPx: '0',
    children: [],
    isPositionTpsl: false,
    reduceOnly: order.reduceOnly,
    dir: `${order.reduceOnly ? 'Sell' : 'Buy'} ${outcome}`,
    orderType: 'Limit',
    tif: TIF_TEXT[order.timeInForce],
    ...(expireMs === undefined ? {} : { expireTime: expireMs }),
    cloid: order.clientOrderId ?? null,
    avgFillPrice: filled === 0 ? null : formatAveragePrice(scale, order.filledNotional, filled),
    positionMode: 'OneWay',
    marginMode: 'Cross',
    leverage: 1,
    instrumentId,
    instrumentType: 'outcome',
    marketType: 'outcome',
    status: 'open',
    outcome,
    title: listing.question,
    slug: listing.slug,
    eventSlug: listing.eventSlug,
    outcomeNames: [...listing.outcomes],
  });
}
