import type { OperatorCommand, OperatorRole } from '../messages/command.ts';
import type { Reject } from '../messages/reject.ts';
import { parametersOf } from '../state/execution.ts';
import type { State } from '../state/state.ts';
import { checkExpiry } from './authorize.ts';
import { checkNonceFresh, checkNonceWindow } from './nonces.ts';

/**
 * Judges who signed a command of the operator, in the order of `authorize`: the nonce's window, the
 * signer's role, the expiry, the nonce's freshness. The signer itself must have the role: agents of
 * one who has it do not count, and no account is needed. A command without a signature comes from the process
 * itself and passes. Changes nothing; admission and execution both ask it.
 */
export function authorizeOperator(
  state: State,
  command: OperatorCommand,
  role: OperatorRole,
  timeMs: number,
): Reject | undefined {
  const { operator } = command;
  if (operator === undefined) return undefined;
  const { nonce, signer } = operator;
  const window = checkNonceWindow(state, nonce, timeMs);
  if (window !== undefined) return window;
  if (!parametersOf(state)[role].includes(signer)) {
    return { reason: 'operatorUnknown', signer, action: command.type };
  }
  return checkExpiry(operator, timeMs) ?? checkNonceFresh(state.signers.get(signer), nonce);
}
