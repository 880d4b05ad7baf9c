import { present } from '@oddlot/units';
import type { CommandOutcome } from '../messages/block.ts';
import type { ScheduleCancelCommand } from '../messages/command.ts';
import { LIMITS } from '../messages/limits.ts';
import type { Reject } from '../messages/reject.ts';
import { cancelMany } from '../orders/cancel-many.ts';
import { expireOrders } from '../perp-orders/resting.ts';
import type { Account } from '../state/account.ts';
import type { Execution } from '../state/execution.ts';

/** Sets the dead man's switch to a time, or takes it away. */
export function scheduleCancel(
  execution: Execution,
  account: Account,
  command: ScheduleCancelCommand,
): CommandOutcome {
  const { state } = execution;
  const reject = checkScheduleCancel(command, state.timeMs);
  if (reject !== undefined) return { account: account.address, reject };
  if (command.atMs === undefined) state.schedules.remove(account.index);
  else state.schedules.set(account.index, command.atMs);
  state.digest.word(account.index);
  state.digest.number(command.atMs ?? 0);
  return { account: account.address };
}

/** Judges a schedule: far enough ahead, or none at all. */
export function checkScheduleCancel(
  { atMs }: ScheduleCancelCommand,
  nowMs: number,
): Reject | undefined {
  const minMs = nowMs + LIMITS.scheduleAheadMs;
  return atMs !== undefined && atMs < minMs ? { reason: 'scheduleTooSoon', minMs } : undefined;
}

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
