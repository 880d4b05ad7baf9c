import { microUsdc } from '@oddlot/units';
import { describe, expect, test } from 'vitest';
import { checkCommand } from './commands.ts';
import { dump, restore } from '../dump/dump.ts';
import { checkInvariants } from '../check-invariants.ts';
import type { Command, CreditDepositCommand } from '../messages/command.ts';
import { LIMITS } from '../messages/limits.ts';
import { bridgeView, depositStatus, isDepositCredited } from '../read/read-bridge.ts';
import { agentOwner, hasAccount } from '../read/read.ts';
import {
  BRIDGE_CONTRACT,
  CHAIN_ID,
  deposited,
  openTestBridge,
  TOKEN_CONTRACT,
} from '@oddlot/testing/engine/bridge';
import { actor, alice, bob, order, Scenario } from '@oddlot/testing/engine/scenario';
import { ZERO_ADDRESS } from '../auth/agents.ts';

const carol = actor(0xca01);

function opened(): Scenario {
  const scenario = Scenario.open({ accounts: [alice, bob] });
  openTestBridge(scenario);
  return scenario;
}

function result(scenario: Scenario, command: CreditDepositCommand) {
  const { events, outcomes } = scenario.block(command);
  checkInvariants(scenario.state);
  return { reject: outcomes[0]?.reject?.reason, types: events.map(({ type }) => type) };
}

const STORED = { account: carol, isKept: true };

function outcome(scenario: Scenario, command: CreditDepositCommand) {
  const { events, outcomes } = scenario.block(command);
  expect(events).toEqual([]);
  checkInvariants(scenario.state);
  return outcomes[0];
}

describe('R-deposit: each deposit from the settlement chain is credited once', () => {
  test('R-account: the first deposit opens an account and is credited to its perp balance', () => {
    const scenario = opened();
    expect(result(scenario, deposited(carol, 1))).toEqual({
      reject: undefined,
      types: ['accountCreated', 'depositCredited'],
    });
    expect(scenario.account(carol).perpBalance).toBe(5_000_000n);
    expect(bridgeView(scenario.state)).toMatchObject({
      chainId: CHAIN_ID,
      cursor: { blockNumber: 101, logIndex: 1 },
    });
  });

  test('a repeated deposit is credited only once and without an error, even after a restore', () => {
    const scenario = opened();
    result(scenario, deposited(carol, 1));
    const again = deposited(carol, 1);
    expect(result(scenario, again)).toEqual({ reject: undefined, types: [] });
    // A chain reorganisation moved the transaction to another block.
    const elsewhere = { ...again, source: { ...again.source, blockNumber: 900 } };
    expect(result(scenario, elsewhere)).toEqual({ reject: undefined, types: [] });
    Object.assign(scenario.state, restore(JSON.parse(JSON.stringify(dump(scenario.state)))));
    expect(result(scenario, again)).toEqual({ reject: undefined, types: [] });
    expect(scenario.account(carol).perpBalance).toBe(5_000_000n);
    expect(isDepositCredited(scenario.state, again.source)).toBe(true);
  });

  test('deposits that arrive out of order are all credited', () => {
    const scenario = opened();
    result(scenario, deposited(carol, 9));
    expect(result(scenario, deposited(carol, 3)).types).toEqual(['depositCredited']);
    expect(scenario.account(carol).perpBalance).toBe(10_000_000n);
  });

  test.each([
    ['of a chain that the bridge is not on', deposited(carol, 1, { chainId: 1 })],
    ['of nothing', deposited(carol, 1, { amount: 0 })],
    ['of less than nothing', deposited(carol, 1, { amount: -5 })],
  ])('a deposit %s is rejected', (_, command) => {
    const scenario = opened();
    expect(result(scenario, command).reject).toBe('definitionInvalid');
    expect(checkCommand(scenario.state, command, scenario.nowMs).reject?.reason).toBe(
      'definitionInvalid',
    );
    expect(hasAccount(scenario.state, carol)).toBe(false);
  });

  test('a deposit without a bridge or to the zero address is rejected', () => {
    const scenario = Scenario.open({ accounts: [alice] });
    expect(result(scenario, deposited(carol, 1)).reject).toBe('definitionInvalid');
    openTestBridge(scenario);
    expect(result(scenario, deposited(ZERO_ADDRESS, 1, { isOwn: true })).reject).toBe(
      'addressInvalid',
    );
  });

  test('R-limits-of-state: a deposit whose key was removed still counts as credited because of its position', () => {
    const scenario = opened();
    for (let n = 0; n <= LIMITS.depositsKept; n += 5_000) {
      const commands = Array.from({ length: 5_000 }, (_, at) => deposited(carol, n + at));
      scenario.block(...commands);
    }
    const { bridge } = scenario.state;
    expect(bridge?.credited.size).toBe(LIMITS.depositsKept);
    checkInvariants(scenario.state);
    const before = scenario.account(carol).perpBalance;
    expect(result(scenario, deposited(carol, 0)).types).toEqual([]);
    expect(result(scenario, deposited(carol, 999)).types).toEqual([]);
    expect(scenario.account(carol).perpBalance).toBe(before);
    const restored = restore(JSON.parse(JSON.stringify(dump(scenario.state))));
    expect(restored.bridge).toEqual(bridge);
  });

  test('deposits on a former chain are not credited again when the venue returns to that chain', () => {
    const scenario = opened();
    result(scenario, deposited(carol, 1));
    openTestBridge(scenario, 7);
    expect(result(scenario, deposited(carol, 1, { chainId: 7 })).types).toEqual([
      'depositCredited',
    ]);
    openTestBridge(scenario);
    expect(result(scenario, deposited(carol, 1)).types).toEqual([]);
    expect(scenario.account(carol).perpBalance).toBe(10_000_000n);
  });
});

describe('R-agents: a deposit to an unused agent address can end its binding', () => {
  function bound(isUsed: boolean): Scenario {
    const scenario = opened();
    scenario.approve(alice, carol, 'hers');
    if (isUsed) {
      const orders = [order({ price: 1_000_000, size: 10 })];
      scenario.block({ type: 'placeOrders', authority: scenario.authority(carol), orders });
    }
    return scenario;
  }

  test('a deposit from an agent’s own address ends a binding that was never used', () => {
    const scenario = bound(false);
    expect(result(scenario, deposited(carol, 1, { isOwn: true })).types).toEqual([
      'agentChanged',
      'accountCreated',
      'depositCredited',
    ]);
    expect(agentOwner(scenario.state, carol)).toBeUndefined();
    expect(scenario.state.signers.get(carol)?.floor).toBe(scenario.state.timeMs);
  });

  test.each([
    ['depositFor by another address', false, false],
    ['its own deposit after its key has traded for the owner', true, true],
  ])('%s is held and does not end the binding', (_, isUsed, isOwn) => {
    const scenario = bound(isUsed);
    expect(outcome(scenario, deposited(carol, 1, { isOwn }))).toEqual(STORED);
    expect(outcome(scenario, deposited(carol, 1, { isOwn }))).toEqual(STORED);
    expect(agentOwner(scenario.state, carol)?.owner).toBe(alice);
    expect(hasAccount(scenario.state, carol)).toBe(false);
    expect(isDepositCredited(scenario.state, deposited(carol, 1).source)).toBe(false);
  });

  test('an agent binding from before the bridge was opened counts as used', () => {
    const scenario = Scenario.open({ accounts: [alice] });
    scenario.approve(alice, carol, 'hers');
    openTestBridge(scenario);
    expect(outcome(scenario, deposited(carol, 1, { isOwn: true }))).toEqual(STORED);
  });

  test('R-deposit: a held deposit is credited once the binding ends, even 50,000 deposits later', () => {
    const scenario = bound(true);
    const held = deposited(carol, 1, { isOwn: true });
    expect(outcome(scenario, held)).toEqual(STORED);
    for (let n = 2; n <= LIMITS.depositsKept + 1_001; n += 1_000) {
      scenario.block(...Array.from({ length: 1_000 }, (_, at) => deposited(bob, n + at)));
    }
    expect(depositStatus(scenario.state, deposited(bob, 2))).toBe('old');
    expect(depositStatus(scenario.state, held)).toBe('bound');
    const text = JSON.stringify(dump(scenario.state));
    Object.assign(scenario.state, restore(JSON.parse(text)));
    expect(JSON.stringify(dump(scenario.state))).toBe(text);
    scenario.approve(alice, ZERO_ADDRESS, 'hers');
    expect(depositStatus(scenario.state, held)).toBe('open');
    expect(result(scenario, held).types).toEqual(['accountCreated', 'depositCredited']);
    expect(scenario.account(carol).perpBalance).toBe(5_000_000n);
    expect(depositStatus(scenario.state, held)).toBe('credited');
    expect(result(scenario, held).types).toEqual([]);
  });

  test('R-limits-of-state: a held deposit beyond the limit of 10,000 is rejected', () => {
    const scenario = bound(true);
    for (let n = 0; n < LIMITS.depositsAsideKept; n += 1_000) {
      scenario.block(...Array.from({ length: 1_000 }, (_, at) => deposited(carol, n + at)));
    }
    const one = deposited(carol, LIMITS.depositsAsideKept);
    expect(checkCommand(scenario.state, one, scenario.nowMs).reject?.reason).toBe(
      'agentAddressUsed',
    );
    expect(result(scenario, one).reject).toBe('agentAddressUsed');
    expect(outcome(scenario, deposited(carol, 7))).toEqual(STORED);
  });

  test('a rejected command does not count as use of an agent binding', () => {
    const scenario = bound(false);
    const stale = { ...scenario.authority(carol), nonce: 1 };
    scenario.block({
      type: 'placeOrders',
      authority: stale,
      orders: [order({ price: 1_000_000, size: 10 })],
    });
    expect(result(scenario, deposited(carol, 1, { isOwn: true })).types).toContain(
      'depositCredited',
    );
  });

  test('revoking an agent also removes the record that its key was unused', () => {
    const scenario = bound(false);
    scenario.approve(alice, ZERO_ADDRESS, 'hers');
    expect(scenario.state.bridge?.unusedAgents.size).toBe(0);
    checkInvariants(scenario.state);
  });
});

describe('R-transfer: withdrawals to contracts of the bridge are rejected', () => {
  test.each([
    ['bridge', BRIDGE_CONTRACT],
    ['token', TOKEN_CONTRACT],
  ])('a withdrawal to the %s contract is rejected', (_, destination) => {
    const scenario = opened();
    const withdrawal = {
      type: 'withdraw',
      authority: scenario.authority(alice),
      destination,
      amountMicroUsdc: 5_000_000,
    } as const;
    expect(scenario.block(withdrawal).outcomes[0]?.reject?.reason).toBe('addressInvalid');
  });

  test('withdrawals to these addresses are possible until a bridge is opened', () => {
    const scenario = Scenario.open({ accounts: [alice] });
    const withdrawal = {
      type: 'withdraw',
      authority: scenario.authority(alice),
      destination: BRIDGE_CONTRACT,
      amountMicroUsdc: 5_000_000,
    } as const;
    expect(scenario.block(withdrawal).outcomes[0]?.reject).toBeUndefined();
  });
});

describe('R-limits-of-state: opening an account for a relay withdrawal address is free', () => {
  function fees(isPeg: boolean): bigint {
    const scenario = Scenario.open({
      accounts: [alice],
      parameters: { openingFeeMicroUsdc: 1_000_000 },
    });
    openTestBridge(scenario);
    if (isPeg) scenario.block({ type: 'registerPegs', addresses: [carol, alice, carol] });
    expect(scenario.state.bridge?.pegs.size).toBe(isPeg ? 1 : 0);
    const { events } = scenario.block({
      type: 'sendToken',
      authority: scenario.authority(alice),
      destination: carol,
      token: 0,
      amountMicroUsdc: 2_000_000,
      from: 'perp',
      to: 'perp',
    });
    checkInvariants(scenario.state);
    expect(scenario.state.bridge?.pegs.size).toBe(0);
    const sent = events.find(({ type }) => type === 'tokenSent');
    return sent?.type === 'tokenSent' ? sent.fee : microUsdc(-1);
  }

  test('opening an account for a relay address is free; for any other address it costs the fee', () => {
    expect(fees(true)).toBe(0n);
    expect(fees(false)).toBe(1_000_000n);
  });

  test('only the newest unused relay addresses are kept', () => {
    const scenario = opened();
    const pegs = Array.from({ length: LIMITS.pegsKept + 1 }, (_, at) => actor(0x100000 + at));
    const commands: Command[] = [];
    for (let at = 0; at < pegs.length; at += LIMITS.pegsPerCommand) {
      const addresses = pegs.slice(at, at + LIMITS.pegsPerCommand);
      commands.push({ type: 'registerPegs', addresses });
    }
    scenario.block(...commands);
    expect(scenario.state.bridge?.pegs.size).toBe(LIMITS.pegsKept);
    expect(scenario.state.bridge?.pegs.has(pegs[0]!)).toBe(false);
    expect(scenario.state.bridge?.pegs.has(pegs.at(-1)!)).toBe(true);
  });
});

describe('R-era: a log without a bridge contains no bridge data', () => {
  test('the dump of a venue without a bridge does not mention a bridge', () => {
    const scenario = Scenario.open({ accounts: [alice, bob] });
    scenario.approve(alice, carol, 'hers');
    expect(Object.keys(dump(scenario.state))).not.toContain('bridge');
    expect(scenario.state.bridge).toBeUndefined();
  });

  test('R-conservation: published reserves are stored and reported', () => {
    const scenario = opened();
    const root = deposited(carol, 5).source.txHash;
    const published = {
      height: 3,
      root,
      leaves: 2,
      liabilitiesMicroUsdc: 12,
      shortfallMicroUsdc: 1,
      blockNumber: 4,
      assetsMicroUsdc: 5,
      keptAsideMicroUsdc: 7,
      unsettledMicroUsdc: 2,
      unbackedMicroUsdc: 4,
    };
    const { events } = scenario.block({ type: 'publishReserves', ...published });
    expect(events).toMatchObject([{ type: 'reservesPublished', ...published }]);
    expect(bridgeView(scenario.state)?.reserves).toEqual({
      ...published,
      publishedMs: scenario.state.timeMs,
    });
    const restored = restore(JSON.parse(JSON.stringify(dump(scenario.state))));
    expect(restored.bridge).toEqual(scenario.state.bridge);
  });
});
