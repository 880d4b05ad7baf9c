import type { Address } from '@oddlot/units';
import { ZERO_ADDRESS } from '../auth/agents.ts';
import { isMultiSig } from '../auth/multi-sig.ts';
import { isBuilder } from '../ledger/builders.ts';
import type { CommandResult } from '../messages/block.ts';
import type { RegisterVaultCommand } from '../messages/command.ts';
import type { Reject } from '../messages/reject.ts';
import { type Execution, parametersOf } from '../state/execution.ts';
import type { Vault } from '../state/keys.ts';
import type { State } from '../state/state.ts';
import { openAccount } from './credit-faucet.ts';

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
