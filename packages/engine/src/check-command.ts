import { authorize, authorizeOperator } from './auth/authorize.ts';
import { checkFor, signedRules, unsignedRules } from './commands/commands.ts';
import type { CommandResult } from './messages/block.ts';
import { type Command, isSigned, type UnsignedCommand } from './messages/command.ts';
import type { Reject } from './messages/reject.ts';
import type { State } from './state/state.ts';

/**
 * Admission: what executing a command at `nowMs` would refuse, by the same rules, without changing
 * anything. Execution judges again and is the authority.
 */
export function checkCommand(state: State, command: Command, nowMs: number): CommandResult {
  if (!isSigned(command)) {
    const reject = checkUnsigned(state, command, nowMs);
    return reject === undefined ? {} : { reject };
  }
  const { account, reject } = authorize(state, command, signedRules(command), nowMs);
  if (account === undefined) return { reject };
  if (reject !== undefined) return { account: account.address, reject };
  return checkFor(state, account, command, nowMs);
}

function checkUnsigned(state: State, command: UnsignedCommand, nowMs: number): Reject | undefined {
  const { check, signedBy } = unsignedRules(command);
  const isOperators = signedBy !== 'nobody' && 'operator' in command;
  const reject = isOperators ? authorizeOperator(state, command, signedBy, nowMs) : undefined;
  return reject ?? check(state, command, nowMs);
}
