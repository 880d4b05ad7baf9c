import { type Address, type MicroUsdc, present, type TimeMs, timeMs } from '@oddlot/units';
import type { OrderRequest } from '../messages/command.ts';
import type { OrderSnapshot } from '../messages/event.ts';
import { looseSnapshot, slotSnapshot } from '../resting/snapshot.ts';
import type { Account, Holding, OrderBuilder } from '../state/account.ts';
import type { FiredTrigger, TriggerOrder } from '../state/trigger-book.ts';
import { readSlot } from '../book/order-pool.ts';
import type { State } from '../state/state.ts';
import { observeEntry } from '../resting/order-events.ts';

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
function firedFields(
  fired: FiredTrigger,
): Pick<OrderSnapshot, 'trigger' | 'isPositionTpsl' | 'hasFired'> {
  const { isPositionTpsl, trigger } = fired;
  return isPositionTpsl ? { trigger, isPositionTpsl, hasFired: true } : { trigger, hasFired: true };
}

/** A resting perp order as events and readers see it. */
export function perpSnapshotOf(state: State, slot: number): OrderSnapshot {
  const order = slotSnapshot(state, slot, readSlot(state.pool.price, slot));
  const fired = state.triggers.firedAs(order.orderId);
  return fired === undefined ? order : { ...order, ...firedFields(fired) };
}

/** A waiting order as events and readers see it; one that has fired says what it has filled. */
export function triggerSnapshot(state: State, trigger: TriggerOrder): OrderSnapshot {
  const account = present(state.accounts[trigger.accountIndex], 'the owner of a trigger');
  const { firing, groupId, orderId, request } = trigger;
  const order = requestSnapshot(orderId, account.address, request, timeMs(trigger.createdMs));
  const size = triggerSize(trigger);
  const { filled, filledNotional } = firing ?? order;
  return {
    ...order,
    remaining: size,
    original: filled + size,
    filled,
    filledNotional,
    trigger: request.trigger,
    ...(trigger.isPositionTpsl ? { isPositionTpsl: true as const } : parentOf(groupId)),
    ...(firing === undefined ? {} : { isTriggered: true as const }),
  };
}

/** A group that hangs on no position has the id of its parent. */
function parentOf(groupId: number | undefined): Pick<OrderSnapshot, 'parentOrderId'> {
  return groupId === undefined ? {} : { parentOrderId: groupId };
}

/** What it asks for: the rest of one that has fired, else no more than its parent filled; 0 is the whole position. */
export function triggerSize({ firing, request, sizeMax }: TriggerOrder): number {
  if (firing !== undefined) return firing.rest;
  return sizeMax === undefined ? request.size : Math.min(request.size, sizeMax);
}

/** Tells the observer of books that a perp order is about to be matched. One that has rested before has come before. */
export function observePerpEntry(state: State, taker: TakerOrder): void {
  if (taker.amended !== undefined) return;
  const { book, mark, oracle } = taker.holding.perp;
  observeEntry(state, taker, book, { markHalves: 2 * mark, oracle });
}
