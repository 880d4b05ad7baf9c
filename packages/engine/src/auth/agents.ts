import { address, type Address } from '@oddlot/units';
import type { Account } from '../account.ts';
import type { ApproveAgentCommand } from '../command.ts';
import { LIMITS } from '../limits.ts';
import type { Reject } from '../reject.ts';
import type { State } from '../state.ts';

/** Whom an agent address acts for. */
export type AgentBinding = { readonly accountIndex: number; readonly label: string };

/** Approving this address revokes the label. */
export const ZERO_ADDRESS: Address = address('0x0000000000000000000000000000000000000000');

/** Judges a binding, rebinding or revocation (R-agents). */
export function checkApproveAgent(
  state: State,
  account: Account,
  command: ApproveAgentCommand,
): Reject | undefined {
  const { agent, label } = command;
  if (codePoints(label) > LIMITS.agentLabelLength) return { reason: 'agentLabelTooLong' };
  if (agent === account.address) return { reason: 'agentIsSelf' };
  const isBound = account.agents.has(label);
  if (agent === ZERO_ADDRESS) return isBound ? undefined : { reason: 'agentLabelUnknown' };
  if (isAddressTaken(state, agent)) return { reason: 'agentAddressUsed' };
  if (!isBound && account.agents.size >= LIMITS.agentsPerAccount) return { reason: 'agentsFull' };
  return undefined;
}

/**
 * An address that is an agent, or has an account of its own, cannot be made an agent: anyone could
 * otherwise capture what another's account key signs.
 */
function isAddressTaken(state: State, agent: Address): boolean {
  return state.agents.has(agent) || state.accountIndex.has(agent);
}

function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}
