import { releaseOrder } from '../outcome/place-outcome-orders.ts';
import type { Execution } from '../state/execution.ts';

/** Step (8) of a block: queued orders whose delay is over, by due time, then arrival (R-delay). */
export function releaseDueOrders(execution: Execution): void {
  const { state } = execution;
  for (;;) {
    const queued = state.outcomes.queue.takeDue(state.timeMs);
    if (queued === undefined) return;
    releaseOrder(execution, queued, true);
  }
}
