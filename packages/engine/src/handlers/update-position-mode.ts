import type { CommandResult } from '../messages/block.ts';
import type { UpdatePositionModeCommand } from '../messages/command.ts';
import type { Reject } from '../messages/reject.ts';
import { hasPosition, workingOrders } from '../perp-orders/working-orders.ts';
import type { Account } from '../state/account.ts';
import type { Execution } from '../state/execution.ts';
import type { State } from '../state/state.ts';
import { emitSettings } from './emit-settings.ts';

/** Switches the whole account between one-way and hedge mode (R-hedge). */
export function updatePositionMode(
  execution: Execution,
  account: Account,
  command: UpdatePositionModeCommand,
): CommandResult {
  const reject = checkUpdatePositionMode(execution.state, account, command);
  if (reject !== undefined) return { account: account.address, reject };
  account.positionMode = command.mode;
  emitSettings(execution, account);
  return { account: account.address };
}

/** Judges a switch of the position mode: no positions, no working orders. */
export function checkUpdatePositionMode(
  state: State,
  account: Account,
  { mode }: UpdatePositionModeCommand,
): Reject | undefined {
  if (mode === account.positionMode) return undefined;
  if (hasPosition(account)) return { reason: 'positionModeOpenPositions' };
  const working = workingOrders(state, account);
  const count = working.resting + working.tpsl + working.triggers;
  return count > 0 ? { reason: 'positionModeOpenOrders' } : undefined;
}
