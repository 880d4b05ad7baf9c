import { present } from '@oddlot/units';
import { cancelMany } from '../orders/cancel-many.ts';
import { expireOrders } from '../orders/expire-orders.ts';
import type { Execution } from '../state/execution.ts';

/**
 * Step (1) of a block: scheduled cancels and Gtd expiries by due time, then address. A switch
 * cancels what rests and what waits to open; what protects a position stays.
 */
export function runDueCancels(execution: Execution): void {
  const { state } = execution;
  const due = state.schedules
    .takeDue(state.timeMs)
    .map(({ accountIndex, atMs }) => ({
      account: present(state.accounts[accountIndex], 'the account of a schedule'),
      atMs,
    }))
    .sort((a, b) => a.atMs - b.atMs || (a.account.address < b.account.address ? -1 : 1));
  for (const { account, atMs } of due) {
    expireOrders(execution, atMs - 1);
    cancelMany(execution, account, 'scheduledCancel', {
      resting: () => true,
      waiting: ({ request }) => !request.reduceOnly,
    });
  }
  expireOrders(execution);
}
