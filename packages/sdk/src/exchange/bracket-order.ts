import type { OrderEntry, OrderParameters } from './order.ts';
import { triggerOrder } from './trigger-order.ts';

/** Where a take-profit or stop-loss fires, and at which price; without one it takes the market. */
export type Exit = {
  readonly triggerPrice: string;
  readonly limitPrice?: string | undefined;
  readonly cloid?: string | undefined;
};

/** An order and its exits; at least one of the two. */
export type BracketOrder = {
  /** Made by `limitOrder` or `triggerOrder`. */
  readonly parent: OrderEntry;
  readonly takeProfit?: Exit | undefined;
  readonly stopLoss?: Exit | undefined;
};

/**
 * An order with a take-profit, a stop-loss or both, for `order`. They go live when the parent has
 * filled, and the one that fills cancels the other.
 */
export function bracketOrder({ parent, takeProfit, stopLoss }: BracketOrder): OrderParameters {
  const { a: asset, b: isBuy, s: size, m: marginMode } = parent;
  const side = isBuy ? 'sell' : 'buy';
  const children = exitsOf({ takeProfit, stopLoss }).map(([kind, exit]) =>
    triggerOrder({ asset, side, size, kind, marginMode, ...exit }),
  );
  return { grouping: 'normalTpsl', orders: [parent, ...children] };
}

/** The exits that are given, the take-profit first. */
export function exitsOf({
  takeProfit,
  stopLoss,
}: Pick<BracketOrder, 'takeProfit' | 'stopLoss'>): ['tp' | 'sl', Exit][] {
  return [
    ...(takeProfit === undefined ? [] : [['tp', takeProfit] as ['tp', Exit]]),
    ...(stopLoss === undefined ? [] : [['sl', stopLoss] as ['sl', Exit]]),
  ];
}
