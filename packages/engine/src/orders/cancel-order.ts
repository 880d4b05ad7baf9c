import { readSlotInt } from '../book/read-slot.ts';
import type { CancelCause, OrderSnapshot } from '../messages/event.ts';
import { isOutcomeId } from '../messages/instrument-kind.ts';
import { cancelOutcomeOrder } from '../outcome/outcome-resting.ts';
import { cancelPerpOrder } from '../perp-orders/end-order.ts';
import type { Execution } from '../state/execution.ts';

/** Ends a resting order of either kind without a fill and tells its owner why. */
export function cancelOrder(execution: Execution, slot: number, cause: CancelCause): OrderSnapshot {
  return isOutcomeId(readSlotInt(execution.state.pool.instrument, slot))
    ? cancelOutcomeOrder(execution, slot, cause)
    : cancelPerpOrder(execution, slot, cause);
}
