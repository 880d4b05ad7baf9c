import type { CommandResult } from '../messages/block.ts';
import type { CancelAllCommand } from '../messages/command.ts';
import { isOutcomeId } from '../messages/instrument-kind.ts';
import { cancelMany } from '../orders/cancel-many.ts';
import type { Account } from '../state/account.ts';
import type { Execution } from '../state/execution.ts';
import { cancelledEntry } from './cancel-orders.ts';

/** Cancels every resting and waiting order in scope; nothing to cancel is a success. */
export function cancelAll(
  execution: Execution,
  account: Account,
  { instrumentId, subAccount }: CancelAllCommand,
): CommandResult {
  const isInScope = (id: number): boolean => {
    const isOfSubAccount =
      subAccount === undefined || (subAccount === 'outcome') === isOutcomeId(id);
    return isOfSubAccount && (instrumentId === undefined || instrumentId === id);
  };
  const cancelled = cancelMany(execution, account, 'userCanceled', {
    resting: (order) => isInScope(order.instrumentId),
    waiting: ({ request }) => isInScope(request.instrumentId),
  });
  return { account: account.address, entries: cancelled.map(cancelledEntry) };
}
