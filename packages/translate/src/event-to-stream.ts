import {
  accountView,
  bookLevels,
  childOrders,
  findOrder,
  type FundingPaid,
  openOrders,
  type OrderSnapshot,
  type OrderUpdated,
  type OutcomeLeg,
  outcomeOpenOrders,
  type OutcomeTraded,
  type PerpDefinition,
  perpView,
  type State,
  type TimeInForce,
  type TradeExecuted,
  triggerOrders,
} from '@oddlot/engine';
import {
  type AssetContext,
  type FundingRow,
  type Leg,
  type Level,
  type OrderUpdate,
  type OutcomeBbo,
  type OutcomeTrade,
  traceId,
  type Trade,
  type UpdatedOrder,
  type UpdatedOutcomeOrder,
} from '@oddlot/protocol';
import { type Address, formatMoney, type Hash, instrumentId, present } from '@oddlot/units';
import { type AppliedBlock, authorityOf, isRequest } from '@oddlot/replica/block';
import { type Instrument, instrumentLookup } from './instruments.ts';
import {
  formatAveragePrice,
  formatPrice,
  formatRateE10,
  formatSize,
  type Scale,
} from './format.ts';
import { findPerp } from './info/info-context.ts';
import { rejectToWire } from './reject-to-wire.ts';

/**
 * Returns the hash recorded in the history for an effect: the hash of the request that caused it,
 * or of the block if it was not caused by a request.
 */
export function causeHash(block: AppliedBlock, commandIndex: number): Hash {
  const command = block.commands[commandIndex]?.command;
  return command !== undefined && isRequest(command) ? authorityOf(command).txHash : block.hash;
}

type TimedTrade = {
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
    ...(event.isLiquidation ? { liquidation: true } : {}),
  };
}

/**
 * Builds a row for one position's funding over one hour. `usdc` and `amount` are equal by
 * definition.
 */
export function fundingRow(perp: PerpDefinition, event: FundingPaid): FundingRow {
  const amount = formatMoney(event.amount);
  return {
    time: event.dueMs,
    coin: perp.name,
    usdc: amount,
    szi: formatSize(perp, event.size),
    fundingRate: formatRateE10(event.rateE10),
    amount,
  };
}

export function orderUpdateRecord(state: State, event: OrderUpdated, timeMs: number): OrderUpdate {
  const reason = reasonOf(state, event);
  return {
    order: orderFields(state, event.order),
    status: event.status,
    statusTimestamp: timeMs,
    ...(reason === undefined ? {} : { reason }),
  };
}

/**
 * Returns all live orders of an account, both resting and waiting, as elements for an orderUpdates
 * frame.
 */
export function liveOrderRecords(state: State, user: Address): OrderUpdate[] {
  return liveOrders(state, user).map((order) => ({
    order: orderFields(state, order),
    status: 'open',
    statusTimestamp: state.timeMs,
  }));
}

/** Collects resting orders, triggers, child orders and positions' TP/SL orders, newest first. */
export function liveOrders(state: State, user: Address): OrderSnapshot[] {
  const resting = openOrders(state, user);
  const orders = [...resting];
  for (const parent of resting) orders.push(...childOrders(state, parent.orderId));
  for (const { order, children } of triggerOrders(state, user)) orders.push(order, ...children);
  for (const { tpsl } of accountView(state, user)?.positions ?? []) {
    for (const leg of tpsl.flatMap(({ takeProfit, stopLoss }) => [takeProfit, stopLoss])) {
      const order = leg === undefined ? undefined : findOrder(state, leg.orderId);
      if (order !== undefined) orders.push(order);
    }
  }
  return orders.sort((a, b) => b.orderId - a.orderId);
}

export const TIF_TEXT: Readonly<Record<TimeInForce, 'GTC' | 'GTD' | 'ALO' | 'IOC'>> = {
  gtc: 'GTC',
  gtd: 'GTD',
  alo: 'ALO',
  ioc: 'IOC',
  market: 'IOC',
};

type Tif = (typeof TIF_TEXT)[TimeInForce];

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
    orderType: isMarketOrder(order) ? 'Market' : 'Limit',
    tif: TIF_TEXT[order.timeInForce],
    // An order is still a trigger order after it triggers.
    isTrigger: order.trigger !== undefined,
    triggerPx: order.trigger === undefined ? '0' : formatPrice(perp, order.trigger.price),
    cloid: order.clientOrderId ?? null,
  };
}

/**
 * Returns true for orders that execute at the market price, either immediately or once triggered.
 */
export function isMarketOrder({ timeInForce, trigger }: OrderSnapshot): boolean {
  return timeInForce === 'market' || trigger?.isMarket === true;
}

/**
 * Returns the reason an order ended unfilled: its rejection message or the cause of its
 * cancellation.
 */
export function reasonOf(
  state: State,
  event: Pick<OrderUpdated, 'reject' | 'cancelCause'>,
): string | undefined {
  const instruments = instrumentLookup(() => state);
  if (event.reject !== undefined) return rejectToWire(event.reject, { instruments }).message;
  return event.cancelCause;
}

/** Builds a perp's market data, excluding its book. Prices are empty until the venue has one. */
export function assetContext(state: State, perp: PerpDefinition): AssetContext {
  const view = present(perpView(state, perp.instrumentId), 'the view of a listed perp');
  const { bestBid, bestAsk, impactBid, impactAsk } = view;
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
      funding: formatRateE10(view.fundingRateE10),
      premium: view.premiumE10 === undefined ? null : formatRateE10(view.premiumE10),
      impactPxs:
        impactBid === undefined || impactAsk === undefined
          ? null
          : [formatPrice(perp, impactBid), formatPrice(perp, impactAsk)],
      nextFundingTime: view.nextFundingMs,
    },
  };
}

const LEG_TEXT: Readonly<Record<OutcomeLeg, Leg>> = { yes: 'Yes', no: 'No' };

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

/**
 * Builds the public record of a trade on an outcome market, with the taker's outcome and the price
 * of that outcome.
 */
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

/** Returns the best bid and ask as YES prices. */
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
