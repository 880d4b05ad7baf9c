import { type Address, negUsdc } from '@oddlot/units';
import { describe, expect, test } from 'vitest';
import { ZERO_ADDRESS } from '../auth/agents.ts';
import { checkCommand } from './commands.ts';
import type { RegisterVaultCommand } from '../messages/command.ts';
import { vaultEquity } from '../read/read-permissions.ts';
import { accountView, agentsOf, openOrders } from '../read/read.ts';
import { holdingKey } from '../state/account.ts';
import {
  actor,
  alice,
  bob,
  carol,
  order,
  PARAMETERS,
  Scenario,
} from '@oddlot/testing/engine/scenario';
import { refusalFor, signedFor, type Unsigned } from '@oddlot/testing/engine/signed-for';
import { checkRestarts } from '@oddlot/testing/engine/waiting';

const vault = actor(0x7a017);
const agent = actor(0xa1);
const holder = actor(0x401d);

function registration(shape: Partial<RegisterVaultCommand> = {}): RegisterVaultCommand {
  return { type: 'registerVault', vault, leader: alice, name: 'Slow and steady', ...shape };
}

function open(shape: Partial<RegisterVaultCommand> = {}): Scenario {
  const scenario = Scenario.open();
  expect(scenario.outcome(registration(shape))).toEqual({});
  scenario.fund(vault, 1_000_000_000);
  return scenario;
}

const buy: Unsigned = { type: 'placeOrders', orders: [order({ price: 1_000_000, size: 20 })] };

describe('R-vault: registering a vault creates or changes its account', () => {
  test('registering a new vault opens its account without money', () => {
    const scenario = Scenario.open();
    const digest = scenario.state.digest.hex();
    const { events } = scenario.block(registration());
    expect(events).toEqual([
      { type: 'accountCreated', commandIndex: 0, account: vault },
      { type: 'vaultChanged', commandIndex: 0, vault },
    ]);
    expect(scenario.balance(vault)).toBe(0n);
    expect(scenario.state.digest.hex()).not.toBe(digest);
  });

  test('an account that becomes a vault keeps its orders and agents', () => {
    const scenario = Scenario.open();
    scenario.approve(bob, agent);
    scenario.one(agent, { price: 1_000_000, size: 20 });
    const { events } = scenario.block(registration({ vault: bob }));
    expect(events.map(({ type }) => type)).toEqual(['vaultChanged']);
    expect(openOrders(scenario.state, bob)).toHaveLength(1);
    expect(agentsOf(scenario.state, bob)).toHaveLength(1);
  });

  test('registering a vault again replaces its leader and name, and its shares only if given', () => {
    const shares = [{ user: holder, shares: 5_000_000 }];
    const scenario = open({ shares });
    scenario.block(registration({ leader: bob, name: 'New' }));
    expect(scenario.state.vaults.get(vault)).toMatchObject({
      leader: bob,
      name: 'New',
      shares: new Map([[holder, 5_000_000n]]),
      totalShares: 5_000_000n,
    });
    expect(refusalFor(scenario, alice, { vault }, buy)).toBe('vaultLeaderDiffers');
    expect(refusalFor(scenario, bob, { vault }, buy)).toBeUndefined();
    const some = [
      { user: carol, shares: 1 },
      { user: holder, shares: 0 },
    ];
    scenario.block(registration({ shares: some }));
    expect(scenario.state.vaults.get(vault)?.shares).toEqual(new Map([[carol, 1n]]));
    const digests = [undefined, []].map((next) => {
      const copy = open({ shares });
      copy.block(registration(next === undefined ? {} : { shares: next }));
      return [copy.state.vaults.get(vault)?.totalShares, copy.state.digest.hex()] as const;
    });
    expect(digests.map(([total]) => total)).toEqual([5_000_000n, 0n]);
    expect(digests[0]?.[1]).not.toBe(digests[1]?.[1]);
  });

  test.each([
    ['agent', agent],
    ['builder', actor(0xb1)],
    ['multiSig', carol],
    ['fund', PARAMETERS.insuranceFundAddress],
  ] as const)(
    'a vault registration is rejected for an address that is in use: %s',
    (why, address) => {
      const scenario = Scenario.open();
      scenario.approve(bob, agent);
      const builder = { builder: actor(0xb1), maxFeeE8: 100_000, maxFeeText: '0.1%' };
      refusalFor(scenario, bob, {}, { type: 'approveBuilder', ...builder });
      const signers = { users: [bob], threshold: 1 };
      refusalFor(scenario, carol, {}, { type: 'convertToMultiSig', signers });
      const command = registration({ vault: address });
      const reject = { reason: 'vaultInvalid', why };
      expect(checkCommand(scenario.state, command, scenario.nowMs)).toEqual({ reject });
      expect(scenario.outcome(command)).toEqual({ reject });
      expect(scenario.state.vaults.size).toBe(0);
    },
  );

  test('an address that is no longer an agent or builder can become a vault', () => {
    const scenario = Scenario.open();
    scenario.approve(bob, vault);
    const builder = { builder: vault, maxFeeE8: 100_000, maxFeeText: '0.1%' };
    refusalFor(scenario, bob, {}, { type: 'approveBuilder', ...builder });
    scenario.approve(bob, ZERO_ADDRESS);
    expect(scenario.outcome(registration()).reject).toMatchObject({ why: 'builder' });
    refusalFor(scenario, bob, {}, { type: 'revokeBuilder', builder: vault });
    expect(scenario.outcome(registration())).toEqual({});
  });

  test.each([
    ['a user twice', [holder, bob, holder], [1, 2, 3], 'shares[2].user'],
    ['less than nothing', [holder, bob], [1, -1], 'shares[1].shares'],
    ['too many to count', [holder], [2 ** 53], 'shares[0].shares'],
  ])('a vault registration with invalid shares is rejected: %s', (_, users, counts, field) => {
    const scenario = Scenario.open();
    const shares = users.map((user, at) => ({ user, shares: counts[at] ?? 0 }));
    const command = registration({ shares });
    const reject = { reason: 'definitionInvalid', field };
    expect(checkCommand(scenario.state, command, scenario.nowMs)).toMatchObject({ reject });
    expect(scenario.outcome(command)).toMatchObject({ reject });
    expect(scenario.state.accountIndex.has(vault)).toBe(false);
  });

  test('a vault cannot become an agent', () => {
    const scenario = open();
    expect(scenario.approve(bob, vault).reject?.reason).toBe('agentAddressUsed');
  });
});

describe('R-vault: the leader, the vault’s key and its agents can act for it', () => {
  test('the leader of a vault and agents of the leader can act for it', () => {
    const scenario = open();
    scenario.approve(alice, agent);
    for (const signer of [alice, agent]) {
      const outcome = scenario.outcome(signedFor(scenario, signer, { vault }, buy));
      expect(outcome).toMatchObject({ account: vault, entries: [{ state: 'open' }] });
    }
    expect(openOrders(scenario.state, vault)).toHaveLength(2);
    expect(openOrders(scenario.state, alice)).toHaveLength(0);
    // The nonce is recorded for the signer, not for the vault (R-nonce).
    expect([...scenario.state.signers.keys()]).toEqual([alice, agent]);
  });

  test('a vault’s own key and its agents can act for the vault without naming it', () => {
    const scenario = open();
    expect(refusalFor(scenario, vault, {}, buy)).toBeUndefined();
    expect(scenario.approve(vault, agent).reject).toBeUndefined();
    expect(refusalFor(scenario, agent, {}, buy)).toBeUndefined();
    expect(openOrders(scenario.state, vault)).toHaveLength(2);
  });

  test('a leader that is an agent of another account can lead only after it has its own account', () => {
    const scenario = open({ leader: holder });
    expect(refusalFor(scenario, holder, { vault }, buy)).toBe('accountUnknown');
    scenario.approve(bob, holder);
    expect(refusalFor(scenario, holder, { vault }, buy)).toBe('vaultLeaderDiffers');
    // The leader gets an account after releasing its binding.
    scenario.fund(holder, 1_000_000);
    expect(refusalFor(scenario, holder, { vault }, buy)).toBe('vaultLeaderDiffers');
    expect(scenario.approve(holder, ZERO_ADDRESS).reject).toBeUndefined();
    scenario.wait(1);
    scenario.fund(holder, 1_000_000);
    expect(refusalFor(scenario, holder, { vault }, buy)).toBeUndefined();
    expect([vault, bob, holder].map((who) => openOrders(scenario.state, who).length)).toEqual([
      1, 0, 0,
    ]);
    const signers = { users: [carol], threshold: 1 };
    refusalFor(scenario, holder, {}, { type: 'convertToMultiSig', signers });
    expect(refusalFor(scenario, holder, { vault }, buy)).toBe('multiSigRequired');
    const multiSig = { user: holder, signers: [carol] };
    expect(refusalFor(scenario, carol, { vault, multiSig }, buy)).toBeUndefined();
  });

  test.each([
    ['another account', bob, vault, 'vaultLeaderDiffers'],
    ["another's agent", agent, vault, 'vaultLeaderDiffers'],
    ['the vault itself, when it is not its own leader', vault, vault, 'vaultLeaderDiffers'],
    ['any account, for an address that is not a vault', alice, bob, 'vaultUnknown'],
    ['a signer without a role', holder, vault, 'accountUnknown'],
  ])('%s cannot act for a vault', (_, signer, address, reason) => {
    const scenario = open();
    scenario.approve(carol, agent);
    const command = signedFor(scenario, signer, { vault: address }, buy);
    expect(checkCommand(scenario.state, command, scenario.nowMs).reject?.reason).toBe(reason);
    expect(scenario.outcome(command).reject?.reason).toBe(reason);
    expect(scenario.state.signers.has(signer)).toBe(false);
  });

  test.each<Unsigned>([
    { type: 'withdraw', destination: alice, amountMicroUsdc: 5_000_000 },
    {
      type: 'sendToken',
      destination: alice,
      token: 0,
      amountMicroUsdc: 1_000_000,
      from: 'perp',
      to: 'perp',
    },
    { type: 'approveAgent', agent, label: '' },
    { type: 'approveBuilder', builder: bob, maxFeeE8: 1, maxFeeText: '0.000001%' },
    { type: 'convertToMultiSig', signers: { users: [bob], threshold: 1 } },
  ])('the leader of a vault can neither move its money nor change its keys: $type', (command) => {
    const scenario = open();
    const before = scenario.balance(vault);
    expect(refusalFor(scenario, alice, { vault }, command)).toBe('vaultLeaderDiffers');
    expect(scenario.balance(vault)).toBe(before);
    expect(agentsOf(scenario.state, vault)).toEqual([]);
  });

  test('a leader replaced earlier in the block no longer leads, because the role is checked at execution', () => {
    const scenario = open();
    const command = signedFor(scenario, alice, { vault }, buy);
    expect(checkCommand(scenario.state, command, scenario.nowMs).reject).toBeUndefined();
    const { outcomes } = scenario.block(command, registration({ leader: bob }));
    expect(outcomes[0]?.reject?.reason).toBe('vaultLeaderDiffers');
    const early = signedFor(scenario, bob, { vault: carol }, buy);
    const both = scenario.block(early, registration({ vault: carol, leader: bob }));
    expect(both.outcomes[0]?.entries?.[0]?.state).toBe('open');
  });
});

describe('R-vault: vault shares are worth their proportion of the vault', () => {
  const shares = [
    { user: alice, shares: 1_000_000 },
    { user: holder, shares: 2_000_000 },
  ];
  const equities = (scenario: Scenario) =>
    [alice, holder, bob].map((user: Address) => vaultEquity(scenario.state, user));

  test('shares are worth their proportion of the account value, rounded down, even without an account', () => {
    const scenario = open({ shares });
    expect(equities(scenario)).toEqual([333_333_333n, 666_666_666n, 0n]);
    expect(accountView(scenario.state, alice)?.vaultEquity).toBe(333_333_333n);
    expect(accountView(scenario.state, vault)?.vaultEquity).toBe(0n);
  });

  test('the equity of several vaults is summed after rounding each separately', () => {
    const scenario = open({ shares });
    scenario.block(registration({ vault: carol, leader: bob, shares }));
    expect(equities(scenario)).toEqual([666_666_666n, 1_333_333_332n, 0n]);
  });

  test('vault equity includes unrealised PnL, isolated margin and reserves of orders', () => {
    const scenario = open({ shares });
    scenario.one(bob, { price: 1_000_000, size: 1_000, isBuy: false });
    const isolated = { marginMode: 'isolated', price: 1_000_000 } as const;
    const orders = [order({ ...isolated, size: 1_000 }), order({ price: 990_000, size: 500 })];
    refusalFor(scenario, alice, { vault }, { type: 'placeOrders', orders });
    scenario.oracle(1_010_000);
    const value = accountView(scenario.state, vault)?.total.accountValue ?? 0n;
    expect(scenario.account(vault).holdings.get(holdingKey(1, 0))?.reserved).toBeGreaterThan(0n);
    expect(value).not.toBe(1_000_000_000n);
    expect(equities(scenario)).toEqual([value / 3n, (2n * value) / 3n, 0n]);
  });

  test('the equity of vault shares is never negative', () => {
    const scenario = open({ shares, leader: bob });
    const account = scenario.account(vault);
    account.perpBalance = negUsdc(account.perpBalance);
    expect(equities(scenario)).toEqual([0n, 0n, 0n]);
  });
});

test('R-determinism: vaults are identical after a restart at any point', () => {
  const scenario = open({ shares: [{ user: holder, shares: 7 }] });
  scenario.approve(alice, agent);
  refusalFor(scenario, agent, { vault }, buy);
  scenario.block(registration({ vault: actor(0x1), leader: vault, shares: [] }));
  scenario.block(registration({ leader: bob, name: 'b' }));
  refusalFor(scenario, bob, { vault }, buy);
  checkRestarts(scenario);
});
