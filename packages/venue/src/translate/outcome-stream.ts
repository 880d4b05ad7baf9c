import {
  bookLevels,
  outcomeOpenOrders,
  type OrderSnapshot,
  type OrderUpdated,
  type OutcomeLeg,
  type OutcomeTraded,
  type State,
} from '@oddlot/engine';
import {
  traceId,
  type Leg,
  type Level,
  type OrderUpdate,
  type OutcomeBbo,
  type OutcomeTrade,
  type UpdatedOutcomeOrder,
} from '@oddlot/protocol';
import { instrumentId, present, type Address } from '@oddlot/units';
import { instrumentLookup, type Instrument } from './actions/instrument-lookup.ts';
import { reasonOf, TIF_TEXT } from './event-to-stream.ts';
import { formatAveragePrice, formatPrice, formatSize, type Scale } from './format.ts';

/** Orders, trades and books of outcome markets as the streams tell them. */

const LEG_TEXT: Readonly<Record<OutcomeLeg, Leg>> = { yes: 'Yes', no: 'No' };

/** One element of an outcomeOrderUpdates frame. */
export function outcomeOrderRecord(
  state: State,
  event: OrderUpdated,
  timeMs: number,
): OrderUpdate<UpdatedOutcomeOrder> {
  const reason = reasonOf(state, event);
  return {
    order: outcomeOrderFields(state, event.order),
    status: event.status,
    statusTimestamp: timeMs,
    ...(reason === undefined ? {} : { reason }),
  };
}

/** An account's resting outcome orders as elements of an outcomeOrderUpdates frame. */
export function liveOutcomeOrderRecords(
  state: State,
  user: Address,
): OrderUpdate<UpdatedOutcomeOrder>[] {
  return outcomeOpenOrders(state, user).map((order) => ({
    order: outcomeOrderFields(state, order),
    status: 'open',
    statusTimestamp: state.timeMs,
  }));
}

/** The prices of an outcome order are the leg's own already. */
function outcomeOrderFields(state: State, order: OrderSnapshot): UpdatedOutcomeOrder {
  const market = present(
    instrumentLookup(() => state)(order.instrumentId),
    'the market of an order',
  );
  const { leg, txHash } = present(order.outcome, 'the leg of an outcome order');
  const { expireMs, filled, filledNotional } = order;
  return {
    oid: order.orderId,
    instrumentId: order.instrumentId,
    coin: market.name,
    outcome: LEG_TEXT[leg],
    side: order.isBuy ? 'B' : 'A',
    reduceOnly: order.reduceOnly,
    limitPx: formatPrice(market, order.price),
    sz: formatSize(market, order.remaining),
    origSz: formatSize(market, order.original),
    filledSz: formatSize(market, filled),
    avgPx: filled === 0 ? null : formatAveragePrice(market, filledNotional, filled),
    timestamp: order.acceptedMs,
    tif: TIF_TEXT[order.timeInForce],
    ...(expireMs === undefined ? {} : { expireTime: expireMs }),
    cloid: order.clientOrderId ?? null,
    traceId: traceId(txHash),
  };
}

/** A trade with what only outcome markets have: the taker's leg and its price. */
export function outcomeTradeRecord(
  market: Instrument,
  event: OutcomeTraded,
  timeMs: number,
): OutcomeTrade {
  const { maker, taker, takerIsBuy, txHash } = event;
  return {
    coin: market.name,
    instrumentId: event.instrumentId,
    side: takerIsBuy ? 'B' : 'A',
    px: formatPrice(market, event.price),
    sz: formatSize(market, event.size),
    time: timeMs,
    hash: txHash,
    tid: event.tradeId,
    users: takerIsBuy ? [taker.account, maker.account] : [maker.account, taker.account],
    outcome: LEG_TEXT[taker.leg],
    price: formatPrice(market, taker.price),
  };
}

/** Best bid and ask in YES prices. */
export function outcomeBbo(state: State, market: Instrument): OutcomeBbo {
  const best = (isBuy: boolean): Level | null => {
    const [level] = bookLevels(state, instrumentId(market.instrumentId), isBuy, 1);
    return level === undefined ? null : levelRecord(market, level);
  };
  return { instrumentId: market.instrumentId, bbo: [best(true), best(false)] };
}

function levelRecord(
  scale: Scale,
  level: { readonly price: number; readonly size: number; readonly count: number },
): Level {
  return {
    px: formatPrice(scale, level.price),
    sz: formatSize(scale, level.size),
    n: level.count,
  };
}
