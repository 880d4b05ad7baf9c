import { type Address, type MicroUsdc, type TimeMs, timeMs } from '@oddlot/units';
import type { OrderRequest } from '../messages/command.ts';
import type { OrderSnapshot } from '../messages/event.ts';
import { looseSnapshot } from '../resting/snapshot.ts';
import type { Account, Holding } from '../state/account.ts';
import type { OrderBuilder } from '../state/builders.ts';
import type { FiredTrigger } from '../state/trigger-order.ts';

/** An order on its way through the book: what it was, and what is left of it. */
export type TakerOrder = {
  readonly orderId: number;
  readonly account: Account;
  readonly holding: Holding;
  readonly request: OrderRequest;
  /** The limit after clamping. */
  readonly price: number;
  /** The size after clipping. */
  readonly original: number;
  remaining: number;
  filledNotional: number;
  /** What an isolated order has set aside and not used. */
  reserve: MicroUsdc;
  /** Set on the venue's own orders: a liquidation, or the insurance fund unwinding. */
  readonly forced: 'liquidation' | 'unwind' | undefined;
  /** Rounding that the taker fee has paid ahead, 10^-8 micro-USDC. */
  feeOverpaid: number;
  /** Who charges for it; never on the venue's own orders. */
  readonly builder: OrderBuilder | undefined;
  /** Set on an order that has rested before: what it takes back into the book (R-modify). */
  readonly amended: RestingRecord | undefined;
  /** Set on an order that has waited for the mark. */
  readonly fired: FiredTrigger | undefined;
};

/** What an amended order keeps while it trades as a taker. */
type RestingRecord = {
  readonly acceptedMs: number;
  readonly rank: number;
  /** Lots filled before. */
  readonly filled: number;
  /** Rounding that the maker fee has paid ahead; the two roles round apart (R-rounding). */
  readonly makerFeeOverpaid: number;
};

/** The order as events show it. */
export function takerSnapshot(taker: TakerOrder, nowMs: TimeMs): OrderSnapshot {
  const { amended, fired } = taker;
  const acceptedMs = amended === undefined ? nowMs : timeMs(amended.acceptedMs);
  const snapshot = looseSnapshot(taker, taker.account.address, taker.price, acceptedMs);
  return fired === undefined ? snapshot : { ...snapshot, ...firedFields(fired) };
}

/** An order that never got further than its request. */
export function requestSnapshot(
  orderId: number,
  account: Address,
  request: OrderRequest,
  acceptedMs: TimeMs,
  fired?: FiredTrigger,
): OrderSnapshot {
  const { price, size } = request;
  const sizes = { remaining: size, original: size, filledNotional: 0 };
  const order = looseSnapshot({ orderId, request, ...sizes }, account, price, acceptedMs);
  return fired === undefined ? order : { ...order, ...firedFields(fired) };
}

/** What the snapshot of an order that was a trigger says about it. */
export function firedFields(
  fired: FiredTrigger,
): Pick<OrderSnapshot, 'trigger' | 'isPositionTpsl' | 'hasFired'> {
  const { isPositionTpsl, trigger } = fired;
  return isPositionTpsl ? { trigger, isPositionTpsl, hasFired: true } : { trigger, hasFired: true };
}
