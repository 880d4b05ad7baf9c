import { authorize } from './auth/authorize.ts';
import { checkApproveAgent } from './auth/agents.ts';
import type { CommandOutcome } from './block.ts';
import { type Command, isSigned } from './command.ts';
import { checkPlaceOrders } from './handlers/place-orders.ts';
import type { State } from './state.ts';

/**
 * Admission: what executing a command at `nowMs` would refuse, by the same rules, without changing
 * anything. Execution judges again and is the authority.
 */
export function checkCommand(state: State, command: Command, nowMs: number): CommandOutcome {
  if (!isSigned(command)) return {};
  const { account, reject } = authorize(state, command, nowMs);
  if (account === undefined) return { reject };
  if (reject !== undefined) return { account: account.address, reject };
  if (command.type === 'placeOrders') return checkPlaceOrders(state, account, command, nowMs);
  if (command.type === 'approveAgent') {
    const refusal = checkApproveAgent(state, account, command);
    if (refusal !== undefined) return { account: account.address, reject: refusal };
  }
  return { account: account.address };
}
