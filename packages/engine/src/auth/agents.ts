import { type Address, address, present } from '@oddlot/units';
import type { CreditDepositCommand, SignedCommand } from '../messages/command.ts';
import type { Reject } from '../messages/reject.ts';
import { accountAt, type State } from '../state/state.ts';
import type { Account } from '../state/account.ts';
import type { Execution } from '../state/execution.ts';
import { raiseNonceFloor } from './nonces.ts';
import type { SigningRules } from './gate.ts';

/** The address that revokes an agent when it is approved under that agent's label. */
export const ZERO_ADDRESS: Address = address('0x0000000000000000000000000000000000000000');

/**
 * Returns true if an address cannot become an agent: it is already an agent, has its own account
 * (as every vault has), or will get one (as relay addresses will). Otherwise anyone could take over
 * actions that another account's key signs, or block deposits to that address.
 */
export function isAddressTaken({ accountIndex, agents, bridge }: State, agent: Address): boolean {
  return agents.has(agent) || accountIndex.has(agent) || bridge?.pegs.has(agent) === true;
}

/**
 * Returns true if a key ends its own binding by approving the zero address without a label, with or
 * without an account (R-agents). If its account has an unnamed agent, the action revokes that agent
 * instead.
 */
export function isOwnRelease(state: State, command: SignedCommand): boolean {
  if (command.type !== 'approveAgent') return false;
  const { agent, authority, label } = command;
  const { multiSig, signer, vault } = authority;
  const isOwn = multiSig === undefined && vault === undefined;
  if (agent !== ZERO_ADDRESS || label !== '' || !isOwn) return false;
  const hasNoUnnamedAgent = accountAt(state, signer)?.agents.has(label) !== true;
  return hasNoUnnamedAgent && state.agents.has(signer);
}

/**
 * Ends the agent binding of an address that acts with its own key for its own account (R-agents).
 */
export function endOwnBinding(
  execution: Execution,
  account: Account,
  { authority }: SignedCommand,
  { signedBy }: SigningRules,
): void {
  const { multiSig, signer } = authority;
  const isOwnAct = signedBy === 'ownKey' && multiSig === undefined && account.address === signer;
  if (isOwnAct) releaseAgent(execution, signer);
}

/**
 * Records that a key has acted for its owner and thereby agreed to the binding, so that its own
 * deposit does not end it (R-agents).
 */
export function noteAgentUse({ bridge }: State, { authority }: SignedCommand): void {
  const { multiSig, signer } = authority;
  if (bridge === undefined || bridge.unusedAgents.size === 0) return;
  if (multiSig === undefined) bridge.unusedAgents.delete(signer);
}

/** Ends the binding of an address, as if its owner had revoked the label. */
export function releaseAgent(execution: Execution, agent: Address): void {
  const { state } = execution;
  const binding = state.agents.get(agent);
  if (binding === undefined) return;
  const owner = present(state.accounts[binding.accountIndex], 'the owner of an agent');
  revokeAgent(execution, owner, binding.label);
}

/**
 * Revokes every agent of an account, sorted by label so that a restored state uses the same order.
 */
export function revokeAgents(execution: Execution, account: Account): void {
  const labels = [...account.agents.keys()].sort((a, b) => (a < b ? -1 : 1));
  for (const label of labels) revokeAgent(execution, account, label);
}

export function revokeAgent(execution: Execution, account: Account, label: string): void {
  const previous = account.agents.get(label)?.agent;
  if (previous !== undefined) freeAddress(execution.state, previous);
  account.agents.delete(label);
  emitAgent(execution, account, { label, agent: undefined, previous });
}

/**
 * Releases an agent's address. All actions that it has signed before become invalid, for any owner
 * (R-nonce).
 */
export function freeAddress(state: State, agent: Address): void {
  state.agents.delete(agent);
  state.keyChanges += 1;
  state.bridge?.unusedAgents.delete(agent);
  raiseNonceFloor(state, agent);
}

/** Emits that a label was bound, rebound or, if `agent` is undefined, revoked. */
export function emitAgent(
  { commandIndex, events, state }: Execution,
  account: Account,
  change: {
    readonly label: string;
    readonly agent: Address | undefined;
    readonly previous: Address | undefined;
  },
): void {
  state.digest.word(account.index);
  state.digest.text(change.label);
  state.digest.text(change.agent ?? ZERO_ADDRESS);
  events.push({ type: 'agentChanged', commandIndex, account: account.address, ...change });
}

/**
 * Checks the address that receives money or a new account. The zero address has no key
 * (R-transfer). Other users cannot open an account for an agent's address, because its key would
 * act for the agent's owner instead; only the key itself can end the binding (R-agents).
 */
export function checkDestination(state: State, destination: Address): Reject | undefined {
  if (destination === ZERO_ADDRESS) return { reason: 'addressInvalid', address: destination };
  const isBound = state.agents.has(destination) && !state.accountIndex.has(destination);
  return isBound ? { reason: 'agentAddressUsed' } : undefined;
}

/**
 * Returns true while the address is an agent and its own deposit would not end the binding
 * (R-agents).
 */
export function isForBound(
  state: State,
  { account, isOwn }: Pick<CreditDepositCommand, 'account' | 'isOwn'>,
): boolean {
  const endsBinding = isOwn && state.bridge?.unusedAgents.has(account) === true;
  return !endsBinding && checkDestination(state, account)?.reason === 'agentAddressUsed';
}
