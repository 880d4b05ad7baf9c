import { divCeil, divFloor, RATE_ONE } from '@oddlot/units';
import type { OrderRequest } from '../messages/command.ts';
import type { Reject } from '../messages/reject.ts';
import { parametersOf } from '../state/execution.ts';
import type { Perp } from '../state/perp.ts';
import type { State } from '../state/state.ts';

/**
 * Sets the oracle price and the resulting band for limit prices (R-sizes). Both bounds belong to
 * the band and are at least 1.
 */
export function setOracle(perp: Perp, oracle: number, observedMs: number, bandE8: number): void {
  perp.oracle = oracle;
  perp.oracleMs = observedMs;
  const one = BigInt(RATE_ONE);
  perp.bandMin = Math.max(1, Number(divCeil(BigInt(oracle) * BigInt(RATE_ONE - bandE8), one)));
  perp.bandMax = Number(divFloor(BigInt(oracle) * BigInt(RATE_ONE + bandE8), one));
}

/**
 * Rejects a limit price outside the band around the oracle; market orders are limited by the mark
 * instead.
 */
export function checkPriceBand(perp: Perp, order: OrderRequest): Reject | undefined {
  const { instrumentId, price, timeInForce } = order;
  if (timeInForce === 'market') return undefined;
  const { bandMin: min, bandMax: max } = perp;
  return price < min || price > max ? { reason: 'priceTooFar', instrumentId, min, max } : undefined;
}

/**
 * Returns the order with the price that is checked and sent. The price of a market order is clamped
 * first, so that clients can sell at 0.01 or buy at a million to trade at the market price.
 */
export function clamped<Order extends OrderRequest>(state: State, perp: Perp, order: Order): Order {
  if (order.timeInForce !== 'market') return order;
  const limit = marketLimit(perp, order.isBuy, parametersOf(state).marketBandE8);
  const price = order.isBuy ? Math.min(order.price, limit) : Math.max(order.price, limit);
  return price === order.price ? order : { ...order, price };
}

/**
 * Returns the price at a distance from the mark in 10^-8, rounded to the tick nearer to the mark.
 */
export function marketLimit(perp: Perp, isBuy: boolean, bandE8: number): number {
  return limitFrom(perp, perp.mark, isBuy, bandE8);
}

/**
 * Returns the price at a distance in 10^-8 from a given price, rounded to the tick nearer to that
 * price.
 */
export function limitFrom(perp: Perp, from: number, isBuy: boolean, bandE8: number): number {
  const tick = BigInt(perp.definition.priceTick);
  const step = BigInt(RATE_ONE) * tick;
  return isBuy
    ? Number(divFloor(BigInt(from) * BigInt(RATE_ONE + bandE8), step) * tick)
    : Number(divCeil(BigInt(from) * BigInt(RATE_ONE - bandE8), step) * tick);
}
