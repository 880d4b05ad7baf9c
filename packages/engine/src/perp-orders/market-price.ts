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
  const limit = marketLimit(perp, order.isBuy, parametersOf(state).marketBandE8);
  return order.isBuy ? Math.min(order.price, limit) : Math.max(order.price, limit);
}

/** The price that far from the mark, 10^-8, on the tick nearer to it. */
export function marketLimit(perp: Perp, isBuy: boolean, bandE8: number): number {
  const tick = BigInt(perp.definition.priceTick);
  const mark = BigInt(perp.mark);
  const step = BigInt(RATE_ONE) * tick;
  return isBuy
    ? Number(divFloor(mark * BigInt(RATE_ONE + bandE8), step) * tick)
    : Number(divCeil(mark * BigInt(RATE_ONE - bandE8), step) * tick);
}
