import { basics, extras, type OrderBasics } from './limit-order.ts';
import type { OrderEntry } from './order.ts';

/** A take-profit or stop-loss, in words. */
export type TriggerOrderInput = OrderBasics & {
  readonly kind: 'tp' | 'sl';
  /** The mark at which it fires: of a selling stop and a buying take-profit from above. */
  readonly triggerPrice: string;
  /** The price of the order that it places; without one it takes the market. */
  readonly limitPrice?: string | undefined;
  /** True by default. */
  readonly reduceOnly?: boolean | undefined;
};

/** Writes a trigger order as the wire spells it. */
export function triggerOrder(order: TriggerOrderInput): OrderEntry {
  const { kind: tpsl, triggerPrice: triggerPx, limitPrice, reduceOnly = true } = order;
  // A market trigger does not use its price, but the field must be there.
  const trigger = { isMarket: limitPrice === undefined, triggerPx, tpsl };
  return {
    ...basics(order, limitPrice ?? triggerPx, reduceOnly),
    t: { trigger },
    ...extras(order),
  };
}
