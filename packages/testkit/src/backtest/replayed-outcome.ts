import { type MarketView, outcomeAccountView, outcomeOpenOrders } from '@oddlot/engine';
import { instrumentId } from '@oddlot/units';
import type { ReplayedMarket } from './replayed-market.ts';

/** In YES prices. Everybody in the crowd buys, YES or NO, and pairs are made of it (R-mint-burn): nobody needs shares first. */
export function replayedOutcome({ definition, unit }: MarketView): ReplayedMarket {
  const { maxOrderSize, minOrderSize, priceTick, slug, szDecimals } = definition;
  const id = instrumentId(definition.instrumentId);
  return {
    instrumentId: id,
    name: slug,
    szDecimals,
    priceTick,
    priceMax: unit - priceTick,
    takeMax: maxOrderSize,
    restMax: maxOrderSize,
    roomMax: Infinity,
    orderDelayMs: definition.orderDelayMs,
    subAccount: 'outcome',
    oracleSymbol: undefined,
    // A part of 1: near 0 a part of the price is less than any tick.
    gapAt: (_, gap) => (gap === undefined ? priceTick : unit * gap),
    lotsMin: () => minOrderSize,
    prepare: () => [],
    requestOf: ({ isBuy, price, size, timeInForce }) => ({
      instrumentId: id,
      isBuy,
      price: isBuy ? price : unit - price,
      size,
      reduceOnly: false,
      // What is left of an order that takes is cancelled behind it: there is no such order here (R-tif).
      timeInForce: timeInForce === 'ioc' ? 'gtc' : timeInForce,
    }),
    ordersOf: (state, account) =>
      outcomeOpenOrders(state, account)
        .filter((order) => order.instrumentId === id)
        .map((order) => ({
          orderId: order.orderId,
          isBuy: order.isBuy,
          price: order.outcome?.leg === 'no' ? unit - order.price : order.price,
          remaining: order.remaining,
          filled: order.filled,
        }))
        .sort((a, b) => a.orderId - b.orderId),
    heldBy: (state, account) =>
      (outcomeAccountView(state, account)?.positions ?? [])
        .filter((shares) => shares.instrumentId === id)
        .reduce((sum, { leg, size }) => sum + (leg === 'yes' ? size : -size), 0),
  };
}
