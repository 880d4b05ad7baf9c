import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { aSharedVenue, cancelAction, order, orderAction, type Actor } from '../support/actors.ts';
import type { Json, Reply } from '../support/client.ts';
import { Deployer, shareTrader } from '../support/deployer.ts';
import {
  approveBuilder,
  direct,
  everythingOf,
  signerSet,
  transfer,
  send,
} from '../support/keys.ts';
import {
  act,
  succeeded,
  groupAction,
  Operator,
  perpOrder,
  trade,
  triggerOrder,
  type OwnPerp,
} from '../support/perps.ts';
import { OUTCOMES, placed } from '../support/outcomes.ts';
import { expectShape, simulation } from '../support/shape.ts';
import type { JsonObject } from '../support/wallet.ts';
import { HOLDING } from '../support/venue-process.ts';

/**
 * Each test simulates an unsigned action and checks that the state is unchanged. It then sends the
 * same action and compares the results.
 */

const world = aSharedVenue([...OUTCOMES, ...HOLDING]);
const operator = new Operator(world);

let perp: OwnPerp;
let alice: Actor;
let bob: Actor;

beforeAll(async () => {
  perp = await operator.list();
});

beforeEach(async () => {
  await perp.push('100');
  [alice, bob] = [await world.trader('alice'), await world.trader('bob')];
});

const limit = (side: 'buy' | 'sell', at: string, size: string, more = {}) =>
  order({ market: perp, side, price: at, size, ...more });

const asked = (user: string, action: JsonObject, more = {}) =>
  world.client.info({ type: 'simulate', user, action, ...more });

async function simulated(user: Actor, action: JsonObject, more = {}): Promise<Json> {
  const reply = await asked(user.address, action, more);
  expect(reply.json, reply.text).toMatchObject({ success: true, code: 0 });
  expectShape(reply.json.data, simulation);
  return reply.json.data;
}

/** Selects the fields that simulated orders share with a confirmed reply. */
const results = (orders: Json[]): Json[] =>
  orders.map(
    ({ restingSz: _r, fee: _f, feeRate: _t, builderFee: _b, delayMs: _d, ...rest }) => rest,
  );

/** Returns the account's state in the simulation's format. */
async function shownOf(actor: Actor): Promise<Json> {
  const state = await actor.state();
  const outcome = { type: 'clearinghouseState', user: actor.address, accountType: 'outcome' };
  return {
    margin: {
      accountValue: state.crossMarginSummary.accountValue,
      maintenanceMargin: state.crossMaintenanceMarginUsed,
      crossMarginRatio: state.crossMarginRatio,
      withdrawable: state.withdrawable,
    },
    outcome: { available: (await world.client.data(outcome)).withdrawable, reserved: '0' },
    positions: state.assetPositions.map(({ position }: Json) => ({
      instrumentId: Number(position.asset),
      szi: position.szi,
      entryPx: position.entryPx,
      leverage: position.leverage.value,
      marginUsed: position.marginUsed,
      liquidationPx: position.liquidationPx,
    })),
  };
}

/**
 * Returns a reply's error message, or null. Errors in `statuses` begin with the entry, which is
 * removed here.
 */
function errorIn({ json }: Reply): Json {
  const [status] = json.data?.data?.statuses ?? [json];
  if (status === 'success') return null;
  const { code, name, details } = status;
  const message = status.message ?? status.error.replace(/^\w+\[\d+\]: /, '');
  return { code, name, message, details };
}

/**
 * Simulates an action, checks that the state is unchanged, sends the action, and compares its
 * result with the simulation.
 */
async function foretold(actor: Actor, action: JsonObject, sent: () => Promise<Reply>) {
  const before = await everythingOf([alice, bob]);
  const answer = await simulated(actor, action);
  expect(await everythingOf([alice, bob])).toEqual(before);
  const reply = await sent();
  expect(answer.accepted, reply.text).toBe(reply.json.status === 'ok');
  expect(answer.error).toEqual(errorIn(reply));
  if (answer.accepted) expect(results(answer.orders)).toEqual(reply.json.data.data.orders ?? []);
  expect(answer.warnings).toEqual(reply.json.warnings ?? []);
  const shown = await shownOf(actor);
  expect(answer).toMatchObject({ margin: shown.margin, outcome: shown.outcome });
  for (const position of answer.positions.filter(({ szi }: Json) => szi !== '0')) {
    expect(shown.positions).toContainEqual(position);
  }
  return answer;
}

const agentSigned = (actor: Actor, action: JsonObject) =>
  foretold(actor, action, () => act(actor, action));

describe('simulate predicts the result of an order', () => {
  test('a simulation returns the fills, fee, margin and position that execution would produce', async () => {
    await bob.place(limit('sell', '100', '1.5'), limit('sell', '101', '1'));
    const action = orderAction(limit('buy', '101', '4'));
    const answer = await agentSigned(alice, action);
    expect(answer).toMatchObject({ accepted: true, error: null, warnings: [] });
    expect(answer.orders).toMatchObject([
      // The fee on 150 + 101 USDC at 0.045% is 0.11295, rounded up once.
      {
        state: 'open',
        filledSz: '2.5',
        avgPx: '100.4',
        restingSz: '1.5',
        fee: '0.11295',
        feeRate: '0.00045',
        builderFee: '0',
        delayMs: 0,
      },
    ]);
    expect(answer.positions).toMatchObject([{ szi: '2.5', entryPx: '100.4', leverage: 20 }]);
    // The largest possible position requires an initial margin of 4 × 100 / 20.
    expect(answer.margin.initialMargin).toBe('20');
    expect(await alice.balance()).toBe('999.88705');
  });

  test("a resting order's expected cost is the maker fee", async () => {
    const answer = await agentSigned(alice, orderAction(limit('buy', '90', '1')));
    expect(answer.orders).toMatchObject([
      { state: 'open', restingSz: '1', fee: '0', feeRate: '0.00015' },
    ]);
    expect(answer.positions).toEqual([]);
  });

  test('a closed position has size 0, and a flipped one has the opposite sign', async () => {
    await trade(alice, bob, { market: perp, price: '100', size: '2' });
    await bob.place(limit('buy', '100', '5'));
    const closing = orderAction(limit('sell', '100', '2', { tif: 'Ioc' }));
    expect((await simulated(alice, closing)).positions).toEqual([
      {
        instrumentId: perp.id,
        szi: '0',
        entryPx: '0',
        leverage: 20,
        marginUsed: '0',
        liquidationPx: '',
      },
    ]);
    const flipping = await agentSigned(alice, orderAction(limit('sell', '100', '3')));
    expect(flipping.positions).toMatchObject([{ szi: '-1' }]);
  });

  test("R-builder: a simulation returns an approved builder's fee, or the reason why it is dropped", async () => {
    const builder = await world.trader('builder');
    await bob.place(limit('sell', '100', '2'));
    const action = {
      ...orderAction(limit('buy', '100', '2')),
      builder: { b: builder.address, f: 50 },
    };
    const dropped = await simulated(alice, action);
    expect(dropped.orders).toMatchObject([{ builderFee: '0' }]);
    expect(dropped.warnings).toMatchObject([
      { code: 'BUILDER_FEE_DROPPED', details: { reason: 'notApproved', f: 50, allowed: 0 } },
    ]);
    succeeded(await approveBuilder(alice, builder.address));
    const answer = await agentSigned(alice, action);
    // The builder fee is 5 basis points of 200 USDC.
    expect(answer.orders).toMatchObject([{ fee: '0.09', builderFee: '0.1' }]);
  });
});

describe('every kind of action has the result that its simulation predicts', () => {
  const cases: [string, () => JsonObject | Promise<JsonObject>][] = [
    ['an Alo that would trade', () => orderAction(limit('buy', '100', '1', { tif: 'Alo' }))],
    ['an Ioc that fills in part', () => orderAction(limit('buy', '100', '9', { tif: 'Ioc' }))],
    [
      'a market order pulled to the mark',
      () => orderAction(limit('buy', '150', '1', { tif: 'FrontendMarket' })),
    ],
    [
      'a reduce-only order cut to the position',
      () => orderAction(limit('sell', '105', '9', { reduceOnly: true })),
    ],
    ['an order off the tick', () => orderAction(limit('buy', '90.001', '1'))],
    ['an order that margin refuses', () => orderAction(limit('buy', '90', '900'))],
    [
      'two orders of which the second fails',
      () => orderAction(limit('buy', '90', '1'), limit('buy', '100', '1', { tif: 'Alo' })),
    ],
    [
      'an isolated order',
      () =>
        orderAction(
          perpOrder({ market: perp, side: 'buy', price: '90', size: '1', margin: 'isolated' }),
        ),
    ],
    [
      'a bracket',
      () =>
        groupAction(
          'normalTpsl',
          limit('buy', '100', '1'),
          triggerOrder({ market: perp, side: 'sell', kind: 'tp', at: '120', size: '1' }),
          triggerOrder({ market: perp, side: 'sell', kind: 'sl', at: '80', size: '1' }),
        ),
    ],
    [
      'exits of a position',
      () =>
        groupAction(
          'positionTpsl',
          triggerOrder({ market: perp, side: 'sell', kind: 'sl', at: '80', size: '0' }),
        ),
    ],
    [
      'a cancel of one existing and one unknown order',
      async () => {
        const { oid } = await alice.placed({ market: perp, side: 'buy', price: '90', size: '1' });
        return cancelAction({ a: perp.id, o: oid }, { a: perp.id, o: 999_999 });
      },
    ],
    [
      'an amend that trades',
      async () => {
        const { oid } = await alice.placed({ market: perp, side: 'buy', price: '90', size: '1' });
        return { type: 'modify2', a: perp.id, o: oid, p: '100', s: '8' };
      },
    ],
    [
      'an amend of a post-only order that would trade, which fails at its execution',
      async () => {
        const post = { market: perp, side: 'buy', price: '90', size: '1', tif: 'Alo' } as const;
        const { oid } = await alice.placed(post);
        return { type: 'modify2', a: perp.id, o: oid, p: '100', s: '1' };
      },
    ],
    [
      'an amend of an unknown order',
      () => ({ type: 'modify2', a: perp.id, o: 999_999, p: '100', s: '8' }),
    ],
    [
      'a cancel of everything',
      async () => {
        await alice.placed({ market: perp, side: 'buy', price: '90', size: '1' });
        return { type: 'cancelAll' };
      },
    ],
    ['a scheduled cancel', () => ({ type: 'scheduleCancel', time: Date.now() + 60_000 })],
    ['a reversal', () => ({ type: 'reversePosition', asset: perp.id })],
    ['another leverage', () => ({ type: 'updateLeverage', asset: perp.id, leverage: 5 })],
    ['too much leverage', () => ({ type: 'updateLeverage', asset: perp.id, leverage: 500 })],
    ['another margin mode', () => ({ type: 'updateMarginMode', asset: perp.id, isCross: false })],
    ['another position mode', () => ({ type: 'updatePositionMode', positionMode: 'hedge' })],
    [
      'margin for no isolated position',
      () => ({ type: 'updateIsolatedMargin', asset: perp.id, isBuy: true, ntli: 1_000_000 }),
    ],
    ['rewards that were not earned', () => ({ type: 'claimBuilderRewards' })],
  ];

  /** Alice is long 1 coin, and the book offers 2 coins at the mark on either side. */
  test.each(cases)('a simulation predicts %s', async (_, make) => {
    await trade(alice, bob, { market: perp, price: '100', size: '1' });
    await bob.place(limit('sell', '100', '2'), limit('buy', '99.5', '2'));
    await agentSigned(alice, await make());
  });

  test.each<[string, string, (to: Actor) => JsonObject]>([
    ['a transfer', 'tokenSend', (to) => transfer({ to: to.address, amount: '12.5' })],
    ['too large a transfer', 'tokenSend', (to) => transfer({ to: to.address, amount: '5000' })],
    ['a withdrawal', 'withdraw3', (to) => ({ destination: to.address, amount: '10' })],
    ['too small a withdrawal', 'withdraw3', (to) => ({ destination: to.address, amount: '1' })],
  ])('predicts %s, with or without its network fields', async (_, type, fields) => {
    const body = fields(bob);
    const { envelope } = await direct(alice, type, body);
    expect(await simulated(alice, { type, ...body })).toMatchObject({
      ...(await simulated(alice, envelope.action)),
      height: expect.any(Number),
      time: expect.any(Number),
    });
    await foretold(alice, { type, ...body }, () => send(alice, type, body));
  });
});

test('an amend that would bypass the delay is accepted and then fails, as on /exchange', async () => {
  const market = await new Deployer(world).list({ orderDelayMs: 300 });
  const [carol, dan] = [await shareTrader(world, 'carol'), await shareTrader(world, 'dan')];
  await placed(dan, market, 'buy No 10 at 0.40');
  const { oid } = await placed(carol, market, 'buy Yes 10 at 0.40');
  const action = { type: 'modify2', a: market.id, o: oid, p: '0.65', s: '10' };
  const answer = (await asked(carol.address, action)).json.data;
  const reply = await act(carol, action);
  expect(reply.json).toMatchObject({
    status: 'ok',
    data: { data: { statuses: [{ code: 10011 }] } },
  });
  expect(answer).toMatchObject({ accepted: true, error: { code: 10011 } });
  expect(results(answer.orders)).toEqual(reply.json.data.data.orders);
  expect(answer.orders[0].error).toBe('Amend would take liquidity on a delayed market');
});

describe('simulate checks which account acts', () => {
  const resting = () => orderAction(limit('buy', '90', '1'));

  test('a simulation rejects an address without an account', async () => {
    const outsider = world.unfunded('stranger');
    expect(await simulated(outsider, resting())).toMatchObject({
      accepted: false,
      error: {
        code: 10006,
        name: 'NO_ACCOUNT',
        message: 'No trading account found. Please deposit first.',
        details: { got: outsider.address },
      },
      orders: [],
      margin: null,
      outcome: null,
      positions: [],
    });
  });

  test('an agent acts for its owner, with a warning', async () => {
    const agent = world.unfunded('agent');
    succeeded(await alice.approveAgent(agent.address, 'desk'));
    const reply = await asked(agent.address, resting());
    const warning = {
      code: 'AGENT_ADDRESS',
      message: expect.any(String),
      details: { agent: agent.address, owner: alice.address },
    };
    expect(reply.json).toMatchObject({ success: true, warnings: [warning] });
    expect(reply.json.data).toMatchObject({ accepted: true, warnings: [warning] });
    expect(reply.json.data.margin).toEqual((await simulated(alice, resting())).margin);
  });

  test('only the leader acts for its vault, and not through a direct action', async () => {
    const vault = await world.trader('vault');
    const fields = { vault: vault.address, leader: alice.address, name: 'First' };
    succeeded(await operator.send({ registerVault: fields }));
    const vaultAddress = vault.address;
    const [led, own] = [
      await simulated(alice, resting(), { vaultAddress }),
      await simulated(vault, resting()),
    ];
    expect({ ...led, height: 0, time: 0 }).toEqual({ ...own, height: 0, time: 0 });
    expect(led).toMatchObject({ accepted: true, margin: { initialMargin: '5' } });
    expect(await simulated(bob, resting(), { vaultAddress })).toMatchObject({
      accepted: false,
      error: { code: 10003, message: `Not the leader of vault ${vaultAddress}` },
    });
    const unknown = await simulated(alice, resting(), { vaultAddress: bob.address });
    expect(unknown.error).toMatchObject({ message: `Vault not registered: ${bob.address}` });
    const withdraw = { type: 'withdraw3', destination: alice.address, amount: '5' };
    expect(await simulated(alice, withdraw, { vaultAddress })).toMatchObject({
      accepted: false,
      error: { code: 10003, message: 'vaultAddress is not allowed for this action' },
    });
  });

  test("a multi-sig account's action can be simulated without its signatures", async () => {
    const signers = signerSet([bob, world.unfunded('third')], 2);
    succeeded(await send(alice, 'convertToMultiSigUser', { signers }));
    expect(await simulated(alice, resting())).toMatchObject({ accepted: true });
  });

  test('R-gate: an account that the gate shuts out may still close positions', async () => {
    await trade(alice, bob, { market: perp, price: '100', size: '1' });
    const gate = (blacklist: JsonObject) => operator.send({ setGate: { channel: 0, blacklist } });
    succeeded(await gate({ add: [alice.address] }));
    await bob.place(limit('buy', '99', '1'));
    const opening = await simulated(alice, resting());
    expect(opening).toMatchObject({ accepted: false, error: { code: 10007, name: 'GATED' } });
    const closing = limit('sell', '99', '1', { tif: 'Ioc', reduceOnly: true });
    expect(await simulated(alice, orderAction(closing))).toMatchObject({
      accepted: true,
      orders: [{ state: 'filled' }],
    });
    succeeded(await gate({ remove: [alice.address] }));
  });
});

describe('some actions cannot be simulated', () => {
  test.each([
    ['approveAgent'],
    ['approveBuilderFee'],
    ['convertToMultiSigUser'],
    ['multiSig'],
    ['venueAdmin'],
    ['outcomeDeploy'],
    ['nonsense'],
    ['__proto__'],
  ])('a simulation rejects %s', async (type) => {
    const reply = await asked(alice.address, { type });
    expect(reply.status).toBe(200);
    expect(reply.json).toMatchObject({
      success: false,
      code: 10001,
      message: 'This action is not allowed.',
      details: { field: 'action.type', got: type },
    });
  });

  test.each<[string, JsonObject, string]>([
    ['no type', {}, 'Missing field: type'],
    ['no orders', { type: 'order', grouping: 'na' }, 'Missing field: orders'],
    ['too many', cancelAction(), 'cancels must hold 1 to 200 entries'],
    [
      'a number for a decimal',
      { type: 'withdraw3', destination: '0x', amount: 5 },
      'Wrong type for destination',
    ],
  ])('rejects a malformed action: %s', async (_, action, message) => {
    const reply = await asked(alice.address, action);
    expect(reply.status).toBe(400);
    expect(reply.json).toMatchObject({ success: false, code: 10002, message });
  });

  test('a simulation rejects a direct action for another network, as /exchange does', async () => {
    const action = { type: 'withdraw3', chainId: 1, destination: alice.address, amount: '5' };
    expect(await simulated(alice, action)).toMatchObject({
      accepted: false,
      error: { code: 10005, message: 'Chain ID mismatch: expected 2511, got 1' },
    });
  });
});
