import { timeMs } from '@oddlot/units';
import { describe, expect, test } from 'vitest';
import { checkCommand } from '../commands/commands.ts';
import { dump, restore } from '../dump/dump.ts';
import { actor, alice, bob, order, Scenario, START_MS } from '@oddlot/testing/engine/scenario';
import { ZERO_ADDRESS } from './agents.ts';
import { checkNonceWindow } from './nonces.ts';

const DAY = 86_400_000;
const agent = actor(0xa6e);

function use(scenario: Scenario, nonce: number, signer = alice): string | undefined {
  const authority = scenario.authority(signer, nonce);
  return scenario.outcome({ type: 'cancelOrders', authority, cancels: [] }).reject?.reason;
}

function usedBy(scenario: Scenario, signer = alice): readonly number[] {
  return scenario.state.signers.get(signer)?.used ?? [];
}

test.each([
  [-2 * DAY, 'nonceTooOld'],
  [-2 * DAY + 1, undefined],
  [DAY - 1, undefined],
  [DAY, 'nonceTooNew'],
])(
  'R-nonce: the nonce window excludes both of its bounds: consensus time + %i ms',
  (offset, reason) => {
    const scenario = Scenario.open();
    scenario.wait(3 * DAY);
    const now = START_MS + 3 * DAY;
    expect(checkNonceWindow(scenario.state, now + offset, now)?.reason).toBe(reason);
    expect(use(scenario, now + offset)).toBe(reason);
  },
);

describe('R-nonce: nonces from before the first log entry are rejected', () => {
  test.each([
    [-DAY, 'nonceBeforeLog'],
    [0, 'nonceBeforeLog'],
    [1, undefined],
  ])(
    'a nonce %i ms after the first log entry is accepted only if it is later',
    (offset, reason) => {
      const scenario = Scenario.open();
      expect(scenario.state.beganMs).toBe(START_MS);
      expect(use(scenario, START_MS + offset)).toBe(reason);
      const check = checkNonceWindow(scenario.state, START_MS + offset, START_MS);
      expect(check?.reason).toBe(reason);
    },
  );

  test('a nonce that is too old is reported as too old, and a restored state keeps its start time', () => {
    const scenario = Scenario.open();
    scenario.wait(2 * DAY);
    expect(use(scenario, START_MS)).toBe('nonceTooOld');
    expect(restore(dump(scenario.state)).beganMs).toBe(START_MS);
  });
});

describe('R-nonce: the 100 highest nonces of a signer are stored', () => {
  test('nonces are accepted in any order, and each only once', () => {
    const scenario = Scenario.open();
    for (const nonce of [5, 3, 9, 4]) expect(use(scenario, START_MS + nonce)).toBeUndefined();
    expect(usedBy(scenario)).toEqual([3, 4, 5, 9].map((nonce) => START_MS + nonce));
    expect(use(scenario, START_MS + 4)).toBe('nonceUsed');
    expect(use(scenario, START_MS + 6)).toBeUndefined();
  });

  test('with fewer than 100 stored nonces, any unused nonce in the window is accepted', () => {
    const scenario = Scenario.open().wait(DAY);
    for (let i = 1; i <= 99; i++) use(scenario, START_MS + DAY + i);
    expect(use(scenario, START_MS + 1)).toBeUndefined();
    expect(usedBy(scenario)).toHaveLength(100);
  });

  test('with 100 stored nonces, a nonce must be above the smallest of them', () => {
    const scenario = Scenario.open();
    for (let i = 1; i <= 100; i++) use(scenario, START_MS + 10 * i);
    expect(use(scenario, START_MS + 9)).toBe('nonceTooLow');
    expect(use(scenario, START_MS + 10)).toBe('nonceUsed');
    expect(use(scenario, START_MS + 11)).toBeUndefined();
    // Nonce 11 has replaced nonce 10, which is now too low and is no longer recorded as used.
    expect(usedBy(scenario)).toHaveLength(100);
    expect(use(scenario, START_MS + 10)).toBe('nonceTooLow');
  });

  test('stored nonces outside the window are dropped, and replaced ones stay rejected', () => {
    const scenario = Scenario.open();
    for (let i = 1; i <= 150; i++) use(scenario, START_MS + i);
    scenario.wait(2 * DAY + 60);
    // Nonces 51 to 60 have left the window; nonces up to 50 are older still and were already
    // replaced.
    expect(use(scenario, START_MS + 200)).toBeUndefined();
    expect(usedBy(scenario)[0]).toBe(START_MS + 61);
    for (const nonce of [20, 50, 60]) expect(use(scenario, START_MS + nonce)).toBe('nonceTooOld');
    expect(use(scenario, START_MS + 61)).toBe('nonceUsed');
  });
});

describe('R-nonce: every executed action consumes its nonce', () => {
  test('a rejected order consumes the nonce of its action, because the action was executed', () => {
    const scenario = Scenario.open();
    const authority = scenario.authority(alice, START_MS + 5);
    const orders = [order({ price: 1, size: 1 })];
    const outcome = scenario.outcome({ type: 'placeOrders', authority, orders });
    expect(outcome.entries?.[0]?.state).toBe('rejected');
    expect(use(scenario, START_MS + 5)).toBe('nonceUsed');
  });

  test('an expired action does not consume its nonce', () => {
    const scenario = Scenario.open();
    const signed = {
      ...scenario.authority(alice, START_MS + 5),
      expiresAfterMs: timeMs(START_MS),
    };
    scenario.wait(1);
    const expired = scenario.outcome({ type: 'cancelOrders', authority: signed, cancels: [] });
    expect(expired.reject?.reason).toBe('actionExpired');
    expect(use(scenario, START_MS + 5)).toBeUndefined();
  });

  test('an action is valid up to and including its expiry', () => {
    const scenario = Scenario.open();
    const authority = { ...scenario.authority(alice), expiresAfterMs: timeMs(START_MS) };
    expect(
      scenario.outcome({ type: 'cancelOrders', authority, cancels: [] }).reject,
    ).toBeUndefined();
  });

  test('a signer without a role leaves no record of its nonces', () => {
    const scenario = Scenario.open({ accounts: [alice] });
    const before = JSON.stringify(dump(scenario.state).signers);
    expect(use(scenario, START_MS + 5, bob)).toBe('accountUnknown');
    expect(JSON.stringify(dump(scenario.state).signers)).toBe(before);
  });

  test('an agent and its owner can each use the same nonce', () => {
    const scenario = Scenario.open();
    scenario.approve(alice, agent);
    expect(use(scenario, START_MS + 50, alice)).toBeUndefined();
    expect(use(scenario, START_MS + 50, agent)).toBeUndefined();
  });

  test('of two actions with the same nonce in one block, only one executes', () => {
    const scenario = Scenario.open();
    const authority = scenario.authority(alice, START_MS + 5);
    const command = { type: 'cancelOrders', authority, cancels: [] } as const;
    const { outcomes } = scenario.block(command, command);
    expect(outcomes.map(({ reject }) => reject?.reason)).toEqual([undefined, 'nonceUsed']);
  });
});

describe('an action is rejected with the first check that its signer fails', () => {
  const expired = { expiresAfterMs: timeMs(START_MS - 1) };
  test.each([
    ['window before role', bob, START_MS - 2 * DAY, expired, 'nonceTooOld'],
    ['window before expiry', alice, START_MS + DAY, expired, 'nonceTooNew'],
    ['role before expiry', bob, START_MS + 5, expired, 'accountUnknown'],
    ['expiry before a used nonce', alice, START_MS + 5, expired, 'actionExpired'],
    ['a used nonce before the order', alice, START_MS + 5, {}, 'nonceUsed'],
  ])('the checks of a signer have a fixed order: %s', (_, signer, nonce, expiry, reason) => {
    const scenario = Scenario.open({ accounts: [alice] });
    use(scenario, START_MS + 5);
    const authority = { ...scenario.authority(signer, nonce), ...expiry };
    const orders = [order({ price: 0, size: 0 })];
    const command = { type: 'placeOrders', authority, orders } as const;
    expect(checkCommand(scenario.state, command, scenario.nowMs).reject?.reason).toBe(reason);
    expect(scenario.outcome(command).reject?.reason).toBe(reason);
  });
});

describe('R-nonce: revocation invalidates all earlier nonces of an agent', () => {
  function revoked(highest: number): Scenario {
    const scenario = Scenario.open();
    scenario.approve(alice, agent);
    use(scenario, highest, agent);
    scenario.wait(1_000);
    scenario.approve(alice, ZERO_ADDRESS);
    return scenario;
  }

  test('a revoked agent is reported as revoked until its record is removed', () => {
    const scenario = revoked(START_MS);
    expect(use(scenario, START_MS + 2_000, agent)).toBe('agentUnknown');
    scenario.wait(2 * DAY - 1);
    scenario.block();
    expect(use(scenario, scenario.nowMs, agent)).toBe('agentUnknown');
    scenario.wait(3_600_000);
    expect(use(scenario, scenario.nowMs, agent)).toBe('accountUnknown');
    expect(scenario.state.signers.has(agent)).toBe(false);
  });

  test('an agent that is approved again can only use nonces above the time of its revocation', () => {
    const scenario = revoked(START_MS + 500);
    expect(scenario.approve(bob, agent).reject).toBeUndefined();
    // These actions were signed before the revocation but never sent.
    expect(use(scenario, START_MS + 700, agent)).toBe('nonceTooLow');
    expect(use(scenario, START_MS + 1_000, agent)).toBe('nonceTooLow');
    expect(use(scenario, START_MS + 1_001, agent)).toBeUndefined();
  });

  test('an agent that is approved again can only use nonces above the highest one it has used', () => {
    const scenario = revoked(START_MS + 5_000);
    scenario.approve(alice, agent);
    expect(use(scenario, START_MS + 4_000, agent)).toBe('nonceTooLow');
    expect(use(scenario, START_MS + 5_000, agent)).toBe('nonceUsed');
    expect(use(scenario, START_MS + 5_001, agent)).toBeUndefined();
  });

  test('replacing an agent also raises the nonce floor of its old address', () => {
    const scenario = Scenario.open().wait(1);
    scenario.approve(alice, agent);
    scenario.approve(alice, actor(0xa6f));
    expect(use(scenario, START_MS + 10, agent)).toBe('agentUnknown');
    scenario.approve(bob, agent);
    expect(use(scenario, START_MS + 1, agent)).toBe('nonceTooLow');
  });
});

test('R-nonce: only signers whose nonces are all outside the window are removed', () => {
  const scenario = Scenario.open();
  use(scenario, START_MS + 1, alice);
  use(scenario, START_MS + DAY - 1, bob);
  scenario.wait(2 * DAY + 1);
  scenario.block();
  expect([...scenario.state.signers.keys()]).toEqual([bob]);
  scenario.wait(DAY - 2);
  scenario.block();
  expect(scenario.state.signers.size).toBe(0);
});
