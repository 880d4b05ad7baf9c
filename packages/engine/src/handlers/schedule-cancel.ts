import type { CommandResult } from '../messages/block.ts';
import type { ScheduleCancelCommand } from '../messages/command.ts';
import { LIMITS } from '../messages/limits.ts';
import type { Reject } from '../messages/reject.ts';
import type { Account } from '../state/account.ts';
import type { Execution } from '../state/execution.ts';
import type { State } from '../state/state.ts';

/** Sets the dead man's switch to a time, or takes it away. */
export function scheduleCancel(
  execution: Execution,
  account: Account,
  command: ScheduleCancelCommand,
): CommandResult {
  const { state } = execution;
  const reject = checkScheduleCancel(state, account, command, state.timeMs);
  if (reject !== undefined) return { account: account.address, reject };
  if (command.atMs === undefined) state.schedules.remove(account.index);
  else state.schedules.set(account.index, command.atMs);
  state.digest.word(account.index);
  state.digest.number(command.atMs ?? 0);
  return { account: account.address };
}

/** Judges a schedule: far enough ahead, or none at all. */
export function checkScheduleCancel(
  _state: State,
  _account: Account,
  { atMs }: ScheduleCancelCommand,
  nowMs: number,
): Reject | undefined {
  const minMs = nowMs + LIMITS.scheduleAheadMs;
  return atMs !== undefined && atMs < minMs ? { reason: 'scheduleTooSoon', minMs } : undefined;
}
