import type { MicroUsdc } from '@oddlot/units';
import type { OrderRequest } from '../messages/command.ts';
import { worstCase } from '../perp/margin.ts';
import type { Account, Holding } from '../state/account.ts';
import type { State } from '../state/state.ts';

/** What an order is judged on: who, what, when, and what the account has there already. */
export type OrderContext = {
  readonly state: State;
  readonly account: Account;
  readonly order: OrderRequest;
  readonly timeMs: number;
  /** The resting order whose place this one takes (R-modify); `order.size` is its new rest. */
  readonly replaced?: Replaced;
  /** The leg's position when the action began, of several orders in one action (R-sizes). */
  readonly heldAtStart?: number | undefined;
};

/** What an amend takes away before it adds. */
type Replaced = {
  readonly remaining: number;
  readonly filled: number;
  readonly price: number;
  /** What it holds back, when it is isolated. */
  readonly reserve: MicroUsdc;
};

/**
 * What a reduce-only order can still take: the position less what rests reduce-only (R-reduce). What
 * rests gives way to a market trigger that fires: it leaves nothing in the book, and a stop that a
 * take-profit in the book could disarm would protect nobody.
 */
export function reducibleSize(context: OrderContext, holding: Holding | undefined): number {
  const { order } = context;
  const { reduceBuy, reduceSell, size } = standing(context, holding);
  if (size === 0 || order.isBuy === size > 0) return 0;
  if (order.trigger !== undefined && order.timeInForce === 'market') return Math.abs(size);
  return Math.max(0, Math.abs(size) - (order.isBuy ? reduceBuy : reduceSell));
}

/** Sizes of a leg that an order is judged on. */
type Standing = Pick<Holding, 'size' | 'restingBuy' | 'restingSell' | 'reduceBuy' | 'reduceSell'>;

const NOTHING: Standing = { size: 0, restingBuy: 0, restingSell: 0, reduceBuy: 0, reduceSell: 0 };

/** What the account has in the leg, the order that is replaced left out. */
export function standing(
  { order, replaced }: OrderContext,
  holding: Holding | undefined,
): Standing {
  if (holding === undefined) return NOTHING;
  if (replaced === undefined) return holding;
  const { size, restingBuy, restingSell, reduceBuy, reduceSell } = holding;
  const left = { size, restingBuy, restingSell, reduceBuy, reduceSell };
  if (order.reduceOnly) left[order.isBuy ? 'reduceBuy' : 'reduceSell'] -= replaced.remaining;
  else left[order.isBuy ? 'restingBuy' : 'restingSell'] -= replaced.remaining;
  return left;
}

/** True when the order could make the worst-case position larger than it is now. */
export function raisesExposure(context: OrderContext, holding: Holding | undefined): boolean {
  if (context.order.reduceOnly) return false;
  return exposureWith(context, holding) > currentExposure(holding);
}

/** Of the position and what rests, an order that is being replaced included. */
export function currentExposure(holding: Holding | undefined): number {
  return holding === undefined ? 0 : exposure(holding);
}

export function exposure({ restingBuy, restingSell, size }: Standing): number {
  return worstCase(size, restingBuy, restingSell);
}

export function exposureWith(context: OrderContext, holding: Holding | undefined): number {
  const { order } = context;
  const { restingBuy, restingSell, size } = standing(context, holding);
  const buys = restingBuy + (order.isBuy ? order.size : 0);
  const sells = restingSell + (order.isBuy ? 0 : order.size);
  return worstCase(size, buys, sells);
}
