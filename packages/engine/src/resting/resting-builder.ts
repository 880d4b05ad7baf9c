import { present } from '@oddlot/units';
import { HAS_BUILDER } from '../book/order-pool.ts';
import { readSlot, readSlotInt } from '../book/read-slot.ts';
import type { OrderBuilder } from '../state/builders.ts';
import type { State } from '../state/state.ts';

/** Who charges for a resting order. */
export function restingBuilder(state: State, slot: number): OrderBuilder | undefined {
  const { flags, orderId } = state.pool;
  if ((readSlotInt(flags, slot) & HAS_BUILDER) === 0) return undefined;
  return present(state.orderBuilders.get(readSlot(orderId, slot)), 'the builder of an order');
}
