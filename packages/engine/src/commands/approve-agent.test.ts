import { describe, expect, test } from 'vitest';
import { ZERO_ADDRESS } from '../auth/agents.ts';
import { agentOwner, agentsOf, openOrders } from '../read/read.ts';
import { actor, alice, bob, carol, order, Scenario } from '@oddlot/testing/engine/scenario';

const first = actor(0xa1);
const second = actor(0xa2);
const reasonOf = (outcome: ReturnType<Scenario['approve']>) => outcome.reject?.reason;

describe('R-agents: an account can approve, replace and revoke agents', () => {
  test('an approved agent can trade for its owner', () => {
    const scenario = Scenario.open();
    expect(reasonOf(scenario.approve(alice, first, 'bot'))).toBeUndefined();
    expect(agentOwner(scenario.state, first)).toEqual({ owner: alice, label: 'bot' });
    expect(scenario.one(first, { price: 1_000_000, size: 20 }).state).toBe('open');
    expect(openOrders(scenario.state, alice)).toHaveLength(1);
  });

  test('approving another address under a label replaces the agent and uses no additional slot', () => {
    const scenario = Scenario.open();
    scenario.approve(alice, first, 'bot');
    const createdMs = scenario.nowMs;
    scenario.wait(10);
    expect(reasonOf(scenario.approve(alice, second, 'bot'))).toBeUndefined();
    expect(agentsOf(scenario.state, alice)).toEqual([
      { label: 'bot', agent: second, createdMs, updatedMs: createdMs + 10 },
    ]);
    expect(agentOwner(scenario.state, first)).toBeUndefined();
    expect(reasonOf(scenario.approve(bob, first))).toBeUndefined();
  });

  test('approving the zero address revokes the agent with that label', () => {
    const scenario = Scenario.open();
    scenario.approve(alice, first, 'bot');
    expect(reasonOf(scenario.approve(alice, ZERO_ADDRESS, 'bot'))).toBeUndefined();
    expect(agentsOf(scenario.state, alice)).toEqual([]);
    expect(agentOwner(scenario.state, first)).toBeUndefined();
  });

  test.each([
    ['a label that is absent cannot be revoked', alice, ZERO_ADDRESS, 'x', 'agentLabelUnknown'],
    ['the unnamed label is a label like others', alice, ZERO_ADDRESS, '', 'agentLabelUnknown'],
    ['labels are compared exactly', alice, ZERO_ADDRESS, 'BOT', 'agentLabelUnknown'],
    ['an account cannot be its own agent', alice, alice, 'x', 'agentIsSelf'],
    ['an address with an account is used', alice, bob, 'x', 'agentAddressUsed'],
    ['an agent of the account itself is used', alice, first, 'x', 'agentAddressUsed'],
    ['… also under its own label', alice, first, 'bot', 'agentAddressUsed'],
    ["another's agent is used", bob, first, 'x', 'agentAddressUsed'],
    ['an account comes first', carol, second, 'x', 'depositFirst'],
    ['an agent cannot approve agents', first, second, 'x', 'depositFirst'],
    ['65 code points are too many', alice, second, 'é'.repeat(65), 'agentLabelTooLong'],
    ['also where each is two units', alice, second, '😀'.repeat(65), 'agentLabelTooLong'],
    ['… before anything else', alice, alice, 'x'.repeat(65), 'agentLabelTooLong'],
  ] as const)(
    'an invalid approval of an agent is rejected with its reason: %s',
    (_, signer, agent, label, reason) => {
      const scenario = Scenario.open({ accounts: [alice, bob] });
      scenario.approve(alice, first, 'bot');
      expect(reasonOf(scenario.approve(signer, agent, label))).toBe(reason);
      expect(agentsOf(scenario.state, alice)).toHaveLength(1);
      expect(agentsOf(scenario.state, bob)).toHaveLength(0);
    },
  );

  test('a label can have 64 code points outside the Basic Multilingual Plane', () => {
    const scenario = Scenario.open();
    expect(reasonOf(scenario.approve(alice, first, '🦆'.repeat(64)))).toBeUndefined();
  });

  test('an account can have 100 agents and can still replace or revoke them', () => {
    const scenario = Scenario.open();
    for (let i = 0; i < 100; i++) scenario.approve(alice, actor(0x1000 + i), `bot ${i}`);
    expect(reasonOf(scenario.approve(alice, first, 'one more'))).toBe('agentsFull');
    expect(reasonOf(scenario.approve(alice, first, 'bot 7'))).toBeUndefined();
    expect(reasonOf(scenario.approve(alice, ZERO_ADDRESS, 'bot 8'))).toBeUndefined();
    expect(reasonOf(scenario.approve(alice, second, 'one more'))).toBeUndefined();
    expect(reasonOf(scenario.approve(alice, actor(0xa3), 'and more'))).toBe('agentsFull');
  });
});

test('R-agents: orders placed by an agent stay open after it is revoked', () => {
  const scenario = Scenario.open();
  scenario.approve(alice, first);
  const { orderId } = scenario.one(first, { price: 1_000_000, size: 20 });
  scenario.approve(alice, ZERO_ADDRESS);
  expect(openOrders(scenario.state, alice)).toHaveLength(1);
  expect(scenario.cancel(alice, orderId!)[0]?.state).toBe('cancelled');
});

test('R-agents: authority is checked at execution, after earlier commands in the same block', () => {
  const scenario = Scenario.open();
  scenario.approve(alice, first);
  const orders = [order({ price: 1_000_000, size: 20 })];
  const before = { type: 'placeOrders', authority: scenario.authority(first), orders } as const;
  const revoke = {
    type: 'approveAgent',
    authority: scenario.authority(alice),
    agent: ZERO_ADDRESS,
    label: '',
  } as const;
  const after = { type: 'placeOrders', authority: scenario.authority(first), orders } as const;
  const { outcomes } = scenario.block(before, revoke, after);
  expect(outcomes[0]!.entries?.[0]?.state).toBe('open');
  expect(outcomes[1]!.reject).toBeUndefined();
  expect(outcomes[2]!.reject?.reason).toBe('agentUnknown');
});

test('a label can have 64 code points of two code units each', () => {
  const scenario = Scenario.open();
  expect(reasonOf(scenario.approve(alice, first, '😀'.repeat(64)))).toBeUndefined();
});

test('agents are sorted by the bytes of their labels', () => {
  const venue = Scenario.open();
  const labels = ['😀', '～', 'b', 'a', 'aa', ''];
  for (const [at, label] of labels.entries()) venue.approve(alice, actor(0xb0 + at), label);
  const listed = agentsOf(venue.state, alice).map(({ label }) => label);
  expect(listed).toEqual(['', 'a', 'aa', 'b', '～', '😀']);
});
