import { removeApproval } from '../ledger/builders.ts';
import type { CommandResult } from '../messages/block.ts';
import type { RevokeBuilderCommand } from '../messages/command.ts';
import type { Reject } from '../messages/reject.ts';
import type { Account } from '../state/account.ts';
import type { Execution } from '../state/execution.ts';
import type { State } from '../state/state.ts';
import { emitBuilder } from './approve-builder.ts';

/** Takes a builder's approval back; its fee ends with it, on resting orders too (R-builder). */
export function revokeBuilder(
  execution: Execution,
  account: Account,
  command: RevokeBuilderCommand,
): CommandResult {
  const { state } = execution;
  const reject = checkRevokeBuilder(state, account, command);
  if (reject !== undefined) return { account: account.address, reject };
  account.builders.delete(command.builder);
  removeApproval(state, command.builder);
  emitBuilder(execution, account, command.builder, undefined);
  return { account: account.address };
}

/** Judges it; changes nothing. */
export function checkRevokeBuilder(
  _state: State,
  account: Account,
  { builder }: RevokeBuilderCommand,
): Reject | undefined {
  return account.builders.has(builder) ? undefined : { reason: 'builderUnknown' };
}
