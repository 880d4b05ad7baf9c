import { divCeil, divFloor, RATE_ONE } from '@oddlot/units';
import type { OrderRequest } from '../messages/command.ts';
import { parametersOf } from '../state/execution.ts';
import type { Perp } from '../state/perp.ts';
import type { State } from '../state/state.ts';

/**
 * An order as it is judged and sent: a market order's price is clamped before anything is made of it. Whoever
 * names 0.01 or a million to sell or buy at the market means the market.
 */
export function clamped<Order extends OrderRequest>(state: State, perp: Perp, order: Order): Order {
  if (order.timeInForce !== 'market') return order;
  const price = marketPrice(state, perp, order);
  return price === order.price ? order : { ...order, price };
}

/** A market order's price: its own, pulled to at most the band away from the mark. */
function marketPrice(
  state: State,
  perp: Perp,
  order: { readonly isBuy: boolean; readonly price: number },
): number {
  const limit = marketLimit(perp, order.isBuy, parametersOf(state).marketBandE8);
  return order.isBuy ? Math.min(order.price, limit) : Math.max(order.price, limit);
}

/** The price that far from the mark, 10^-8, on the tick nearer to it. */
export function marketLimit(perp: Perp, isBuy: boolean, bandE8: number): number {
  return limitFrom(perp, perp.mark, isBuy, bandE8);
}

/** The price that far from another one, 10^-8, on the tick nearer to it. */
export function limitFrom(perp: Perp, from: number, isBuy: boolean, bandE8: number): number {
  const tick = BigInt(perp.definition.priceTick);
  const step = BigInt(RATE_ONE) * tick;
  return isBuy
    ? Number(divFloor(BigInt(from) * BigInt(RATE_ONE + bandE8), step) * tick)
    : Number(divCeil(BigInt(from) * BigInt(RATE_ONE - bandE8), step) * tick);
}
