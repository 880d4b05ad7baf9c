import type { OperatorCommand } from '../messages/command.ts';
import type { Reject } from '../messages/reject.ts';
import { parametersOf } from '../state/execution.ts';
import type { State } from '../state/state.ts';
import { checkExpiry } from './authorize.ts';
import { checkNonceFresh, checkNonceWindow } from './nonces.ts';

/** Commands on outcome markets are those of deployers. */
function isDeployment({ type }: OperatorCommand): boolean {
  switch (type) {
    case 'registerEvent':
    case 'registerMarket':
    case 'registerSeries':
    case 'setTrading':
    case 'pushPrice':
    case 'resolveMarket':
      return true;
    default:
      return false;
  }
}

/**
 * Judges who signed a command of the operator, in the order of `authorize`: the nonce's window, the
 * signer's role, the expiry, the nonce's freshness. The signer itself must be an admin (a deployer): agents of
 * one do not count, and no account is needed. A command without a signature comes from the process
 * itself and passes. Changes nothing; admission and execution both ask it.
 */
export function authorizeOperator(
  state: State,
  command: OperatorCommand,
  timeMs: number,
): Reject | undefined {
  const { operator } = command;
  if (operator === undefined) return undefined;
  const { nonce, signer } = operator;
  const window = checkNonceWindow(state, nonce, timeMs);
  if (window !== undefined) return window;
  const { admins, deployers } = parametersOf(state);
  if (!(isDeployment(command) ? deployers : admins).includes(signer)) {
    return { reason: 'operatorUnknown', signer, action: command.type };
  }
  return checkExpiry(operator, timeMs) ?? checkNonceFresh(state, signer, nonce);
}
