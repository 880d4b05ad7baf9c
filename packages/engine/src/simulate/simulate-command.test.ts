import type { Address } from '@oddlot/units';
import { describe, expect, test } from 'vitest';
import { ZERO_ADDRESS } from '../auth/agents.ts';
import { dump } from '../dump/dump.ts';
import type { Authority, Command, SignedCommand } from '../messages/command.ts';
import { LIMITS } from '../messages/limits.ts';
import { openOrders } from '../read/read.ts';
import {
  actor,
  alice,
  bob,
  carol,
  order,
  type OrderShape,
  PERP,
  Scenario,
} from '@oddlot/testing/engine/scenario';
import { act, sign } from '@oddlot/testing/engine/waiting';
import { simulateCommand } from './simulate-command.ts';

/**
 * The address of a vault. A property test compares simulations with execution; this file tests all
 * other cases.
 */
const vault = actor(0x7a17);
const outsider = actor(0x999);

function placing(scenario: Scenario, user: Address, ...shapes: OrderShape[]): SignedCommand {
  const orders = shapes.map(order);
  return sign(scenario, user, { type: 'placeOrders', orders }) as SignedCommand;
}

describe('a simulation acts for the account that the rules allow', () => {
  const shape = { price: 1_000_000, size: 20 };

  test('a simulation for an unknown account is rejected', () => {
    const scenario = Scenario.open();
    const command = placing(scenario, outsider, shape);
    const { events, outcome } = simulateCommand(scenario.state, outsider, command);
    expect(outcome).toEqual({ reject: { reason: 'accountUnknown', signer: outsider } });
    expect(events).toEqual([]);
  });

  test('a simulation does not check the nonce or signatures', () => {
    const scenario = Scenario.open();
    const signers = { users: [bob, carol], threshold: 2 };
    act(scenario, alice, { type: 'convertToMultiSig', signers });
    const command = placing(scenario, alice, shape);
    const authority: Authority = { ...command.authority, nonce: 0, expiresAfterMs: 0 as never };
    const { outcome } = simulateCommand(scenario.state, alice, { ...command, authority } as never);
    expect(outcome).toMatchObject({ account: alice, entries: [{ state: 'open' }] });
  });

  test.each<[string, Address, Address, object]>([
    ['R-vault: the leader for its vault', alice, vault, { account: vault }],
    ['not for another account', bob, vault, { reject: { reason: 'vaultLeaderDiffers', vault } }],
    ['nor for no vault', alice, carol, { reject: { reason: 'vaultUnknown', vault: carol } }],
  ])('a simulation is authorized by the rules of vaults: %s', (_, user, named, expected) => {
    const scenario = Scenario.open({ accounts: [alice, bob, carol, vault] });
    scenario.block({ type: 'registerVault', vault, leader: alice, name: 'First' });
    const command = placing(scenario, user, shape);
    const authority = { ...command.authority, vault: named };
    const { outcome } = simulateCommand(scenario.state, user, { ...command, authority } as never);
    expect(outcome).toMatchObject(expected);
  });

  test('R-gate: a closed channel rejects the simulation of commands that add risk', () => {
    const scenario = Scenario.open();
    const { orderId } = scenario.one(alice, shape);
    scenario.block({ type: 'setGate', channel: 0, mode: 'closed' });
    const opening = simulateCommand(scenario.state, alice, placing(scenario, alice, shape));
    expect(opening.outcome.reject?.reason).toBe('gated');
    const cancels = [{ instrumentId: order(shape).instrumentId, orderId: orderId! }];
    const cancel = sign(scenario, alice, { type: 'cancelOrders', cancels }) as SignedCommand;
    const { outcome } = simulateCommand(scenario.state, alice, cancel);
    expect(outcome.entries).toMatchObject([{ state: 'cancelled' }]);
  });
});

test('a simulated action is rejected as a whole if admission rejects one of its orders', () => {
  const scenario = Scenario.open();
  const good = { price: 1_000_000, size: 20 };
  const command = placing(scenario, alice, good, { ...good, size: 0 });
  const { events, outcome } = simulateCommand(scenario.state, alice, command);
  expect(outcome).toMatchObject({ reject: { reason: 'sizeBelowMin' }, rejectIndex: 1 });
  expect(events).toEqual([]);
});

test('R-fill-check: a simulation that cancels an uncovered maker leaves it resting in the book', () => {
  const scenario = Scenario.open({ accounts: [bob, carol] });
  scenario.fund(alice, 12_000_000);
  scenario.one(alice, { isBuy: false, price: 1_000_000, size: 200 });
  const money = { type: 'sendToken', token: 0, from: 'perp', to: 'outcome' } as const;
  act(scenario, alice, { ...money, destination: alice, amountMicroUsdc: 100_000 });
  scenario.oracle(1_500_000);
  const command = placing(scenario, bob, { price: 1_000_000, size: 100 });
  const { events } = simulateCommand(scenario.state, bob, command);
  expect(events).toMatchObject([
    { status: 'cancelled', cancelCause: 'marginCanceled', order: { account: alice } },
    { status: 'open', order: { account: bob } },
  ]);
  expect(openOrders(scenario.state, alice)).toHaveLength(1);
});

test('a simulated sweep of a deep book stops at the limit and reports it', () => {
  const scenario = Scenario.open({ funds: 100_000_000_000 });
  const { matchesPerSimulation } = LIMITS;
  for (let placed = 0; placed <= matchesPerSimulation; placed += 50) {
    const shapes = Array.from({ length: 50 }, () => ({
      isBuy: false,
      price: 1_000_000,
      size: 20,
    }));
    scenario.block(placing(scenario, bob, ...shapes));
  }
  const sweep = (count: number) => {
    const command = placing(scenario, alice, { price: 1_000_000, size: 20 * count });
    return simulateCommand(scenario.state, alice, command);
  };
  expect(sweep(matchesPerSimulation)).toMatchObject({
    outcome: { entries: [{ state: 'filled' }] },
  });
  expect(sweep(matchesPerSimulation)).not.toHaveProperty('isCut');
  const cut = sweep(matchesPerSimulation + 1);
  expect(cut.isCut).toBe(true);
  expect(cut.events.filter(({ type }) => type === 'tradeExecuted')).toHaveLength(
    matchesPerSimulation,
  );
  const two = { price: 1_000_000, size: 20 * 600 };
  const both = simulateCommand(scenario.state, alice, placing(scenario, alice, two, two));
  expect(both).toMatchObject({ isCut: true, outcome: { entries: [{ filled: 12_000 }, {}] } });
});

describe('a simulation does not change the state', () => {
  test('simulated positions do not cause liquidation checks', () => {
    const scenario = Scenario.open({ funds: 100_000_000 });
    scenario.one(bob, { isBuy: false, price: 1_000_000, size: 1_500 });
    scenario.block();
    const command = placing(scenario, alice, { price: 1_000_000, size: 1_500 });
    const { after, outcome } = simulateCommand(scenario.state, alice, command);
    expect(outcome.entries).toMatchObject([{ state: 'filled' }]);
    expect(after.risk.take()).toHaveLength(2);
    expect(scenario.state.risk.take()).toEqual([]);
  });

  test('R-nonce: simulated revocations do not invalidate an agent’s signatures', () => {
    const scenario = Scenario.open();
    const agent = actor(0xa9e7);
    scenario.approve(alice, agent, 'bot');
    scenario.one(agent, { price: 900_000, size: 20 });
    const before = dump(scenario.state);
    const command = sign(scenario, alice, {
      type: 'approveAgent',
      agent: ZERO_ADDRESS,
      label: 'bot',
    });
    const { after } = simulateCommand(scenario.state, alice, command as SignedCommand);
    expect(after.signers.get(agent)).toMatchObject({ floor: scenario.nowMs + 2 });
    expect(dump(scenario.state)).toEqual(before);
  });

  test('a simulated gtd order does not consume an order id and does not expire', () => {
    const scenario = Scenario.open();
    const shape = { price: 900_000, size: 20 };
    const expireMs = (scenario.nowMs + 6_000) as never;
    const gtd = placing(scenario, alice, { ...shape, timeInForce: 'gtd', expireMs });
    const { outcome } = simulateCommand(scenario.state, alice, gtd);
    const { orderId } = scenario.one(alice, shape);
    expect(outcome.entries).toMatchObject([{ orderId, state: 'open' }]);
    scenario.wait(7_000).block();
    expect(openOrders(scenario.state, alice)).toMatchObject([{ orderId }]);
  });
});

test('R-insurance-fund: a simulation uses the fund target of the next block', () => {
  const scenario = Scenario.open();
  scenario.one(bob, { isBuy: false, price: 1_000_000, size: 2_000 });
  scenario.one(alice, { price: 1_000_000, size: 1_000 });
  const command: Command = placing(scenario, alice, { price: 1_000_000, size: 1_000 });
  const { after } = simulateCommand(scenario.state, alice, command as SignedCommand);
  const { accounts, treasury } = dump(after);
  scenario.block(command);
  expect({ accounts, treasury }).toEqual({
    accounts: dump(scenario.state).accounts,
    treasury: dump(scenario.state).treasury,
  });
});

test('R-oracle-stale: a simulation for a margin-restricted account matches execution', () => {
  const scenario = Scenario.open();
  const id = PERP.instrumentId;
  scenario.one(bob, { isBuy: false, price: 1_000_000, size: 1_000 });
  scenario.one(alice, { price: 1_000_000, size: 1_000 });
  scenario.block({
    type: 'registerPerp',
    perp: { ...PERP, name: 'B-USDC', instrumentId: 2 as typeof id },
  });
  scenario.wait(30_001).oracle(1_000_000, 2 as typeof id);
  const before = dump(scenario.state);
  const opening = placing(scenario, alice, {
    instrumentId: 2 as typeof id,
    price: 1_000_000,
    size: 20,
  });
  const { outcome } = simulateCommand(scenario.state, alice, opening);
  expect(outcome.reject).toEqual({ reason: 'oracleStale', instrumentId: id });
  const closing = { isBuy: false, price: 1_000_000, size: 20, reduceOnly: true };
  const reducing = simulateCommand(scenario.state, alice, placing(scenario, alice, closing));
  expect(reducing.outcome.entries?.[0]?.state).toBe('open');
  expect(dump(scenario.state)).toEqual(before);
});
