import { assert, present } from '@oddlot/units';
import { isBuilder } from '../ledger/builders.ts';
import { LIMITS } from '../messages/limits.ts';
import type { Account } from '../state/account.ts';
import type { State } from '../state/state.ts';

/** What must hold after every block of who may act for whom; part of `checkInvariants`. */
export function checkKeys(state: State): void {
  for (const [agent, { accountIndex, label }] of state.agents) {
    const owner = present(state.accounts[accountIndex], 'the owner of an agent');
    assert(owner.agents.get(label)?.agent === agent, 'both sides of an agent binding agree');
  }
  const labels = state.accounts.reduce((sum, { agents }) => sum + agents.size, 0);
  assert(labels === state.agents.size, 'every label has its own agent');
  for (const account of state.accounts) {
    checkSigners(account);
    checkBounds(account);
  }
  for (const [signer, { used }] of state.signers) {
    assert(used.length <= LIMITS.noncesPerSigner, `${signer} has its number of nonces`);
  }
  checkVaults(state);
  for (const { codes } of state.gates) {
    for (const [code, { maxUses, uses }] of codes) {
      assert(uses <= maxUses, `the code ${code} is granted as often as it may be`);
    }
  }
}

/** R-limits-of-state. */
function checkBounds({ address, agents, builders, liveOrders }: Account): void {
  assert(agents.size <= LIMITS.agentsPerAccount, `${address} has its number of agents`);
  assert(builders.size <= LIMITS.buildersPerAccount, `${address} has its number of builders`);
  assert(liveOrders <= LIMITS.ordersPerAccount, `${address} has its number of live orders`);
}

function checkSigners({ address, multiSig }: Account): void {
  if (multiSig === undefined) return;
  const { threshold, users } = multiSig;
  const isSet = new Set(users).size === users.length && users.length <= LIMITS.multiSigUsers;
  assert(isSet && !users.includes(address), `the signers of ${address} are a set of others`);
  assert(threshold >= 1 && threshold <= users.length, `${address} can reach its threshold`);
}

function checkVaults(state: State): void {
  for (const [vault, { accountIndex, shares, totalShares }] of state.vaults) {
    const account = present(state.accounts[accountIndex], 'the account of a vault');
    assert(account.address === vault, 'a vault has the account under its own address');
    const isVaultOnly =
      account.multiSig === undefined && !state.agents.has(vault) && !isBuilder(state, vault);
    assert(isVaultOnly, `the vault ${vault} is not a multi-sig account, agent or builder`);
    let sum = 0n;
    for (const count of shares.values()) {
      assert(count > 0n, 'who holds shares holds some');
      sum += count;
    }
    assert(sum === totalShares, `the shares of ${vault} add up`);
  }
}
