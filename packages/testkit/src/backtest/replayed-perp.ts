import { accountView, openOrders, type PerpDefinition } from '@oddlot/engine';
import type { ReplayedMarket } from './replayed-market.ts';

/** The part of the largest position that one account may have. */
const ROOM_SHARE = 0.4;
/** Of the price. */
const GAP = 0.0001;

/** The rank of a position takes a look at every account, and nobody here asks for it. */
export const unranked = (): number => 0;

export function replayedPerp(perp: PerpDefinition): ReplayedMarket {
  const { instrumentId, maxLimitOrderSize, maxMarketOrderSize, name, priceTick } = perp;
  return {
    instrumentId,
    name,
    szDecimals: perp.szDecimals,
    priceTick,
    priceMax: Number.MAX_SAFE_INTEGER - (Number.MAX_SAFE_INTEGER % priceTick),
    takeMax: maxMarketOrderSize,
    restMax: maxLimitOrderSize,
    roomMax: (perp.tiers.at(-1)?.maxSize ?? Infinity) * ROOM_SHARE,
    orderDelayMs: 0,
    subAccount: 'perp',
    oracleSymbol: perp.baseCurrency,
    gapAt: (price, gap = GAP) => price * gap,
    lotsMin: ({ parameters }, price) =>
      Math.max(1, Math.ceil(parameters!.minOrderValueMicroUsdc / price)),
    // A leverage that every tier allows.
    prepare: (authority) => {
      const leverage = Math.min(...perp.tiers.map(({ maxLeverage }) => maxLeverage));
      return [{ type: 'updateLeverage', authority, instrumentId, leverage }];
    },
    requestOf: (order) => ({ ...order, instrumentId, reduceOnly: false }),
    ordersOf: (state, account) =>
      openOrders(state, account)
        .filter((order) => order.instrumentId === instrumentId)
        .sort((a, b) => a.orderId - b.orderId),
    heldBy: (state, account) =>
      (accountView(state, account, unranked)?.positions ?? [])
        .filter((position) => position.instrumentId === instrumentId)
        .reduce((sum, { size }) => sum + size, 0),
  };
}
