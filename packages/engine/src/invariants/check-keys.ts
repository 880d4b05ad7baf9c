import { type Address, assert, present, RATE_ONE } from '@oddlot/units';
import { isBuilder } from '../ledger/builders.ts';
import { LIMITS } from '../messages/limits.ts';
import type { Account } from '../state/account.ts';
import type { State } from '../state/state.ts';
import { HAS_BUILDER, NONE, readSlotInt } from '../book/order-pool.ts';
import { isBehind, NO_PLACE } from '../state/bridge.ts';

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

/** What must hold after every block for builders; part of `checkInvariants`. */
export function checkBuilders(state: State): void {
  const { pool } = state;
  for (const [orderId, { feeTenthsBp, makerOwed, takerOwed }] of state.orderBuilders) {
    const slot = pool.find(orderId);
    const isKnown = slot !== NONE && (readSlotInt(pool.flags, slot) & HAS_BUILDER) !== 0;
    assert(isKnown, 'a builder charges for a live order that knows of it');
    assert(feeTenthsBp > 0, 'a builder that charges nothing is none');
    for (const owed of [takerOwed, makerOwed]) {
      assert(owed >= 0 && owed < RATE_ONE, 'less than one micro-USDC is owed to a builder');
    }
  }
  const approvals = new Map<Address, number>();
  for (const { address, builders } of state.accounts) {
    assert(builders.size <= LIMITS.buildersPerAccount, `${address} has its number of builders`);
    for (const builder of builders.keys()) {
      approvals.set(builder, (approvals.get(builder) ?? 0) + 1);
    }
  }
  for (const [builder, rewards] of state.builderRewards) {
    const { claimed, earned } = rewards;
    assert(claimed >= 0n && claimed <= earned, `${builder} has claimed what it earned at most`);
    assert(rewards.approvals === (approvals.get(builder) ?? 0), `the approvals of ${builder}`);
    assert(earned > 0n || rewards.approvals > 0, `${builder} is a builder`);
    approvals.delete(builder);
  }
  assert(approvals.size === 0, 'every approved account is known as a builder');
}

/** What must hold after every block of the settlement chain; part of `checkInvariants`. */
export function checkBridge({ accountIndex, agents, bridge, deposited }: State): void {
  if (bridge === undefined) return;
  const { chainId, credited, cursor, floors, kept, pegs, unusedAgents } = bridge;
  assert(credited.size <= LIMITS.depositsKept, 'the venue keeps its number of deposits');
  assert(kept.size <= LIMITS.depositsAsideKept, 'the venue keeps its number of deposits aside');
  for (const key of kept.keys()) assert(!credited.has(key), 'what is kept is not credited');
  assert(bridge.creditedTotal <= deposited, 'deposits are part of what came in');
  assert(pegs.size <= LIMITS.pegsKept, 'the venue keeps its number of pegs');
  const floor = floors.get(chainId) ?? NO_PLACE;
  assert(
    cursor === NO_PLACE || !isBehind(floor, cursor),
    'the cursor is not before what is forgotten',
  );
  for (const agent of unusedAgents.keys()) {
    assert(agents.has(agent), 'who has never used a binding has one');
  }
  for (const peg of pegs.keys()) assert(!accountIndex.has(peg), 'a noted peg has no account yet');
}
