import { type Address, present, timeMs } from '@oddlot/units';
import {
  emitAgent,
  freeAddress,
  isAddressTaken,
  isOwnRelease,
  releaseAgent,
  revokeAgent,
  revokeAgents,
  ZERO_ADDRESS,
} from '../auth/agents.ts';
import { isMultiSig } from '../auth/authorize.ts';
import { isFormerAgent } from '../auth/nonces.ts';
import {
  addApproval,
  isBuilder,
  postBuilderClaim,
  removeApproval,
  unclaimedRewards,
} from '../ledger/builders.ts';
import type { MultiSigSet, RegisterVaultCommand } from '../messages/command.ts';
import { LIMITS } from '../messages/limits.ts';
import type { Reject } from '../messages/reject.ts';
import type { Account } from '../state/account.ts';
import { type Execution, parametersOf } from '../state/execution.ts';
import type { Vault } from '../state/permissions.ts';
import type { State } from '../state/state.ts';
import { openAccount } from './money.ts';
import { BY_AGENT, BY_OWN_KEY, type CommandTable } from './command-row.ts';

export const PERMISSION_COMMANDS = {
  /**
   * Binds, rebinds or revokes the agent with a label, or ends the binding of the signer itself
   * (R-agents).
   */
  approveAgent: {
    ...BY_OWN_KEY,
    check(state, account, command) {
      const { agent, label } = command;
      if (isOwnRelease(state, command)) return undefined;
      if (codePoints(label) > LIMITS.agentLabelLength) return { reason: 'agentLabelTooLong' };
      if (agent === account.address) return { reason: 'agentIsSelf' };
      const isBound = account.agents.has(label);
      if (agent === ZERO_ADDRESS) return isBound ? undefined : { reason: 'agentLabelUnknown' };
      if (isAddressTaken(state, agent)) return { reason: 'agentAddressUsed' };
      if (!isBound && account.agents.size >= LIMITS.agentsPerAccount)
        return { reason: 'agentsFull' };
      return undefined;
    },
    execute(execution, account, command) {
      const { state } = execution;
      const { agent, label } = command;
      let isReused = false;
      if (isOwnRelease(state, command)) releaseAgent(execution, command.authority.signer);
      else if (agent === ZERO_ADDRESS) revokeAgent(execution, account, label);
      else isReused = bindAgent(execution, account, agent, label);
      return isReused ? { account: account.address, agentReused: true } : undefined;
    },
  },

  /** Permits a builder to charge the account up to a rate, or changes that rate (R-builder). */
  approveBuilder: {
    ...BY_OWN_KEY,
    check(state, account, { builder, maxFeeE8 }) {
      if (builder === ZERO_ADDRESS || state.vaults.has(builder))
        return { reason: 'builderInvalid' };
      if (builder === account.address) return { reason: 'builderIsSelf' };
      if (maxFeeE8 === undefined || maxFeeE8 <= 0 || maxFeeE8 > LIMITS.builderRateMaxE8) {
        return { reason: 'builderFeeInvalid' };
      }
      // Changing the rate of an approved builder does not use another entry.
      const isFull = account.builders.size >= LIMITS.buildersPerAccount;
      return isFull && !account.builders.has(builder) ? { reason: 'buildersFull' } : undefined;
    },
    execute(execution, account, command) {
      const { state } = execution;
      const { builder, maxFeeText } = command;
      const maxFeeE8 = present(command.maxFeeE8, 'a checked rate');
      if (!account.builders.has(builder)) addApproval(state, builder);
      account.builders.set(builder, { maxFeeE8, maxFeeText, updatedMs: timeMs(state.timeMs) });
      state.digest.text(maxFeeText);
      emitBuilder(execution, account, builder, maxFeeE8);
    },
  },

  /**
   * Revokes a builder's approval, which also ends the builder's fee on resting orders (R-builder).
   */
  revokeBuilder: {
    ...BY_OWN_KEY,
    check(_state, account, { builder }) {
      return account.builders.has(builder) ? undefined : { reason: 'builderUnknown' };
    },
    execute(execution, account, command) {
      const { state } = execution;
      account.builders.delete(command.builder);
      removeApproval(state, command.builder);
      emitBuilder(execution, account, command.builder, undefined);
    },
  },

  /** Moves all rewards that the account earned as a builder to its perp balance (R-builder). */
  claimBuilderRewards: {
    ...BY_AGENT,
    check(state, account) {
      const isNone = unclaimedRewards(state, account.address) === 0n;
      return isNone ? { reason: 'builderRewardsNone' } : undefined;
    },
    execute(execution, account) {
      const { commandIndex, events, state } = execution;
      const amount = postBuilderClaim(state, account);
      const type = 'builderRewardsClaimed';
      events.push({ type, commandIndex, account: account.address, amount });
    },
  },

  /**
   * Sets, replaces or removes the signers of an account (R-multisig). Converting an ordinary
   * account revokes its agents. Agents approved by the signers stay, even if the signers are
   * replaced or removed. Nothing else in the account changes.
   */
  convertToMultiSig: {
    ...BY_OWN_KEY,
    check(state, account, { signers }) {
      if (signers === null) return undefined;
      const why =
        signers === undefined ? 'not a set of signers' : setFault(state, account, signers);
      return why === undefined ? undefined : { reason: 'multiSigSetInvalid', why };
    },
    execute(execution, account, command) {
      const { commandIndex, events, state } = execution;
      const { address } = account;
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
    },
  },

  /**
   * Makes an address a vault and opens its account, or replaces the leader, the name and, if given,
   * the complete share register of a vault (R-vault).
   */
  registerVault: {
    signedBy: 'admins',
    check(state, { shares = [], vault }) {
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
    },
    execute(execution, command) {
      const { commandIndex, events, state } = execution;
      const { leader, name, vault } = command;
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
    },
  },
} satisfies Partial<CommandTable>;

/**
 * Binds an agent. Returns true if the address was an agent before, in which case actions that its
 * key signed with later nonces can still execute (R-nonce).
 */
function bindAgent(execution: Execution, account: Account, agent: Address, label: string): boolean {
  const { state } = execution;
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
  return isReused;
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

function registerOf({ shares }: RegisterVaultCommand): Map<Address, bigint> | undefined {
  if (shares === undefined) return undefined;
  const held = shares.filter(({ shares: count }) => count > 0);
  return new Map(held.map(({ shares: count, user }) => [user, BigInt(count)]));
}

function fault(field: string, why: string): Reject {
  return { reason: 'definitionInvalid', field, why };
}

function emitBuilder(
  execution: Execution,
  { address, index }: Account,
  builder: Address,
  maxFeeE8: number | undefined,
): void {
  const { commandIndex, events, state } = execution;
  state.digest.word(index);
  state.digest.text(builder);
  state.digest.number(maxFeeE8 ?? 0);
  events.push({ type: 'builderChanged', commandIndex, account: address, builder, maxFeeE8 });
}

function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}
