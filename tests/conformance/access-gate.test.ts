import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { aVenue, cancelAction, order, orderAction, type Actor } from '../support/actors.ts';
import type { Json } from '../support/client.ts';
import { accountStatus, expectExactly, expectNothing, send, tokenSend } from '../support/keys.ts';
import {
  act,
  succeeded,
  expectRefusal,
  Operator,
  OPERATED,
  trade,
  triggerOrder,
  type OwnPerp,
} from '../support/perps.ts';
import type { JsonObject } from '../support/wallet.ts';
import { HOLDING } from '../support/venue-process.ts';

const world = aVenue([...OPERATED, ...HOLDING], { isHeld: true });
const operator = new Operator(world);

let perp: OwnPerp;
let alice: Actor;
let bob: Actor;

beforeAll(async () => {
  perp = await operator.list();
});

beforeEach(async () => {
  await gate({ mode: 'open' });
  [alice, bob] = [await world.trader('alice'), await world.trader('bob')];
});

async function gate(change: JsonObject): Promise<void> {
  succeeded(await operator.send({ setGate: { channel: 0, ...change } }));
}

const buy = (changes: { price?: string; reduceOnly?: boolean; size?: string } = {}) =>
  orderAction(order({ market: perp, side: 'buy', price: '50', size: '1', ...changes }));

const stopped = (response: string) => ({ code: 10007, name: 'GATED', response });

async function expectStopped(actor: Actor, reason: string): Promise<void> {
  await expectNothing([actor], actor.sign(buy()), stopped(reason));
  expect(await accountStatus(world.client, actor.address)).toEqual({
    user: actor.address,
    channel: 0,
    exists: true,
    checked: true,
    eligible: false,
    reason,
  });
}

async function expectOpen(actor: Actor): Promise<void> {
  succeeded(await act(actor, buy()));
  expect(await accountStatus(world.client, actor.address)).toEqual({
    user: actor.address,
    channel: 0,
    exists: true,
    checked: true,
    eligible: true,
  });
}

async function codeStatus(actor: Actor, channel?: number): Promise<Json> {
  return world.client.data({
    type: 'accessCodeStatus',
    user: actor.address,
    ...(channel === undefined ? {} : { channel }),
  });
}

const CODE_FREE = {
  channel: 0,
  required: false,
  granted: true,
  accessCode: null,
  grantedTime: null,
};

describe('R-gate: each mode accepts and rejects the right accounts, with a reason', () => {
  test('mode open lets any account trade', async () => {
    await expectOpen(alice);
    expect(await codeStatus(alice)).toEqual({ user: alice.address, ...CODE_FREE });
    const nobody = world.unfunded('nobody');
    expect(await accountStatus(world.client, nobody.address)).toMatchObject({
      exists: false,
      eligible: false,
      reason: 'No trading account found',
    });
  });

  test('mode closed lets no account trade', async () => {
    await gate({ mode: 'closed' });
    await expectStopped(alice, 'Exchange is not allowed');
    expect(await codeStatus(alice)).toEqual({ user: alice.address, ...CODE_FREE });
  });

  test('mode whitelist lets an account trade only while it is on the list', async () => {
    await gate({ mode: 'whitelist', whitelist: { add: [alice.address] } });
    await expectOpen(alice);
    await expectStopped(bob, 'User not in whitelist');
    await gate({ whitelist: { remove: [alice.address], add: [bob.address] } });
    await expectStopped(alice, 'User not in whitelist');
    await expectOpen(bob);
  });

  test('mode accessCode requires a grant, and answers mask the code', async () => {
    const codes = { add: [{ code: 'SECRET', maxUses: 1 }] };
    await gate({ mode: 'accessCode', accessCodes: codes });
    await expectStopped(alice, 'User not authorized for this channel');
    expect(await codeStatus(alice)).toEqual({
      user: alice.address,
      channel: 0,
      required: true,
      granted: false,
      accessCode: null,
      grantedTime: null,
    });
    await gate({ grants: { add: [{ user: alice.address, code: 'SECRET' }] } });
    await expectOpen(alice);
    expect(await codeStatus(alice)).toEqual({
      user: alice.address,
      channel: 0,
      required: true,
      granted: true,
      accessCode: 'SE****',
      grantedTime: expect.any(Number),
    });
    // A grant stays valid after its code is removed, and an admin can revoke it.
    const another = {
      setGate: { channel: 0, grants: { add: [{ user: bob.address, code: 'SECRET' }] } },
    };
    expectRefusal(await operator.send(another), 10002, 'Invalid code: is used up: 1 of 1');
    await expectStopped(bob, 'User not authorized for this channel');
    await gate({ accessCodes: { remove: ['SECRET'] } });
    await expectOpen(alice);
    expectRefusal(await operator.send(another), 10002, 'Invalid code: is not a code of this gate');
    await gate({ grants: { remove: [alice.address] } });
    await expectStopped(alice, 'User not authorized for this channel');
  });

  test("R-gate: the operator's action is public except for its codes", async () => {
    const sent = await operator.send({
      setGate: {
        channel: 0,
        mode: 'accessCode',
        accessCodes: {
          add: [
            { code: 'HUSH-1', maxUses: 2 },
            { code: 'Q', maxUses: 1 },
          ],
          remove: ['HUSH-0'],
        },
        grants: { add: [{ user: alice.address, code: 'HUSH-1' }] },
      },
    });
    const data = await world.client.data({ type: 'tx', txHash: sent.json.txHash });
    expect(data.action).toEqual({
      type: 'venueAdmin',
      setGate: {
        channel: 0,
        mode: 'accessCode',
        accessCodes: {
          add: [
            { code: 'HU****', maxUses: 2 },
            { code: 'Q****', maxUses: 1 },
          ],
          remove: ['HU****'],
        },
        grants: { add: [{ user: alice.address, code: 'HU****' }] },
      },
    });
    const { txs } = await world.client.data({ type: 'block', height: data.block });
    expect(JSON.stringify([data, txs])).not.toContain('HUSH');
    // The venue applied the real codes, even though the public copy of the action hides them.
    await expectOpen(alice);
    await gate({ accessCodes: { remove: ['HUSH-1', 'Q'] }, grants: { remove: [alice.address] } });
  });

  test.each(['open', 'whitelist', 'accessCode', 'closed'])(
    'the blacklist takes precedence in mode %s',
    async (mode) => {
      await gate({
        mode,
        blacklist: { add: [alice.address] },
        whitelist: { add: [alice.address] },
      });
      await expectStopped(alice, 'User is blacklisted');
      await gate({ mode: 'open', blacklist: { remove: [alice.address] } });
      await expectOpen(alice);
    },
  );

  test("the owner's access also applies to the agent", async () => {
    const agent = world.unfunded('agent');
    succeeded(await alice.approveAgent(agent.address));
    await gate({ blacklist: { add: [agent.address] } });
    succeeded(await act(agent, buy()));
    await gate({ blacklist: { add: [alice.address] } });
    await expectNothing([alice], agent.sign(buy()), stopped('User is blacklisted'));
  });

  test('each of the two channels has its own gate, and a third channel is rejected', async () => {
    succeeded(await operator.send({ setGate: { channel: 1, mode: 'closed' } }));
    await expectOpen(alice);
    expect(await accountStatus(world.client, alice.address, 1)).toEqual({
      user: alice.address,
      channel: 1,
      exists: true,
      checked: true,
      eligible: false,
      reason: 'Exchange is not allowed',
    });
    succeeded(await operator.send({ setGate: { channel: 1, mode: 'open' } }));
    expect(await accountStatus(world.client, alice.address, 2)).toEqual({
      user: alice.address,
      channel: 2,
      exists: true,
      checked: true,
      eligible: false,
      reason: 'Unknown channel',
    });
    expect(await codeStatus(alice, 1)).toEqual({ user: alice.address, ...CODE_FREE, channel: 1 });
  });

  test('gate changes from any account other than an admin are rejected', async () => {
    const action = { type: 'venueAdmin', setGate: { channel: 0, mode: 'closed' } };
    await expectNothing([alice], alice.sign(action), {
      code: 10003,
      name: 'UNAUTHORIZED',
      message: 'Signer is not permitted to send venueAdmin',
      details: { got: alice.address },
    });
    await expectOpen(alice);
  });
});

describe('R-gate: a closed gate stops only orders that increase positions', () => {
  const CLOSED = stopped('Exchange is not allowed');

  /** Opens a long position of 2 coins, places a resting buy order, and closes the gate. */
  async function lockedIn(): Promise<number> {
    await trade(alice, bob, { market: perp, price: '100', size: '2' });
    const { orders } = succeeded(await act(alice, buy()));
    await gate({ mode: 'closed' });
    return orders[0].oid;
  }

  test('a closed gate rejects opening orders, triggers, amends and reversals', async () => {
    const o = await lockedIn();
    const waiting = triggerOrder({
      market: perp,
      side: 'buy',
      kind: 'tp',
      at: '50',
      size: '1',
      reduceOnly: false,
    });
    const tooMuch = order({ market: perp, side: 'sell', price: '150', size: '2.001' });
    const actions = [
      buy(),
      orderAction(waiting),
      orderAction(tooMuch),
      { type: 'modify2', a: perp.id, o, p: '51', s: '1' },
      { type: 'reversePosition', asset: perp.id },
    ];
    for (const action of actions) await expectNothing([alice], alice.sign(action), CLOSED);
    // A single order that opens a position makes the whole action fail.
    const closing = order({ market: perp, side: 'sell', price: '150', size: '1' });
    const mixed = { type: 'order', grouping: 'na', orders: [closing, tooMuch] };
    await expectNothing([alice], alice.sign(mixed), CLOSED);
    expectExactly(await world.client.exchange(await alice.sign(buy())), CLOSED);
  });

  test('a closed gate accepts cancels, reducing orders, settings, keys, transfers and withdrawals', async () => {
    const o = await lockedIn();
    const protect = triggerOrder({ market: perp, side: 'sell', kind: 'sl', at: '80', size: '1' });
    const sell = (price: string, reduceOnly: boolean) =>
      orderAction(order({ market: perp, side: 'sell', price, size: '1', reduceOnly }));
    const actions: readonly JsonObject[] = [
      cancelAction({ a: perp.id, o }),
      sell('150', true),
      sell('150', false),
      orderAction(protect),
      { type: 'cancelAll' },
      { type: 'scheduleCancel' },
      { type: 'updateLeverage', asset: perp.id, leverage: 10 },
      { type: 'updatePositionMode', positionMode: 'oneWay' },
    ];
    for (const action of actions) succeeded(await act(alice, action));
    succeeded(await tokenSend(alice, { to: bob.address, amount: '5' }));
    succeeded(await send(alice, 'withdraw3', { destination: bob.address, amount: '5' }));
    succeeded(await alice.approveAgent(world.unfunded('agent').address));
    succeeded(await send(alice, 'approveBuilderFee', { builder: bob.address, maxFeeRate: '0.1%' }));
    // The counterparty's order must also close a position, because opening one is not allowed.
    const close = order({ market: perp, side: 'sell', price: '100', size: '2', reduceOnly: true });
    const cover = order({ market: perp, side: 'buy', price: '100', size: '2', reduceOnly: true });
    succeeded(await alice.place(close));
    succeeded(await bob.place(cover));
    expect((await alice.state()).assetPositions).toEqual([]);
  });
});
