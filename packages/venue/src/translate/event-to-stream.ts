import {
  isSigned,
  openOrders,
  perpView,
  type OrderSnapshot,
  type OrderUpdated,
  type PerpDefinition,
  type State,
  type TimeInForce,
  type TradeExecuted,
} from '@oddlot/engine';
import type { OrderUpdate, Trade, UpdatedOrder } from '@oddlot/protocol';
import { present, type Address, type Hash } from '@oddlot/units';
import type { AppliedBlock } from '../replica/replica.ts';
import { formatAveragePrice, formatMoney, formatPrice, formatSize } from './format.ts';
import { findPerp } from './info/handler.ts';
import { rejectToWire } from './reject-to-wire.ts';

/** The hash that history shows for an effect: the request's, or the block's when time caused it. */
export function causeHash(block: AppliedBlock, commandIndex: number): Hash {
  const command = block.commands[commandIndex]?.command;
  return command !== undefined && isSigned(command) ? command.authority.txHash : block.hash;
}

/** A trade and what its event does not say. */
export type TimedTrade = {
  readonly event: TradeExecuted;
  readonly timeMs: number;
  readonly hash: Hash;
};

export function tradeRecord(perp: PerpDefinition, { event, timeMs, hash }: TimedTrade): Trade {
  const { taker, maker, takerIsBuy } = event;
  return {
    coin: perp.name,
    instrumentId: event.instrumentId,
    side: takerIsBuy ? 'B' : 'A',
    px: formatPrice(perp, event.price),
    sz: formatSize(perp, event.size),
    time: timeMs,
    hash,
    tid: event.tradeId,
    users: takerIsBuy ? [taker.account, maker.account] : [maker.account, taker.account],
  };
}

/** One element of an orderUpdates frame. The order's instrument is listed. */
export function orderUpdateRecord(state: State, event: OrderUpdated, timeMs: number): OrderUpdate {
  const reason = reasonOf(state, event);
  return {
    order: orderFields(state, event.order),
    status: event.status,
    statusTimestamp: timeMs,
    ...(reason === undefined ? {} : { reason }),
  };
}

/** All live orders of an account as elements of an orderUpdates frame. */
export function liveOrderRecords(state: State, user: Address): OrderUpdate[] {
  return openOrders(state, user).map((order) => ({
    order: orderFields(state, order),
    status: 'open',
    statusTimestamp: state.timeMs,
  }));
}

const TIF_TEXT: Readonly<Record<TimeInForce, 'GTC' | 'GTD' | 'ALO' | 'IOC'>> = {
  gtc: 'GTC',
  gtd: 'GTD',
  alo: 'ALO',
  ioc: 'IOC',
  market: 'IOC',
};

type Tif = (typeof TIF_TEXT)[TimeInForce];

/** What streams and queries tell alike about an order. */
export function orderFields(state: State, order: OrderSnapshot): UpdatedOrder & { tif: Tif } {
  const perp = present(findPerp(state, order.instrumentId), 'the perp of an order');
  const { filled, filledNotional } = order;
  return {
    coin: perp.baseCurrency,
    symbol: perp.name,
    instrumentId: order.instrumentId,
    side: order.isBuy ? 'B' : 'A',
    limitPx: formatPrice(perp, order.price),
    sz: formatSize(perp, order.remaining),
    origSz: formatSize(perp, order.original),
    filledSz: formatSize(perp, filled),
    avgPx: filled === 0 ? null : formatAveragePrice(perp, filledNotional, filled),
    oid: order.orderId,
    timestamp: order.acceptedMs,
    reduceOnly: order.reduceOnly,
    orderType: order.timeInForce === 'market' ? 'Market' : 'Limit',
    tif: TIF_TEXT[order.timeInForce],
    isTrigger: false,
    triggerPx: '0',
    cloid: order.clientOrderId ?? null,
  };
}

/** Why an order ended unfilled: the cause of a cancel, the text of a refusal. */
function reasonOf(state: State, event: OrderUpdated): string | undefined {
  const perps = (instrumentId: number): PerpDefinition | undefined => findPerp(state, instrumentId);
  if (event.reject !== undefined) return rejectToWire(event.reject, { perps }).message;
  return event.cancelCause;
}

const HOUR_MS = 3_600_000;

/** What traders watch of a perp, without its book. Prices are unset before the first one. */
export function assetContext(state: State, perp: PerpDefinition): object {
  const view = present(perpView(state, perp.instrumentId), 'the view of a listed perp');
  const { bestBid, bestAsk } = view;
  const text = (price: number | undefined): string =>
    price === undefined ? '' : formatPrice(perp, price);
  return {
    coin: perp.name,
    instrumentId: perp.instrumentId,
    ctx: {
      dayNtlVlm: formatMoney(view.dayVolumeMicroUsdc),
      dayBaseVlm: formatSize(perp, view.dayVolumeLots),
      prevDayPx: text(view.previousDayPrice),
      markPx: text(view.mark),
      midPx:
        bestBid === undefined || bestAsk === undefined
          ? null
          : formatAveragePrice(perp, BigInt(bestBid) + BigInt(bestAsk), 2),
      oraclePx: text(view.oracle),
      openInterest: formatSize(perp, view.openInterest),
      funding: '0',
      premium: null,
      impactPxs: null,
      nextFundingTime: state.timeMs - (state.timeMs % HOUR_MS) + HOUR_MS,
    },
  };
}
