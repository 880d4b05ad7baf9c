import type { Address } from '@oddlot/units';
import { describe, expect, test } from 'vitest';
import { checkCommand } from '../commands/commands.ts';
import { dump, restore } from '../dump/dump.ts';
import type { Command } from '../messages/command.ts';
import { agentOwner, hasAccount } from '../read/read.ts';
import {
  actor,
  alice,
  bob,
  order,
  PARAMETERS,
  Scenario,
  START_MS,
} from '@oddlot/testing/engine/scenario';
import { ZERO_ADDRESS } from './agents.ts';

/** The address has no account, and another account has bound it as its agent. */
const victim = actor(0x7ac7);

function captured(): Scenario {
  const scenario = Scenario.open({ accounts: [alice, bob] });
  expect(scenario.approve(alice, victim, 'mine').reject).toBeUndefined();
  return scenario;
}

function sent(scenario: Scenario, from: Address, destination: Address): Command {
  return {
    type: 'sendToken',
    authority: scenario.authority(from),
    destination,
    token: 0,
    amountMicroUsdc: 5_000_000,
    from: 'perp',
    to: 'perp',
  };
}

/**
 * Returns a state that earlier releases could produce, in which the bound address also has an
 * account.
 */
function withAccount(): Scenario {
  const scenario = captured();
  const funded = Scenario.open({ accounts: [alice, bob, victim] });
  const text = JSON.parse(JSON.stringify(dump(scenario.state))) as ReturnType<typeof dump>;
  const { accounts, deposited } = dump(funded.state);
  const own = accounts.find(({ address }) => address === victim)!;
  const restored = restore({ ...text, deposited, accounts: [...text.accounts, own] });
  Object.assign(scenario.state, restored);
  return scenario;
}

describe('R-agents: no account can be opened for a bound address', () => {
  test.each([
    ['a send', (scenario: Scenario) => sent(scenario, bob, victim)],
    [
      'a grant of the faucet',
      () =>
        ({
          type: 'creditFaucet',
          account: victim,
          subAccount: 'perp',
          amountMicroUsdc: 1,
        }) as const,
    ],
    [
      'a payment of the treasury',
      () => ({ type: 'treasurySend', destination: victim, amountMicroUsdc: 1 }) as const,
    ],
  ])('%s for a bound address is rejected, at admission and at execution', (_, make) => {
    const scenario = captured();
    const command = make(scenario);
    const admitted = checkCommand(scenario.state, command, scenario.nowMs);
    expect(admitted.reject?.reason).toBe('agentAddressUsed');
    expect(scenario.outcome(command).reject?.reason).toBe('agentAddressUsed');
    expect(hasAccount(scenario.state, victim)).toBe(false);
    scenario.approve(alice, ZERO_ADDRESS, 'mine');
    expect(scenario.outcome(sent(scenario, bob, victim)).reject).toBeUndefined();
  });
});

describe('R-agents: a key can end its own binding', () => {
  test('a key without an account ends its binding with the zero address, which invalidates earlier nonces', () => {
    const scenario = captured();
    scenario.wait(500);
    const { reject } = scenario.approve(victim, ZERO_ADDRESS);
    expect(reject).toBeUndefined();
    expect(agentOwner(scenario.state, victim)).toBeUndefined();
    expect(scenario.account(alice).agents.size).toBe(0);
    expect(scenario.state.signers.get(victim)?.floor).toBeGreaterThanOrEqual(START_MS + 500);
    expect(scenario.outcome(sent(scenario, bob, victim)).reject).toBeUndefined();
  });

  test('an agent that names a label can neither revoke nor approve agents', () => {
    const scenario = captured();
    expect(scenario.approve(victim, ZERO_ADDRESS, 'mine').reject?.reason).toBe('depositFirst');
    expect(scenario.approve(victim, actor(9)).reject?.reason).toBe('depositFirst');
    expect(scenario.approve(actor(8), ZERO_ADDRESS).reject?.reason).toBe('depositFirst');
    expect(agentOwner(scenario.state, victim)?.owner).toBe(alice);
  });

  test('an agent’s commands for its owner execute before the agent is released in the same block', () => {
    const scenario = captured();
    const orders = [order({ price: 1_000_000, size: 20 })];
    const place = { type: 'placeOrders', authority: scenario.authority(victim), orders } as const;
    const release = {
      type: 'approveAgent',
      authority: scenario.authority(victim),
      agent: ZERO_ADDRESS,
      label: '',
    } as const;
    const { outcomes } = scenario.block(place, release);
    expect(outcomes[0]?.entries?.[0]?.state).toBe('open');
    expect(outcomes[1]?.reject).toBeUndefined();
  });

  test('an agent that acts for its own account ends its binding', () => {
    const scenario = withAccount();
    const orders = [order({ price: 1_000_000, size: 20 })];
    const place = () =>
      scenario.outcome({ type: 'placeOrders', authority: scenario.authority(victim), orders });
    expect(place().account).toBe(alice);
    const refused = { ...sent(scenario, victim, bob), amountMicroUsdc: 1e12 } as Command;
    expect(scenario.outcome(refused).reject?.reason).toBe('balanceInsufficient');
    expect(agentOwner(scenario.state, victim)?.owner).toBe(alice);
    expect(scenario.outcome(sent(scenario, victim, bob)).reject).toBeUndefined();
    expect(agentOwner(scenario.state, victim)).toBeUndefined();
    scenario.wait(1);
    expect(place().account).toBe(victim);
  });

  test('an agent that has an account but no unnamed agent can also release itself', () => {
    const scenario = withAccount();
    expect(scenario.approve(victim, ZERO_ADDRESS).reject).toBeUndefined();
    expect(agentOwner(scenario.state, victim)).toBeUndefined();
    expect(scenario.approve(victim, ZERO_ADDRESS).reject?.reason).toBe('agentLabelUnknown');
  });
});

describe('R-nonce: approving a former agent returns a warning', () => {
  const DAY = 86_400_000;

  test('approving a former agent again returns a warning while the agent is remembered', () => {
    const scenario = captured();
    scenario.approve(alice, ZERO_ADDRESS, 'mine');
    const again = scenario.approve(bob, victim);
    expect(again).toEqual({ account: bob, agentReused: true });
    scenario.approve(bob, actor(0xf4e5));
    expect(scenario.approve(bob, victim, 'x').agentReused).toBe(true);
  });

  test('a new agent and a forgotten former agent are approved without a warning', () => {
    const scenario = captured();
    expect(scenario.approve(bob, actor(0xf4e5)).agentReused).toBeUndefined();
    scenario.approve(alice, ZERO_ADDRESS, 'mine');
    // The limit applies to the exact millisecond, not at the next sweep.
    scenario.wait(2 * DAY - 1);
    scenario.block();
    scenario.wait(1);
    expect(scenario.approve(bob, victim, 'x').agentReused).toBeUndefined();
  });
});

describe('R-transfer: the zero address receives nothing', () => {
  test.each([
    ['a send', (s: Scenario) => sent(s, alice, ZERO_ADDRESS)],
    [
      'a withdrawal',
      (s: Scenario) => ({
        type: 'withdraw',
        authority: s.authority(alice),
        destination: ZERO_ADDRESS,
        amountMicroUsdc: 5_000_000,
      }),
    ],
    [
      'the faucet',
      () => ({
        type: 'creditFaucet',
        account: ZERO_ADDRESS,
        subAccount: 'perp',
        amountMicroUsdc: 1,
      }),
    ],
    ['a vault', () => ({ type: 'registerVault', vault: ZERO_ADDRESS, leader: alice, name: 'v' })],
    [
      'the treasury',
      () => ({ type: 'treasurySend', destination: ZERO_ADDRESS, amountMicroUsdc: 1 }),
    ],
  ] as readonly (readonly [string, (scenario: Scenario) => Command])[])(
    '%s to the zero address is rejected',
    (_, make) => {
      const scenario = Scenario.open({ parameters: { ...PARAMETERS } });
      const command = make(scenario);
      const admitted = checkCommand(scenario.state, command, scenario.nowMs);
      expect(admitted.reject?.reason).toBe('addressInvalid');
      expect(scenario.outcome(command).reject?.reason).toBe('addressInvalid');
      expect(hasAccount(scenario.state, ZERO_ADDRESS)).toBe(false);
    },
  );
});
