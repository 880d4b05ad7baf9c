import { describe, expect, test } from 'vitest';
import { ZERO_ADDRESS } from '../auth/agents.ts';
import { dump, restore } from '../dump/dump.ts';
import { checkInvariants } from '../check-invariants.ts';
import { LIMITS } from '../messages/limits.ts';
import { agentOwner } from '../read/read.ts';
import { openTestBridge } from '@oddlot/testing/engine/bridge';
import { actor, alice, bob, Scenario } from '@oddlot/testing/engine/scenario';

const peg = actor(0xbe6);
const other = actor(0xbe7);

function opened(): Scenario {
  const scenario = Scenario.open({ accounts: [alice, bob] });
  openTestBridge(scenario);
  return scenario;
}

const reasonOf = (outcome: ReturnType<Scenario['approve']>) => outcome.reject?.reason;

describe('R-agents: a registered relay address cannot become an agent', () => {
  test('a relay address cannot become an agent even after a restart', () => {
    const scenario = opened();
    scenario.block({ type: 'registerPegs', addresses: [peg] });
    expect(reasonOf(scenario.approve(alice, peg))).toBe('agentAddressUsed');
    Object.assign(scenario.state, restore(JSON.parse(JSON.stringify(dump(scenario.state)))));
    expect(reasonOf(scenario.approve(alice, peg))).toBe('agentAddressUsed');
    expect(agentOwner(scenario.state, peg)).toBeUndefined();
    expect(reasonOf(scenario.approve(alice, other))).toBeUndefined();
    checkInvariants(scenario.state);
  });

  test('registering a relay address causes an approval in the same block to be rejected but keeps an earlier binding', () => {
    const scenario = opened();
    const authority = scenario.authority(alice);
    const { outcomes } = scenario.block(
      { type: 'approveAgent', authority, agent: peg, label: 'x' },
      { type: 'registerPegs', addresses: [peg] },
    );
    expect(outcomes.map(({ reject }) => reject?.reason)).toEqual(['agentAddressUsed', undefined]);
    scenario.approve(alice, other, 'bot');
    scenario.block({ type: 'registerPegs', addresses: [other] });
    expect(agentOwner(scenario.state, other)?.owner).toBe(alice);
    scenario.approve(alice, ZERO_ADDRESS, 'bot');
    expect(reasonOf(scenario.approve(bob, other))).toBe('agentAddressUsed');
  });

  test('R-limits-of-state: a relay address stays registered if it is registered again', () => {
    const scenario = opened();
    const pegs = Array.from({ length: LIMITS.pegsKept }, (_, at) => actor(0x100000 + at));
    scenario.block({ type: 'registerPegs', addresses: [peg, other] });
    for (let at = 0; at < pegs.length; at += LIMITS.pegsPerCommand - 1) {
      const addresses = [...pegs.slice(at, at + LIMITS.pegsPerCommand - 1), peg];
      scenario.block({ type: 'registerPegs', addresses });
    }
    expect(reasonOf(scenario.approve(alice, peg))).toBe('agentAddressUsed');
    expect(reasonOf(scenario.approve(alice, other))).toBeUndefined();
    expect(scenario.state.bridge?.pegs.size).toBe(LIMITS.pegsKept);
  });
});
