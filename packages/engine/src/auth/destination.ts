import type { Address } from '@oddlot/units';
import type { CreditDepositCommand } from '../messages/command.ts';
import type { Reject } from '../messages/reject.ts';
import type { State } from '../state/state.ts';
import { ZERO_ADDRESS } from './agents.ts';

/**
 * Judges whom money is sent to or an account is opened for. Nobody has the key of the zero address
 * (R-transfer). An agent's address without an account must stay without one: its key would sign for
 * its owner what it means for itself, and nobody but the key may end the binding (R-agents).
 */
export function checkDestination(state: State, destination: Address): Reject | undefined {
  if (destination === ZERO_ADDRESS) return { reason: 'addressInvalid', address: destination };
  const isBound = state.agents.has(destination) && !state.accountIndex.has(destination);
  return isBound ? { reason: 'agentAddressUsed' } : undefined;
}

/** True while the address is somebody's agent and its own deposit would not end that (R-agents). */
export function isForBound(
  state: State,
  { account, isOwn }: Pick<CreditDepositCommand, 'account' | 'isOwn'>,
): boolean {
  const endsBinding = isOwn && state.bridge?.unusedAgents.has(account) === true;
  return !endsBinding && checkDestination(state, account)?.reason === 'agentAddressUsed';
}
