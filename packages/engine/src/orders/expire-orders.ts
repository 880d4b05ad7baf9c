import { NONE } from '../book/order-pool.ts';
import type { Execution } from '../state/execution.ts';
import { cancelOrder } from './cancel-order.ts';

/** Above this many entries the expiry queue is rebuilt when most of them are dead. */
const EXPIRY_REBUILD_MIN = 1_024;

/** Cancels the orders whose time has come (R-tif), by due time, then order id. */
export function expireOrders(execution: Execution, untilMs = execution.state.timeMs): void {
  const { state } = execution;
  for (;;) {
    const orderId = state.expiries.popDue(untilMs);
    if (orderId === undefined) break;
    const slot = state.pool.find(orderId);
    if (slot !== NONE) cancelOrder(execution, slot, 'expired');
  }
  const { size } = state.expiries;
  if (size > EXPIRY_REBUILD_MIN && size > 2 * state.pool.size) {
    state.expiries.retain((orderId) => state.pool.find(orderId) !== NONE);
  }
}
