import { beforeAll, describe, expect, test } from 'vitest';
import { aVenue, farBid, order, type Actor } from '../support/actors.ts';
import { eventually, type Json } from '../support/client.ts';
import { Deployer, DEPLOYED, type OutcomeMarket } from '../support/deployer.ts';
import { expectUnbroken, onChannel } from '../support/frames.ts';
import { tokenSend } from '../support/keys.ts';
import { operate } from '../support/outcomes.ts';
import { act, succeeded, groupAction, triggerOrder } from '../support/perps.ts';
import { exactly, expectShape, hash, integer, listOf, record, time } from '../support/shape.ts';
import type { Socket } from '../support/socket.ts';

/** A history stream sends a snapshot of the newest rows, then the new rows of each block. */

const world = aVenue(DEPLOYED);
const ZERO = `0x${'0'.repeat(40)}`;
let market: OutcomeMarket;

beforeAll(async () => {
  market = await new Deployer(world).list();
});

async function trade(alice: Actor, bob: Actor, usdc = 20): Promise<void> {
  const { btc } = world;
  const terms = { market: btc, price: btc.at(0), size: btc.worth(usdc) };
  await bob.placed({ ...terms, side: 'sell' });
  await alice.placed({ ...terms, side: 'buy' });
}

/**
 * Returns all rows that a channel has sent, oldest first. A snapshot is newest first, so it is
 * reversed.
 */
function rowsOf(socket: Socket, channel: string, list: string): Json[] {
  return socket.of(channel).flatMap(({ data }) => {
    return data.isSnapshot === true ? data[list].toReversed() : data[list];
  });
}

describe('userFills streams the fills of an account', () => {
  const both = ['perp', 'outcome'];

  test("the userFills stream starts with the query's rows and continues with later rows", async () => {
    const [alice, bob] = [await world.trader('alice'), await world.trader('bob')];
    const user = alice.address;
    await trade(alice, bob);
    const api = await world.socket('/api-ws');
    const { seq } = await api.subscribe({ type: 'userFills', user });
    const first = await api.next(onChannel('userFills'));
    const asked = await world.client.data({ type: 'userFills', user });
    expect(asked.length).toBeGreaterThan(0);
    expect(first).toMatchObject({ seq, data: { user, isSnapshot: true, fills: asked } });
    await trade(alice, bob, 30);
    await trade(alice, bob, 40);
    await eventually(async () => {
      const now = await world.client.data({ type: 'userFills', user });
      expect(now.length).toBe(asked.length + 2);
      expect(rowsOf(api, 'userFills', 'fills').toReversed()).toEqual(now);
    });
    const frames = api.of('userFills');
    expectUnbroken(frames);
    expect(frames.slice(1).map(({ data }) => 'isSnapshot' in data)).toEqual([false, false]);
    const heights = frames.map(({ height }) => height);
    expect(heights).toEqual(heights.toSorted((a, b) => a - b));
  });

  test('the userFills stream sends outcome rows only on request', async () => {
    const alice = await world.trader('alice');
    succeeded(await tokenSend(alice, { to: alice.address, amount: '100', into: 'outcome' }));
    const api = await world.socket('/api-ws');
    const user = alice.address;
    await api.subscribe({ type: 'userFills', user });
    const { sub } = await api.subscribe({ type: 'userFills', user, accountType: both });
    succeeded(await operate(alice, 'split', [market, '10']));
    const frame = await api.next(
      ({ channel, data }) => channel === 'userFills' && !data.isSnapshot,
    );
    expect(frame.sub).toBe(sub);
    expect(frame.data.fills.map(({ outcome }: Json) => outcome).toSorted()).toEqual(['No', 'Yes']);
    const asked = await world.client.data({ type: 'userFills', user, accountType: both });
    expect(frame.data.fills.toReversed()).toEqual(asked);
    api.send({ method: 'ping' });
    await api.next(({ method }) => method === 'PONG');
    expect(api.of('userFills').filter((each) => each.sub !== sub)).toHaveLength(1);
  });

  test('the userFills stream is empty for an unknown account and sends updates once the account exists', async () => {
    const bob = await world.trader('bob');
    const nobody = world.unfunded('nobody');
    const api = await world.socket('/api-ws');
    await api.subscribe({ type: 'userFills', user: nobody.address });
    expect((await api.next(onChannel('userFills'))).data.fills).toEqual([]);
    const funded = await world.client.post('/request-fund', { user: nobody.address });
    expect(funded.status).toBe(200);
    await trade(nobody, bob);
    await api.next(({ channel, data }) => channel === 'userFills' && data.fills.length === 1);
  });
});

describe('userHistoricalOrders streams the orders of an account', () => {
  test('the userHistoricalOrders stream sends an order after every block that changes it', async () => {
    const alice = await world.trader('alice');
    const user = alice.address;
    const rested = succeeded(await alice.place(farBid(world.btc))).orders[0];
    const api = await world.socket('/api-ws');
    await api.subscribe({ type: 'userHistoricalOrders', user });
    const first = await api.next(onChannel('userHistoricalOrders'));
    expect(first.data).toEqual({
      user,
      isSnapshot: true,
      orderHistory: await world.client.data({ type: 'historicalOrders', user }),
    });
    const { oid } = succeeded(await alice.place(farBid(world.btc))).orders[0];
    succeeded(await alice.cancel({ a: world.btc.id, o: rested.oid }));
    await eventually(async () => {
      const rows = rowsOf(api, 'userHistoricalOrders', 'orderHistory');
      expect(rows.map((row) => [row.order.oid, row.status])).toEqual([
        [rested.oid, 'open'],
        [oid, 'open'],
        [rested.oid, 'cancelled'],
      ]);
      const asked = await world.client.data({ type: 'historicalOrders', user });
      expect(asked).toEqual([rows[2], rows[1]]);
    });
  });

  test('R-grouping: the stream sends a parent again even if only one of its children has changed', async () => {
    const [alice, bob] = [await world.trader('alice'), await world.trader('bob')];
    const { btc } = world;
    const terms = { market: btc, size: btc.worth(20) };
    const exit = (kind: 'tp' | 'sl', at: string) =>
      triggerOrder({ ...terms, side: 'sell', kind, at });
    await bob.placed({ ...terms, side: 'sell', price: btc.at(0) });
    const entry = order({ ...terms, side: 'buy', price: btc.at(0) });
    const exits = [exit('tp', btc.at(1000)), exit('sl', btc.at(-1000))];
    const placed = succeeded(await act(alice, groupAction('normalTpsl', entry, ...exits)));
    const [parent, takeProfit, stopLoss] = placed.orders.map(({ oid }: Json) => oid);
    const user = alice.address;
    const api = await world.socket('/api-ws');
    await api.subscribe({ type: 'userHistoricalOrders', user });
    const first = await api.next(onChannel('userHistoricalOrders'));
    const rowOf = (rows: Json[]): Json => rows.find((row) => row.order.oid === parent);
    const before = rowOf(first.data.orderHistory);
    expect(before.status).toBe('filled');
    for (const [ended, statuses] of [
      [takeProfit, ['cancelled', 'open']],
      [stopLoss, ['cancelled', 'cancelled']],
    ]) {
      const from = api.frames.length;
      succeeded(await alice.cancel({ a: btc.id, o: ended }));
      const { data } = await api.next(onChannel('userHistoricalOrders'), from);
      const [child, again] = data.orderHistory;
      expect(data.orderHistory).toEqual([child, again]);
      expect(child).toMatchObject({ order: { oid: ended }, status: 'cancelled' });
      const { children } = again.order;
      // The parent's status and time are unchanged.
      expect(again).toEqual({ ...before, order: { ...before.order, children } });
      expect(children.map(({ status }: Json) => status)).toEqual(statuses);
      expect(children).toContainEqual(child.order);
      expect(rowOf(await world.client.data({ type: 'historicalOrders', user }))).toEqual(again);
    }
  });
});

describe('userNonFundingLedgerUpdates and userFundings stream ledger rows', () => {
  test("each account's ledger continues after its snapshot", async () => {
    const alice = await world.trader('alice');
    const user = alice.address;
    const type = 'userNonFundingLedgerUpdates';
    const api = await world.socket('/api-ws');
    await api.subscribe({ type, user });
    const { sub } = await api.subscribe({ type, user, accountTypes: ['outcome'] });
    succeeded(await tokenSend(alice, { to: user, amount: '50', into: 'outcome' }));
    const bob = await world.trader('bob');
    succeeded(await tokenSend(alice, { to: bob.address, amount: '5' }));
    await eventually(async () => {
      const asked = await world.client.data({ type, user });
      expect(asked.length).toBeGreaterThan(1);
      const all = api.of(type).filter((each) => each.sub !== sub);
      const rows = all.flatMap(({ data }) => data.nonFundingLedgerUpdates);
      expect(rows.toReversed()).toEqual(asked);
    });
    const outcome = await world.client.data({ type, user, accountTypes: ['outcome'] });
    const own = api.of(type).filter((each) => each.sub === sub);
    expect(own.flatMap(({ data }) => data.nonFundingLedgerUpdates).toReversed()).toEqual(outcome);
    expect(own[0].data.nonFundingLedgerUpdates).toEqual([]);
  });

  test('userFundings starts with a list, which may be empty', async () => {
    const alice = await world.trader('alice');
    const ws = await world.socket();
    await ws.subscribe({ type: 'userFundings', user: alice.address });
    const { data, height } = await ws.next(onChannel('userFundings'));
    expect(data).toEqual({ user: alice.address, isSnapshot: true, fundings: [] });
    expect(height).toBeGreaterThan(0);
  });
});

describe('a history stream answers every request', () => {
  test('answers come in the order of the requests, except for pongs', async () => {
    const alice = await world.trader('alice');
    const user = alice.address;
    const api = await world.socket('/api-ws');
    const types = ['userFills', 'userHistoricalOrders', 'userNonFundingLedgerUpdates'];
    for (const type of types) api.send({ method: 'subscribe', subscription: { type, user } });
    api.send({ method: 'subscribe', subscription: { type: 'userFills', user } });
    api.send({ method: 'subscribe', subscription: { type: 'tickers' } });
    api.send({ method: 'unsubscribe', subscription: { type: 'userFills', user } });
    const isLast = (frame: Json) => frame.data?.method === 'unsubscribe';
    await api.next(isLast);
    const received = api.frames
      .filter(({ channel }) => channel === 'subscriptionResponse' || channel === 'error')
      .map(({ data }) => data.code ?? data.subscription.type);
    expect(received).toEqual([...types, 'ALREADY_SUBSCRIBED', 'tickers', 'userFills']);
  });

  test.each([
    ['userFills', {}],
    ['userFills', { user: '0x12' }],
    ['userFills', { user: ZERO, accountType: ['spot'] }],
    ['userHistoricalOrders', { user: ZERO, accountType: [] }],
    ['userNonFundingLedgerUpdates', { user: ZERO, accountTypes: 'all' }],
  ])('history streams reject %s with %j', async (type, params) => {
    const api = await world.socket('/api-ws');
    const refused = api.subscribe({ type, ...params });
    await expect(refused).rejects.toThrow('INVALID_PARAMS');
  });

  test('an agent has no history', async () => {
    const [alice, bob] = [await world.trader('alice'), await world.trader('bob')];
    const agent = world.unfunded('agent');
    succeeded(await alice.approveAgent(agent.address, 'desk'));
    await trade(alice, bob);
    const api = await world.socket('/api-ws');
    await api.subscribe({ type: 'userFills', user: agent.address });
    expect((await api.next(onChannel('userFills'))).data.fills).toEqual([]);
  });
});

describe('the explorer streams blocks and requests', () => {
  test('the explorer stream sends every block in order', async () => {
    const ws = await world.socket();
    await ws.subscribe({ type: 'explorerBlock' });
    expect(ws.of('explorerBlock')).toEqual([]);
    const alice = await world.trader('alice');
    const reply = await alice.place(farBid(world.btc));
    const isOfOrder = (frame: Json) =>
      frame.channel === 'explorerBlock' && frame.data[0].height === reply.json.height;
    const frame = await ws.next(isOfOrder);
    expectShape(
      frame.data,
      listOf(
        record({
          height: integer,
          blockTime: time,
          hash,
          proposer: exactly(ZERO),
          numTxs: integer,
        }),
      ),
    );
    expect(frame.data[0].numTxs).toBeGreaterThan(0);
    const frames = ws.of('explorerBlock');
    expectUnbroken(frames);
    const heights = frames.map(({ data }) => data[0].height);
    expect(heights).toEqual(heights.map((_, index) => heights[0] + index));
    const block = await world.client.data({ type: 'block', height: reply.json.height });
    const { parentHash: _, stateHash: __, txs: ___, ...shown } = block;
    expect(shown).toEqual(frame.data[0]);
  });

  test('the explorer stream sends every request without its content, but with its reject reason', async () => {
    const ws = await world.socket();
    await ws.subscribe({ type: 'explorerTxs' });
    const alice = await world.trader('alice');
    const signed = await alice.sign({
      type: 'order',
      grouping: 'na',
      orders: [farBid(world.btc)],
    });
    const good = await world.client.executed(signed);
    const received = (txHash: string) => (frame: Json) =>
      frame.channel === 'explorerTxs' && frame.data.some((tx: Json) => tx.hash === txHash);
    const { data } = await ws.next(received(signed.txHash));
    const tx = data.find((each: Json) => each.hash === signed.txHash);
    expect(tx).toEqual({
      hash: signed.txHash,
      time: expect.any(Number),
      user: alice.address,
      action: { type: 'order' },
      block: good.json.height,
      error: null,
    });
    const block = await world.client.data({ type: 'block', height: good.json.height });
    expect(block.txs).toContainEqual(tx);
  });

  test('the explorer stream sends the reject reason of an order that fails in its block', async () => {
    const ws = await world.socket();
    await ws.subscribe({ type: 'explorerTxs' });
    const [alice, bob] = [await world.trader('alice'), await world.trader('bob')];
    const { btc } = world;
    await bob.placed({ market: btc, side: 'sell', price: btc.at(0), size: btc.worth(20) });
    const alo = order({
      market: btc,
      side: 'buy',
      price: btc.at(0),
      size: btc.worth(20),
      tif: 'Alo',
    });
    const signed = await alice.sign({ type: 'order', grouping: 'na', orders: [alo] });
    const reply = await world.client.executed(signed);
    const status = reply.json.data?.data.statuses[0];
    expect(status?.error, reply.text).toEqual(expect.any(String));
    const { data } = await ws.next(
      ({ channel, data: txs }) =>
        channel === 'explorerTxs' && txs.some((tx: Json) => tx.hash === signed.txHash),
    );
    const tx = data.find((each: Json) => each.hash === signed.txHash);
    expect(tx.error).toBe(status.error);
  });
});

describe('a history stream survives a restart', () => {
  test('after a restart, a client gets a resync and a new snapshot', async () => {
    const [alice, bob] = [await world.resident('alice'), await world.resident('bob')];
    await trade(alice, bob);
    const subscription = { type: 'userFills', user: alice.address };
    const before = await world.socket('/api-ws');
    const { epoch, seq } = await before.subscribe(subscription);
    const shown = await before.next(onChannel('userFills'));
    const explorer = await world.socket();
    const block = await explorer.subscribe({ type: 'explorerBlock' });
    await world.venue.kill();
    await world.venue.startAgain();
    const after = await world.socket('/api-ws');
    await after.subscribe(subscription, { epoch, seq });
    const resync = await after.next(onChannel('resync'));
    expect(resync.data.reason).toBe('epoch');
    const again = await after.next(onChannel('userFills'));
    expect(again.data).toEqual(shown.data);
    expect(again.seq).toBe(resync.data.seq);
    const ws = await world.socket();
    await ws.subscribe({ type: 'explorerBlock' }, block);
    const tail = await ws.next(onChannel('explorerBlock'));
    expect(tail.isSnapshot).toBe(true);
    expect(tail.data.length).toBeGreaterThan(0);
  });
});
