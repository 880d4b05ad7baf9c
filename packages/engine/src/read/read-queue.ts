import type { Address } from '@oddlot/units';
import { NONE } from '../book/order-pool.ts';
import { readSlotInt } from '../book/read-slot.ts';
import { clientOrderKey } from '../messages/client-order-key.ts';
import { LIMITS } from '../messages/limits.ts';
import type { State } from '../state/state.ts';

/** The lots that trade before a resting order at its price; undefined when it does not rest, or its queue is too long to count. */
export function lotsAhead(state: State, orderId: number): number | undefined {
  const { pool } = state;
  const slot = pool.find(orderId);
  if (slot === NONE) return undefined;
  const instrumentId = readSlotInt(pool.instrument, slot);
  const market = state.perps.get(instrumentId) ?? state.outcomes.markets.get(instrumentId);
  return market?.book.aheadOf(slot, LIMITS.observedQueue);
}

/** The order of an account that lives under a client order id; one that is in the delay queue has no id yet. */
export function liveOrderOf(
  state: State,
  user: Address,
  clientOrderId: string,
): number | undefined {
  const account = state.accounts[state.accountIndex.get(user) ?? -1];
  const orderId = account?.clientOrders.get(clientOrderKey(clientOrderId) ?? '');
  return orderId !== undefined && orderId > 0 ? orderId : undefined;
}
