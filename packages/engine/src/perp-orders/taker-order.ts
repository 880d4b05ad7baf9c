import { type Address, type MicroUsdc, present, type TimeMs, timeMs } from '@oddlot/units';
import type { OrderRequest } from '../messages/command.ts';
import type { OrderSnapshot } from '../messages/event.ts';
import { looseSnapshot, slotSnapshot } from '../order-common/snapshot.ts';
import type { Account, Holding, OrderBuilder } from '../state/account.ts';
import type { FiredTrigger, TriggerOrder } from '../state/trigger-book.ts';
import { readSlot } from '../book/order-pool.ts';
import type { State } from '../state/state.ts';
import { observeEntry } from '../order-common/order-events.ts';

/** The state of a perp order while it is matched. */
export type TakerOrder = {
  readonly orderId: number;
  readonly account: Account;
  readonly holding: Holding;
  readonly request: OrderRequest;
  /** The limit price, after clamping for a market order. */
  readonly price: number;
  /** The original size, after reduction to the position for a reduce-only order. */
  readonly original: number;
  remaining: number;
  filledNotional: number;
  /** The unused reserve of an isolated order. */
  reserve: MicroUsdc;
  /** Set on the venue's own orders, which liquidate a position or unwind the insurance fund. */
  readonly forced: 'liquidation' | 'unwind' | undefined;
  /** The amount by which rounding has overcharged the taker fee, in 10^-8 micro-USDC. */
  feeOverpaid: number;
  /** The builder of the order; the venue's own orders have none. */
  readonly builder: OrderBuilder | undefined;
  /**
   * Set on an order that has rested before: the state to restore when it returns to the book
   * (R-modify).
   */
  readonly amended: RestingRecord | undefined;
  /** The trigger of an order that has fired. */
  readonly fired: FiredTrigger | undefined;
};

/** The state that an amended order keeps while it trades as a taker. */
type RestingRecord = {
  readonly acceptedMs: number;
  readonly rank: number;
  /** The lots that were filled before the amendment. */
  readonly filled: number;
  /**
   * The amount by which rounding has overcharged the maker fee; each role is rounded separately
   * (R-rounding).
   */
  readonly makerFeeOverpaid: number;
};

export function takerSnapshot(taker: TakerOrder, nowMs: TimeMs): OrderSnapshot {
  const { amended, fired } = taker;
  const acceptedMs = amended === undefined ? nowMs : timeMs(amended.acceptedMs);
  const snapshot = looseSnapshot(taker, taker.account.address, taker.price, acceptedMs);
  return fired === undefined ? snapshot : { ...snapshot, ...firedFields(fired) };
}

/** Returns an order as shown after a rejection before it reached the book. */
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

function firedFields(
  fired: FiredTrigger,
): Pick<OrderSnapshot, 'trigger' | 'isPositionTpsl' | 'hasFired'> {
  const { isPositionTpsl, trigger } = fired;
  return isPositionTpsl ? { trigger, isPositionTpsl, hasFired: true } : { trigger, hasFired: true };
}

export function perpSnapshotOf(state: State, slot: number): OrderSnapshot {
  const order = slotSnapshot(state, slot, readSlot(state.pool.price, slot));
  const fired = state.triggers.firedAs(order.orderId);
  return fired === undefined ? order : { ...order, ...firedFields(fired) };
}

/**
 * Returns a waiting order as shown in events and query results; a triggered order includes its
 * fills.
 */
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

/** Returns the parent's id: the group's id, unless the group is attached to a position. */
function parentOf(groupId: number | undefined): Pick<OrderSnapshot, 'parentOrderId'> {
  return groupId === undefined ? {} : { parentOrderId: groupId };
}

/**
 * Returns the remaining size of a triggered order, or a size of at most the parent's filled size; 0
 * means the whole position.
 */
export function triggerSize({ firing, request, sizeMax }: TriggerOrder): number {
  if (firing !== undefined) return firing.rest;
  return sizeMax === undefined ? request.size : Math.min(request.size, sizeMax);
}

/** Notifies the book observer before matching, except for orders that have rested before. */
export function observePerpEntry(state: State, taker: TakerOrder): void {
  if (taker.amended !== undefined) return;
  const { book, mark, oracle } = taker.holding.perp;
  observeEntry(state, taker, book, { markHalves: 2 * mark, oracle });
}
