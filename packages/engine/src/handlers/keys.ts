import { type Address, timeMs } from '@oddlot/units';
import {
  checkApproveAgent,
  emitAgent,
  freeAddress,
  isOwnRelease,
  releaseAgent,
  revokeAgent,
  revokeAgents,
  ZERO_ADDRESS,
} from '../auth/agents.ts';
import { isFormerAgent } from '../auth/nonces.ts';
import type { CommandResult } from '../messages/block.ts';
import type {
  ApproveAgentCommand,
  ConvertToMultiSigCommand,
  MultiSigSet,
  RegisterVaultCommand,
} from '../messages/command.ts';
import type { Account } from '../state/account.ts';
import { type Execution, parametersOf } from '../state/execution.ts';
import { isMultiSig } from '../auth/authorize.ts';
import { LIMITS } from '../messages/limits.ts';
import type { Reject } from '../messages/reject.ts';
import type { State } from '../state/state.ts';
import { isBuilder } from '../ledger/builders.ts';
import type { Vault } from '../state/keys.ts';
import { openAccount } from './money.ts';

/**
 * Binds, rebinds or revokes the agent under a label, or ends the binding of whoever signed (R-agents).
 */
export function approveAgent(
  execution: Execution,
  account: Account,
  command: ApproveAgentCommand,
): CommandResult {
  const { state } = execution;
  const { agent, label } = command;
  const reject = checkApproveAgent(state, account, command);
  if (reject !== undefined) return { account: account.address, reject };
  if (isOwnRelease(state, command)) {
    releaseAgent(execution, command.authority.signer);
    return { account: account.address };
  }
  if (agent === ZERO_ADDRESS) {
    revokeAgent(execution, account, label);
    return { account: account.address };
  }
  const isReused = isFormerAgent(state, agent);
  const previous = account.agents.get(label);
  if (previous !== undefined) freeAddress(state, previous.agent);
  const now = timeMs(state.timeMs);
  const createdMs = previous?.createdMs ?? now;
  account.agents.set(label, { agent, createdMs, updatedMs: now });
  state.agents.set(agent, { accountIndex: account.index, label });
  state.keyChanges += 1;
  state.bridge?.unusedAgents.set(agent, true);
  const signer = state.signers.get(agent);
  if (signer !== undefined) signer.isRevokedAgent = false;
  emitAgent(execution, account, { label, agent, previous: previous?.agent });
  return { account: account.address, ...(isReused ? { agentReused: true } : {}) };
}

/**
 * Gives an account a set of signers, replaces it or drops it (R-multisig). The conversion of an
 * ordinary account revokes its agents; those approved by the signers stay, also when the set is
 * replaced or dropped. Nothing else of the account changes.
 */
export function convertToMultiSig(
  execution: Execution,
  account: Account,
  command: ConvertToMultiSigCommand,
): CommandResult {
  const { commandIndex, events, state } = execution;
  const { address } = account;
  const reject = checkConvertToMultiSig(state, account, command);
  if (reject !== undefined) return { account: address, reject };
  const signers = command.signers ?? undefined;
  const isOrdinary = account.multiSig === undefined;
  if (signers === undefined && isOrdinary) return { account: address };
  if (isOrdinary) revokeAgents(execution, account);
  account.multiSig = signers && { users: [...signers.users], threshold: signers.threshold };
  state.digest.word(account.index);
  state.digest.word(signers?.threshold ?? 0);
  for (const user of signers?.users ?? []) state.digest.text(user);
  events.push({ type: 'multiSigChanged', commandIndex, account: address });
  return { account: address };
}

/** Judges the set: that it is one, its users, its threshold, and whether the account may have it. */
export function checkConvertToMultiSig(
  state: State,
  account: Account,
  { signers }: ConvertToMultiSigCommand,
): Reject | undefined {
  if (signers === null) return undefined;
  const why = signers === undefined ? 'not a set of signers' : setFault(state, account, signers);
  return why === undefined ? undefined : { reason: 'multiSigSetInvalid', why };
}

function setFault(
  state: State,
  { address }: Account,
  { threshold, users }: MultiSigSet,
): string | undefined {
  if (users.length < 1 || users.length > LIMITS.multiSigUsers) {
    return `a set has 1 to ${LIMITS.multiSigUsers} users`;
  }
  if (new Set(users).size < users.length) return 'a user is named twice';
  if (users.includes(address)) return 'the account cannot be its own signer';
  if (users.some((user) => isMultiSig(state, user))) return 'a user is a multi-sig account';
  if (!Number.isSafeInteger(threshold) || threshold < 1 || threshold > users.length) {
    return 'the threshold is 1 to the number of users';
  }
  return state.vaults.has(address) ? 'a vault cannot become a multi-sig account' : undefined;
}

/**
 * Makes an address a vault, with an account when it has none, or replaces a vault's leader, name
 * and, when given, its whole share register (R-vault).
 */
export function registerVault(execution: Execution, command: RegisterVaultCommand): CommandResult {
  const { commandIndex, events, state } = execution;
  const { leader, name, vault } = command;
  const reject = checkRegisterVault(state, command);
  if (reject !== undefined) return { reject };
  const account = openAccount(execution, vault);
  const shares: Vault['shares'] =
    registerOf(command) ?? state.vaults.get(vault)?.shares ?? new Map();
  const totalShares = [...shares.values()].reduce((sum, count) => sum + count, 0n);
  state.digest.text(vault);
  state.digest.text(leader);
  state.digest.text(name);
  state.digest.amount(totalShares);
  for (const { shares: count, user } of command.shares ?? []) {
    state.digest.text(user);
    state.digest.number(count);
  }
  state.vaults.set(vault, { accountIndex: account.index, leader, name, shares, totalShares });
  events.push({ type: 'vaultChanged', commandIndex, vault });
  return {};
}

/** Judges what the address is already, then the shares. */
export function checkRegisterVault(
  state: State,
  { shares = [], vault }: RegisterVaultCommand,
): Reject | undefined {
  if (vault === ZERO_ADDRESS) return { reason: 'addressInvalid', address: vault };
  if (state.agents.has(vault)) return { reason: 'vaultInvalid', why: 'agent' };
  if (isBuilder(state, vault)) return { reason: 'vaultInvalid', why: 'builder' };
  if (isMultiSig(state, vault)) return { reason: 'vaultInvalid', why: 'multiSig' };
  const { insuranceFundAddress } = parametersOf(state);
  if (vault === insuranceFundAddress) return { reason: 'vaultInvalid', why: 'fund' };
  const seen = new Set<Address>();
  for (const [index, { shares: count, user }] of shares.entries()) {
    if (seen.has(user)) return fault(`shares[${index}].user`, 'is named twice');
    seen.add(user);
    if (!Number.isSafeInteger(count) || count < 0) {
      return fault(`shares[${index}].shares`, 'must be a count of 0.000001, not below 0');
    }
  }
  return undefined;
}

/** Who holds how much; without shares there is nothing to hold. */
function registerOf({ shares }: RegisterVaultCommand): Map<Address, bigint> | undefined {
  if (shares === undefined) return undefined;
  const held = shares.filter(({ shares: count }) => count > 0);
  return new Map(held.map(({ shares: count, user }) => [user, BigInt(count)]));
}

function fault(field: string, why: string): Reject {
  return { reason: 'definitionInvalid', field, why };
}
