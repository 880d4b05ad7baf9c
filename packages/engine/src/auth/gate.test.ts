import { type Address, instrumentId } from '@oddlot/units';
import { describe, expect, test } from 'vitest';
import { checkCommand } from '../commands/commands.ts';
import type { Exchange, OrderRequest, SetGateCommand } from '../messages/command.ts';
import { LIMITS } from '../messages/limits.ts';
import { openOrders } from '../read/read.ts';
import { actor, alice, bob, carol, order, PERP, Scenario } from '@oddlot/testing/engine/scenario';
import {
  refusalFor,
  type SignedFor,
  signedFor,
  type Unsigned,
} from '@oddlot/testing/engine/signed-for';
import { checkRestarts, orderResults, waiting } from '@oddlot/testing/engine/waiting';

const id = PERP.instrumentId;
const GATED = { reason: 'gated', gate: 'closed', channel: 0 };
const CLOSED: SetGateCommand = { type: 'setGate', channel: 0, mode: 'closed' };

function place(...orders: readonly OrderRequest[]): Unsigned {
  return { type: 'placeOrders', orders };
}

const sell = (size: number, shape: Partial<OrderRequest> = {}): OrderRequest =>
  order({ isBuy: false, price: 1_000_000, size, ...shape });
const buyOne = (size: number, shape: Partial<OrderRequest> = {}): OrderRequest =>
  order({ price: 990_000, size, ...shape });

/**
 * Returns a closed venue in which alice is long 100 lots bought from bob, and carol has a resting
 * bid.
 */
function closed(): Scenario {
  const scenario = Scenario.open();
  scenario.one(bob, { price: 1_000_000, size: 100, isBuy: false });
  scenario.one(alice, { price: 1_000_000, size: 100 });
  scenario.one(carol, { price: 995_000, size: 300 });
  expect(scenario.outcome(CLOSED)).toEqual({});
  return scenario;
}

/**
 * Executes a command and checks that admission and execution agree, and that an unauthorized signer
 * does not consume a nonce.
 */
function judge(scenario: Scenario, command: Unsigned, signer = alice, role: SignedFor = {}) {
  const signed = signedFor(scenario, signer, role, command);
  const admitted = checkCommand(scenario.state, signed, scenario.nowMs).reject;
  const used = scenario.state.signers.get(signer)?.used.length ?? 0;
  const { reject } = scenario.outcome(signed);
  expect(admitted).toEqual(reject);
  const usedNow = scenario.state.signers.get(signer)?.used.length ?? 0;
  expect(usedNow - used).toBe(reject === undefined || reject.reason === 'orderUnknown' ? 1 : 0);
  return reject;
}

describe('R-gate: a closed channel rejects every increase in risk', () => {
  const stop = { price: 900_000 };
  test.each([
    ['a buy on top of a long', place(buyOne(20))],
    ['more than the position', place(sell(101))],
    ['one that opens among others', place(sell(50, { reduceOnly: true }), buyOne(20))],
    ['a trigger that could open', place(waiting(stop, { reduceOnly: false }))],
    ['another instrument', place(sell(20, { instrumentId: instrumentId(2) }))],
    ['a reversal', { type: 'reversePosition', instrumentId: id }],
  ] as [string, Unsigned][])('a closed gate rejects %s', (_, command) => {
    const scenario = closed();
    expect(judge(scenario, command)).toEqual(GATED);
    expect(openOrders(scenario.state, alice)).toEqual([]);
  });

  test('in hedge mode, an order that is not reduce-only opens a leg', () => {
    const scenario = Scenario.open();
    refusalFor(scenario, alice, {}, { type: 'updatePositionMode', mode: 'hedge' });
    scenario.one(bob, { price: 1_000_000, size: 100, isBuy: false });
    scenario.one(alice, { price: 1_000_000, size: 100 });
    scenario.block(CLOSED);
    expect(judge(scenario, place(sell(50)))).toEqual(GATED);
    expect(judge(scenario, place(sell(50, { reduceOnly: true })))).toBeUndefined();
  });

  test('a closed gate rejects amendments of orders that are not reduce-only, and accepts others', () => {
    const scenario = Scenario.open();
    scenario.one(bob, { price: 1_000_000, size: 100, isBuy: false });
    scenario.one(alice, { price: 1_000_000, size: 100 });
    const [opening, reducing] = scenario.place(
      alice,
      order({ price: 990_000, size: 50, clientOrderId: `0x${'7'.repeat(32)}` }),
      sell(50, { price: 1_010_000, reduceOnly: true }),
    );
    scenario.block(CLOSED);
    const amend = (target: { orderId: number } | { clientOrderId: string }, price: number) =>
      judge(scenario, { type: 'modifyOrder', instrumentId: id, target, price, size: 40 });
    expect(amend({ orderId: opening!.orderId! }, 980_000)).toEqual(GATED);
    expect(amend({ clientOrderId: `0x${'7'.repeat(32)}` }, 980_000)).toEqual(GATED);
    expect(amend({ orderId: reducing!.orderId! }, 1_020_000)).toBeUndefined();
    expect(amend({ orderId: 999 }, 980_000)).toEqual({ reason: 'orderUnknown' });
  });
});

describe('R-gate: a closed channel accepts every reduction in risk', () => {
  test.each([
    ['reduce-only orders', place(sell(100, { reduceOnly: true }))],
    ['reduce-only triggers', place(waiting({ price: 900_000 }))],
    ['orders that no more than close', place(sell(100))],
    ['… in parts', place(sell(60), sell(40))],
    ['cancels', { type: 'cancelAll' }],
    ['settings', { type: 'updateLeverage', instrumentId: id, leverage: 5 }],
    ['agents', { type: 'approveAgent', agent: actor(0xa1), label: '' }],
  ] as [string, Unsigned][])('%s pass a closed gate', (_, command) => {
    const scenario = closed();
    const signed = signedFor(scenario, alice, {}, command);
    expect(checkCommand(scenario.state, signed, scenario.nowMs).reject).toBeUndefined();
    const { entries = [], reject } = scenario.outcome(signed);
    expect(reject).toBeUndefined();
    expect(entries.flatMap((entry) => entry.reject ?? [])).toEqual([]);
  });

  test('an order is checked together with resting orders and the other orders of its action', () => {
    const scenario = closed();
    const far = { price: 1_020_000 };
    expect(judge(scenario, place(sell(50, far)))).toBeUndefined();
    expect(judge(scenario, place(sell(51)))).toEqual(GATED);
    const several = place(sell(20, far), sell(40), sell(20, { price: 995_000 }));
    const { entries } = scenario.outcome(signedFor(scenario, alice, {}, several));
    expect(entries?.map(({ reject, state }) => reject ?? state)).toEqual(['open', GATED, 'filled']);
    expect(scenario.position(alice)).toBe(80);
  });

  test('resting orders still fill after the gate is closed', () => {
    const scenario = closed();
    scenario.block({ ...CLOSED, mode: 'whitelist', whitelist: { add: [bob] } });
    expect(scenario.one(bob, { price: 995_000, size: 100, isBuy: false }).state).toBe('filled');
    expect(scenario.position(carol)).toBe(100);
  });
});

describe('R-gate: the gates of the acting account and the instrument’s channel apply', () => {
  const blacklist = (...add: Address[]): SetGateCommand => ({
    type: 'setGate',
    channel: 0,
    blacklist: { add },
  });

  test.each([
    ['blacklisted', { blacklist: { add: [alice] } }],
    ['closed', { mode: 'closed' }],
    ['notWhitelisted', { mode: 'whitelist' }],
    ['notGranted', { mode: 'accessCode' }],
  ] as const)('a gate rejection contains the reason: %s', (gate, change) => {
    const scenario = Scenario.open();
    scenario.block({ type: 'setGate', channel: 0, ...change });
    expect(judge(scenario, place(buyOne(20)))).toEqual({ reason: 'gated', gate, channel: 0 });
  });

  test('the gate of the acting account (owner, vault or multisig account) applies', () => {
    const scenario = Scenario.open();
    const agent = actor(0xa1);
    scenario.approve(alice, agent);
    scenario.block({ type: 'registerVault', vault: carol, leader: bob, name: 'v' });
    scenario.block(blacklist(alice, carol, agent));
    expect(judge(scenario, place(buyOne(20)), agent)).toMatchObject({ gate: 'blacklisted' });
    expect(judge(scenario, place(buyOne(20)), bob)).toBeUndefined();
    expect(judge(scenario, place(buyOne(20)), bob, { vault: carol })).toMatchObject({
      gate: 'blacklisted',
    });
    const signers = { users: [agent], threshold: 1 };
    refusalFor(scenario, bob, {}, { type: 'convertToMultiSig', signers });
    const multiSig = { user: bob, signers: [agent] };
    expect(judge(scenario, place(buyOne(20)), agent, { multiSig })).toBeUndefined();
  });

  test('the gate of the instrument’s channel applies', () => {
    const scenario = Scenario.open();
    const market = instrumentId(LIMITS.perpIdEnd);
    const gateOf = (channel: Exchange) => ({ reason: 'gated', gate: 'closed', channel });
    const buyShares = place(buyOne(20, { instrumentId: market }));
    scenario.block({ ...CLOSED, channel: 1 });
    expect(judge(scenario, place(buyOne(20)))).toBeUndefined();
    expect(judge(scenario, buyShares)).toEqual(gateOf(1));
    // A sell adds no risk and passes the gate, even though the market does not exist yet.
    const sellShares = signedFor(
      scenario,
      alice,
      {},
      place(sell(20, { instrumentId: market, reduceOnly: true })),
    );
    const { reject } = checkCommand(scenario.state, sellShares, scenario.nowMs);
    expect(reject?.reason).toBe('instrumentUnknown');
    scenario.block({ ...CLOSED, channel: 1, mode: 'open' }, CLOSED);
    expect(judge(scenario, place(buyOne(20)))).toEqual(gateOf(0));
  });

  test('the gate is checked after the role and before the expiry', () => {
    const scenario = closed();
    const expired = { ...scenario.authority(alice), expiresAfterMs: scenario.nowMs - 1 };
    const command = { ...place(buyOne(20)), authority: expired } as never;
    expect(scenario.outcome(command).reject).toEqual(GATED);
    expect(judge(scenario, place(buyOne(20)), actor(9))?.reason).toBe('accountUnknown');
  });
});

describe('R-gate: the gate is checked again at execution', () => {
  test('a gate closed in the same block rejects commands that were already admitted', () => {
    const scenario = Scenario.open();
    const command = signedFor(scenario, alice, {}, place(buyOne(20, { timeInForce: 'alo' })));
    expect(checkCommand(scenario.state, command, scenario.nowMs).reject).toBeUndefined();
    expect(scenario.block(command, CLOSED).outcomes).toEqual([
      { account: alice, reject: GATED },
      {},
    ]);
  });

  test.each([
    ['that would open', { reduceOnly: false, isBuy: true }, '4 rejected gated', 100],
    ['that would turn the position', { reduceOnly: false, size: 150 }, '4 rejected gated', 100],
    ['that closes', { reduceOnly: false, size: 100 }, '4 filled', 0],
    ['that is reduce-only', { size: 150 }, '4 filled', 0],
  ])('the gate is checked again when a trigger %s fires', (_, shape, events, left) => {
    const scenario = Scenario.open();
    scenario.one(bob, { price: 1_000_000, size: 100, isBuy: false });
    scenario.one(alice, { price: 1_000_000, size: 100 });
    scenario.one(carol, { price: 970_000, size: 300 });
    const kind = 'isBuy' in shape ? 'takeProfit' : 'stopLoss';
    expect(scenario.place(alice, waiting({ price: 980_000, kind }, shape))[0]?.state).toBe('open');
    scenario.block(CLOSED);
    scenario.wait(1_000);
    const lines = orderResults(scenario.oracle(970_000));
    expect(lines.filter((line) => line.startsWith('4 '))).toEqual([events]);
    expect(scenario.position(alice)).toBe(left);
  });

  test('a pending reversal closes its position but does not open a new one after the gate is closed', () => {
    const scenario = Scenario.open();
    scenario.one(bob, { price: 1_000_000, size: 100, isBuy: false });
    scenario.one(alice, { price: 1_000_000, size: 100 });
    refusalFor(scenario, alice, {}, { type: 'reversePosition', instrumentId: id });
    scenario.block(CLOSED);
    scenario.block({ ...CLOSED, mode: 'whitelist', whitelist: { add: [carol] } });
    scenario.one(carol, { price: 999_000, size: 300 });
    const events = orderResults(scenario.block());
    expect(events.filter((line) => line.includes('rejected'))).toEqual(['5 rejected gated']);
    expect(scenario.position(alice)).toBe(0);
    checkRestarts(scenario);
  });
});
