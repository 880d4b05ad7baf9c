import { divCeil, divFloor, RATE_ONE } from '@oddlot/units';
import { parametersOf } from '../state/execution.ts';
import type { Perp } from '../state/perp.ts';
import type { State } from '../state/state.ts';

/** A market order's price: its own, pulled to at most the band away from the mark. */
export function marketPrice(
  state: State,
  perp: Perp,
  order: { readonly isBuy: boolean; readonly price: number },
): number {
  const limit = marketLimit(state, perp, order.isBuy);
  return order.isBuy ? Math.min(order.price, limit) : Math.max(order.price, limit);
}

/** The furthest price that a market order may have, on the tick nearer to the mark. */
export function marketLimit(state: State, perp: Perp, isBuy: boolean): number {
  const { marketBandE8 } = parametersOf(state);
  const tick = BigInt(perp.definition.priceTick);
  const mark = BigInt(perp.mark);
  const step = BigInt(RATE_ONE) * tick;
  return isBuy
    ? Number(divFloor(mark * BigInt(RATE_ONE + marketBandE8), step) * tick)
    : Number(divCeil(mark * BigInt(RATE_ONE - marketBandE8), step) * tick);
}
