import { exitsOf, type Exit } from './bracket-order.ts';
import type { OrderParameters } from './order.ts';
import { triggerOrder } from './trigger-order.ts';

/** The exits of a position; at least one of the two. */
export type PositionTpslOrder = {
  /** Instrument id. */
  readonly asset: number;
  /** The side of the position, not that of the exits. */
  readonly position: 'long' | 'short';
  /** A part of the position; by default all of it, whatever it is when an exit fires. */
  readonly size?: string | undefined;
  readonly takeProfit?: Exit | undefined;
  readonly stopLoss?: Exit | undefined;
};

/** A take-profit, a stop-loss or both that follow a position and end with it, for `order`. */
export function positionTpsl({
  asset,
  position,
  size = '0',
  ...exits
}: PositionTpslOrder): OrderParameters {
  const side = position === 'long' ? 'sell' : 'buy';
  const orders = exitsOf(exits).map(([kind, exit]) =>
    triggerOrder({ asset, side, size, kind, ...exit }),
  );
  return { grouping: 'positionTpsl', orders };
}
