import { beforeEach, describe, expect, test } from 'vitest';
import { sharedVenueWithHeldClock, cloidOf, type Actor } from '../support/actors.ts';
import type { Json } from '../support/client.ts';
import {
  act,
  succeeded,
  expectRefusal,
  leverageOf,
  newScene,
  Operator,
  OPERATED,
  OrderWatch,
  perpOrder,
  put,
  recordOf,
  recordsOf,
  trade,
  triggerOrder,
  triggersOf,
  type OwnPerp,
} from '../support/perps.ts';
import { clearinghouseState, expectShape } from '../support/shape.ts';
import type { JsonObject } from '../support/wallet.ts';

/** Properties shared by all perp actions, and the account state stream. */

const world = sharedVenueWithHeldClock(OPERATED);
const operator = new Operator(world);

let perp: OwnPerp;
let alice: Actor;
let bob: Actor;

beforeEach(async () => {
  ({ perp, alice, bob } = await newScene(world, operator));
});

type Case = { readonly name: string; readonly action: (oid: number) => JsonObject };

/**
 * One valid action of each kind, for an account with an isolated long position and one resting
 * order.
 */
const ACTIONS: readonly Case[] = [
  {
    name: 'PlaceOrder',
    action: () => ({
      type: 'order',
      grouping: 'na',
      orders: [triggerOrder({ market: perp, side: 'sell', kind: 'sl', at: '80', size: '1' })],
    }),
  },
  { name: 'ModifyOrder', action: (o) => ({ type: 'modify2', a: perp.id, o, p: '91', s: '2' }) },
  {
    name: 'UpdatePositionMode',
    action: () => ({ type: 'updatePositionMode', positionMode: 'oneWay' }),
  },
  {
    name: 'UpdateLeverage',
    action: () => ({ type: 'updateLeverage', asset: perp.id, leverage: 9, marginMode: 'cross' }),
  },
  {
    name: 'UpdateMarginMode',
    action: () => ({ type: 'updateMarginMode', asset: perp.id, isCross: false }),
  },
  {
    name: 'UpdateIsolatedMargin',
    action: () => ({ type: 'updateIsolatedMargin', asset: perp.id, isBuy: true, ntli: 5 }),
  },
  {
    name: 'ScheduleCancel',
    action: () => ({ type: 'scheduleCancel', time: world.nowMs() + 3_600_000 }),
  },
  { name: 'CancelAll', action: () => ({ type: 'cancelAll' }) },
  { name: 'ReversePosition', action: () => ({ type: 'reversePosition', asset: perp.id }) },
];

async function prepare(): Promise<number> {
  await trade(alice, bob, { market: perp, price: '100', size: '2', buyerMargin: 'isolated' });
  return put(alice, { market: perp, side: 'buy', price: '90', size: '1' });
}

describe.each(ACTIONS)('$name', ({ name, action }) => {
  test('the unconfirmed reply reports only the acceptance', async () => {
    const oid = await prepare();
    const reply = await world.client.exchange(await alice.sign(action(oid)));
    expect(reply.status).toBe(200);
    expect(reply.json).toEqual({
      status: 'ok',
      code: 0,
      data: { type: name, data: { statuses: ['success'] } },
    });
  });

  test("an action is accepted from the account's own key and from its agent", async () => {
    const oid = await prepare();
    const agent = world.unfunded('agent');
    succeeded(await alice.approveAgent(agent.address, 'agent'));
    const reply = await act(agent, action(oid));
    succeeded(reply);
    expect(reply.json.data.type).toBe(name);
    expect(reply.json).toMatchObject({ height: expect.any(Number), txHash: expect.any(String) });
  });

  test('an action from a signer without an account is rejected', async () => {
    const oid = await prepare();
    const reply = await act(world.unfunded('nobody'), action(oid));
    expectRefusal(reply, 10006, 'No trading account found. Please deposit first.');
  });

  test('R-tx: a repeated request executes once and gets the same answer', async () => {
    const oid = await prepare();
    const signed = await alice.sign(action(oid));
    const first = await world.client.executed(signed);
    succeeded(first);
    const { time: _before, ...state } = await alice.state();
    const again = await world.client.executed(signed);
    expect(again.json).toEqual(first.json);
    // A reverse job changes the state in later blocks. Every other action must leave it unchanged.
    if (name !== 'ReversePosition') {
      const { time: _after, ...after } = await alice.state();
      expect(after).toEqual(state);
    }
  });

  test('R-vault: an action for an unknown vault is rejected', async () => {
    const oid = await prepare();
    const vaultAddress = bob.address;
    const reply = await world.client.executed(await alice.sign(action(oid), { vaultAddress }));
    expectRefusal(reply, 10003, `Vault not registered: ${vaultAddress}`);
  });

  test('an expired action is rejected', async () => {
    const oid = await prepare();
    const expiresAfter = world.nowMs() - 60_000;
    const reply = await world.client.executed(await alice.sign(action(oid), { expiresAfter }));
    expect(reply.json, reply.text).toMatchObject({ status: 'err', code: 10016 });
  });
});

describe('one action can have several orders', () => {
  test('an action with several orders names the first failure and executes the other orders', async () => {
    const fine = perpOrder({ market: perp, side: 'buy', price: '90', size: '1' });
    // The free margin covers each of these orders individually, but not all of them together.
    const big = perpOrder({ market: perp, side: 'buy', price: '90', size: '150' });
    const waiting = triggerOrder({
      market: perp,
      side: 'buy',
      kind: 'tp',
      at: '50',
      size: '1',
      reduceOnly: false,
    });
    const reply = await alice.place(fine, big, big, waiting);
    const [status] = reply.json.data.data.statuses;
    expect(status).toMatchObject({ error: 'orders[2]: Insufficient margin', code: 10010 });
    const { orders } = reply.json.data.data;
    expect(orders.map((order: Json) => order.state)).toEqual(['open', 'open', 'rejected', 'open']);
    expect(orders[2]).toMatchObject({ i: 2, error: 'Insufficient margin' });
    expect(await triggersOf(alice)).toHaveLength(1);
  });

  test('an action with two margin modes for one instrument is rejected', async () => {
    const cross = perpOrder({ market: perp, side: 'buy', price: '90', size: '1', margin: 'cross' });
    const isolated = { ...cross, m: 'isolated' };
    const reply = await alice.place(cross, isolated);
    expect(reply.text).toContain("Margin mode differs from the open position's");
    expect((await alice.openOrders()).every((row) => row.marginMode === 'Cross')).toBe(true);
    expect((await leverageOf(alice, perp)).leverage.type).toBe('Cross');
  });

  test('R-cloid: duplicates within an action are rejected, including those on trigger orders', async () => {
    const cloid = cloidOf('twice');
    const order = perpOrder({ market: perp, side: 'buy', price: '90', size: '1', cloid });
    const waiting = triggerOrder({
      market: perp,
      side: 'buy',
      kind: 'tp',
      at: '50',
      size: '1',
      reduceOnly: false,
      cloid,
    });
    const reply = await alice.place(order, waiting);
    expect(reply.text).toContain('Duplicate cloid');
    expect(await triggersOf(alice)).toEqual([]);
  });
});

describe('order ids may be strings', () => {
  test('modify2 accepts a string for o, but not for its other integers', async () => {
    const oid = await prepare();
    const amend = { type: 'modify2', a: perp.id, o: String(oid), p: '91', s: '2' };
    expect(succeeded(await act(alice, amend)).orders[0]).toMatchObject({ oid, state: 'open' });
    const { envelope } = await alice.sign(amend);
    const bad = { ...envelope, action: { ...amend, a: String(perp.id) } };
    expect((await world.client.exchange(bad)).json).toMatchObject({ status: 'err', code: 10002 });
  });
});

describe("clearinghouseState streams an account's state", () => {
  test('the clearinghouseState stream sends each change to an isolated hedge position, equal to the query', async () => {
    succeeded(await act(alice, { type: 'updatePositionMode', positionMode: 'hedge' }));
    const socket = await world.socket();
    await socket.subscribe({ type: 'clearinghouseState', user: alice.address });
    const last = () => socket.of('clearinghouseState').at(-1).data;
    await socket.next((frame) => frame.channel === 'clearinghouseState');
    expectShape(last().clearinghouseState, clearinghouseState);
    await trade(alice, bob, { market: perp, price: '100', size: '2', buyerMargin: 'isolated' });
    const record = await recordOf(alice, perp);
    await expect
      .poll(() => last().clearinghouseState.assetPositions)
      .toMatchObject([
        { type: 'Hedge', position: { szi: '2', leverage: record.position.leverage } },
      ]);
    expect(last()).toMatchObject({ user: alice.address, accountType: 'perp' });
    const change = { type: 'updateIsolatedMargin', asset: perp.id, isBuy: true, ntli: 7_000_000 };
    succeeded(await act(alice, change));
    const { marginUsed } = (await recordOf(alice, perp)).position;
    await expect
      .poll(() => last().clearinghouseState.assetPositions[0].position.marginUsed)
      .toBe(marginUsed);
  });

  test('a liquidation is sent on both clearinghouseState and orderUpdates', async () => {
    const carol = await world.trader('carol');
    const watch = await OrderWatch.of(world, carol);
    const socket = await world.socket();
    await socket.subscribe({ type: 'clearinghouseState', user: alice.address });
    await trade(alice, bob, { market: perp, price: '100', size: '100' });
    const bid = perpOrder({ market: perp, side: 'buy', price: '92', size: '100' });
    const { oid } = succeeded(await carol.place(bid)).orders[0];
    await perp.push('92.8');
    expect(await recordsOf(alice, perp)).toEqual([]);
    expect((await watch.last(oid, 'filled')).order.filledSz).toBe('100');
    await expect
      .poll(() => socket.of('clearinghouseState').at(-1).data.clearinghouseState.assetPositions)
      .toEqual([]);
  });
});
