import { readSlot } from '../book/read-slot.ts';
import type { OrderSnapshot } from '../messages/event.ts';
import { slotSnapshot } from '../resting/snapshot.ts';
import type { State } from '../state/state.ts';
import { firedFields } from './taker-order.ts';

/** A resting perp order as events and readers see it. */
export function perpSnapshotOf(state: State, slot: number): OrderSnapshot {
  const order = slotSnapshot(state, slot, readSlot(state.pool.price, slot));
  const fired = state.triggers.firedAs(order.orderId);
  return fired === undefined ? order : { ...order, ...firedFields(fired) };
}
