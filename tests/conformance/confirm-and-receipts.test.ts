import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Actor, aVenue, fund, order, orderAction } from '../support/actors.ts';
import { Client, eventually, type Json } from '../support/client.ts';
import { readMarket, type Market } from '../support/market.ts';
import {
  expectShape,
  exactly,
  hash,
  integer,
  listOf,
  nullable,
  orderResult,
  record,
  text,
  time,
  uuid,
} from '../support/shape.ts';
import { FIXED_PRICE_FLAGS, Venue } from '../support/venue-process.ts';
import { keyOf, nextNonce, signApproveAgent, type Signed } from '../support/wallet.ts';

const world = aVenue();

const receipt = record({
  status: exactly('executed', 'failed'),
  txHash: hash,
  traceId: uuid,
  signer: text,
  user: text,
  nonce: integer,
  actionType: text,
  block: record({ height: integer, time, hash }),
  result: nullable(record({ type: text, statuses: listOf(() => []) })),
  error: nullable(record({ code: integer, name: text, message: text })),
});

function restingAction(market: Market = world.btc, steps = 0) {
  const price = market.ticks(market.at(-2000), -steps);
  return orderAction(order({ market, side: 'buy', price, size: market.worth(20) }));
}

async function statusOf(client: Client, names: object): Promise<Json> {
  return client.data({ type: 'actionStatus', ...names });
}

describe("confirm: executed waits for the action's result", () => {
  test('the reply includes the hash, the height and the state of each order', async () => {
    const alice = await world.trader('alice');
    const signed = await alice.sign(restingAction());
    const reply = await world.client.executed(signed);
    expect(reply.status).toBe(200);
    expect(reply.json).toMatchObject({
      status: 'ok',
      code: 0,
      confirm: 'executed',
      txHash: signed.txHash,
      height: expect.any(Number),
      data: { type: 'PlaceOrder', data: { statuses: ['success'] } },
    });
    expectShape(reply.json.data.data.orders, listOf(orderResult));
    expect(reply.json).not.toHaveProperty('traceId');
  });

  test('queries see the effect as soon as the reply arrives', async () => {
    const alice = await world.trader('alice');
    for (let count = 1; count <= 5; count++) {
      await world.client.executed(await alice.sign(restingAction(world.btc, count)));
      expect(await alice.openOrders()).toHaveLength(count);
    }
  });

  test('confirm is not part of the signed data', async () => {
    const alice = await world.trader('alice');
    const signed = await alice.sign(restingAction());
    const plain = await world.client.exchange(signed);
    const confirmed = await world.client.executed(signed);
    expect(plain.json).toMatchObject({ status: 'ok' });
    expect(confirmed.json).toMatchObject({ status: 'ok', txHash: signed.txHash });
    expect(await alice.openOrders()).toHaveLength(1);
  });

  test('the reply to an approval has no orders', async () => {
    const alice = await world.trader('alice');
    const reply = await alice.approveAgent(world.unfunded('agent').address);
    expect(reply.json).toMatchObject({
      confirm: 'executed',
      data: { type: 'ApproveAgent', data: { statuses: ['success'] } },
    });
    expect(reply.json.data.data).not.toHaveProperty('orders');
  });
});

describe('actionStatus returns the receipt of an action', () => {
  test('actionStatus finds a receipt by hash, by trace id, and by signer and nonce', async () => {
    const alice = await world.trader('alice');
    const signed = await alice.sign(restingAction());
    const reply = await world.client.executed(signed);
    const byHash = await statusOf(world.client, { txHash: signed.txHash });
    expectShape(byHash, receipt);
    expect(byHash).toMatchObject({
      status: 'executed',
      txHash: signed.txHash,
      traceId: signed.traceId,
      signer: alice.address,
      user: alice.address,
      nonce: signed.envelope.nonce,
      actionType: 'order',
      block: { height: reply.json.height },
      result: {
        type: 'PlaceOrder',
        statuses: ['success'],
        orders: reply.json.data.data.orders,
      },
      error: null,
    });
    const others = [
      { traceId: signed.traceId },
      { signer: alice.address, nonce: signed.envelope.nonce },
      { txHash: signed.txHash.toUpperCase().replace('0X', '0x') },
    ];
    for (const names of others) expect(await statusOf(world.client, names)).toEqual(byHash);
  });

  test("the receipt for an agent's action names the signer and the account", async () => {
    const alice = await world.trader('alice');
    const agent = world.unfunded('agent');
    await alice.approveAgent(agent.address);
    const signed = await agent.sign(restingAction());
    await world.client.executed(signed);
    const found = await statusOf(world.client, { txHash: signed.txHash });
    expect(found).toMatchObject({ signer: agent.address, user: alice.address });
  });

  test('actionStatus finds the receipt for an unconfirmed action', async () => {
    const alice = await world.trader('alice');
    const signed = await alice.sign(restingAction());
    await world.client.exchange(signed);
    await eventually(async () => {
      const found = await statusOf(world.client, { txHash: signed.txHash });
      expect(found.status).toBe('executed');
    });
  });

  test('actionStatus returns a failed execution together with its error', async () => {
    const alice = await world.trader('alice');
    const reply = await alice.cancel({ a: world.btc.id, o: 424_242_424 });
    const message = `Order was never placed, already canceled, or filled. asset=${world.btc.id}`;
    expect(reply.json.data.data.statuses).toMatchObject([{ error: message, code: 10011 }]);
    const found = await statusOf(world.client, { txHash: reply.json.txHash });
    expectShape(found, receipt);
    expect(found).toMatchObject({
      status: 'failed',
      error: { code: 10011, name: 'ORDER', message },
    });
  });

  test('actionStatus returns status unknown and null fields for a request it does not know', async () => {
    const nobody = world.unfunded('nobody').address;
    const never = {
      status: 'unknown',
      txHash: null,
      traceId: null,
      signer: null,
      user: null,
      nonce: null,
      actionType: null,
      block: null,
      result: null,
      error: null,
    };
    for (const names of [
      { txHash: `0x${'12'.repeat(32)}` },
      { traceId: '12121212-1212-4212-9212-121212121212' },
      { signer: nobody, nonce: 1_700_000_000_000 },
    ]) {
      expect(await statusOf(world.client, names)).toMatchObject(never);
    }
  });

  test('a request rejected before consensus has no receipt', async () => {
    const alice = await world.trader('alice');
    const bad = order({ market: world.btc, side: 'buy', price: '1', size: world.btc.worth(20) });
    const signed = await alice.sign(orderAction(bad));
    expect((await world.client.executed(signed)).json).toMatchObject({ status: 'err' });
    const found = await statusOf(world.client, { txHash: signed.txHash });
    expect(found.status).toBe('unknown');
  });
});

describe('R-tx: a repeated request is executed once', () => {
  async function expectSameReceipt(signed: Signed, first: Json): Promise<void> {
    const { json } = await world.client.executed(signed);
    const { warnings: _fresh, ...again } = json;
    const { warnings: _old, ...before } = first;
    expect(again).toEqual(before);
  }

  test('a repeated request is answered from the first receipt and does not execute again', async () => {
    const alice = await world.trader('alice');
    const signed = await alice.sign(restingAction());
    const { json } = await world.client.executed(signed);
    for (let count = 0; count < 3; count++) await expectSameReceipt(signed, json);
    const plain = await world.client.exchange(signed);
    expect(plain.json).toMatchObject({ status: 'ok', data: { data: { statuses: ['success'] } } });
    expect(await alice.openOrders()).toHaveLength(1);
  });

  test('a repeated request gets the first answer even after the order was cancelled or filled', async () => {
    const alice = await world.trader('alice');
    const signed = await alice.sign(restingAction());
    const { json } = await world.client.executed(signed);
    const [{ oid }] = json.data.data.orders;
    await alice.cancel({ a: world.btc.id, o: oid });
    await expectSameReceipt(signed, json);
    expect(await alice.openOrders()).toEqual([]);
  });

  test('a repeated request gets the first answer even after a failed execution', async () => {
    const alice = await world.trader('alice');
    const signed = await alice.sign({ type: 'cancel', cancels: [{ a: world.btc.id, o: 3 }] });
    const { json } = await world.client.executed(signed);
    expect(json.data.data.statuses[0].error).toMatch(/^Order was never placed/);
    await expectSameReceipt(signed, json);
  });

  test('twenty concurrent copies create one order and all get the same answer', async () => {
    const alice = await world.trader('alice');
    const signed = await alice.sign(restingAction());
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => world.client.executed(signed)),
    );
    for (const { json } of replies) expect(json).toEqual(replies[0]!.json);
    expect(await alice.openOrders()).toHaveLength(1);
  });

  test("an agent's repeated request gets its first answer even after the agent is revoked", async () => {
    const alice = await world.trader('alice');
    const agent = world.unfunded('agent');
    await alice.approveAgent(agent.address);
    const signed = await agent.sign(restingAction());
    const { json } = await world.client.executed(signed);
    await alice.revokeAgent();
    await expectSameReceipt(signed, json);
    expect(await alice.openOrders()).toHaveLength(1);
  });

  test('an approval sent twice takes effect once', async () => {
    const alice = await world.trader('alice');
    const agentAddress = world.unfunded('agent').address;
    const signed = await signApproveAgent(alice.key, { agentAddress, nonce: nextNonce() });
    const { json } = await world.client.executed(signed);
    await expectSameReceipt(signed, json);
    expect(await alice.agents()).toHaveLength(1);
  });

  test.each(['stop', 'kill'] as const)(
    'the first answer survives a %s of the venue',
    async (how) => {
      const alice = await world.trader('alice');
      const signed = await alice.sign(restingAction());
      const { json } = await world.client.executed(signed);
      const before = await statusOf(world.client, { txHash: signed.txHash });
      await world.venue[how]();
      await world.venue.startAgain();
      expect(await statusOf(world.client, { txHash: signed.txHash })).toEqual(before);
      expect(await statusOf(world.client, { traceId: signed.traceId })).toEqual(before);
      await expectSameReceipt(signed, json);
      expect(await alice.openOrders()).toHaveLength(1);
      const reused = await alice.sign(restingAction(world.btc, 9), {
        nonce: signed.envelope.nonce,
      });
      expect((await world.client.executed(reused)).json).toMatchObject({
        status: 'err',
        code: 10004,
        message: 'Nonce already used',
      });
    },
  );
});

describe('an action outlasts the confirm timeout on a slow disk', () => {
  const SYNC_MS = 700;
  const CONVERGE_MS_MAX = 150;
  let slow: Venue;
  let client: Client;
  let btc: Market;
  let alice: Actor;

  beforeAll(async () => {
    slow = await Venue.start([
      ...FIXED_PRICE_FLAGS,
      '--fault',
      `slow-sync:${SYNC_MS}`,
      '--confirm-timeout-ms',
      String(CONVERGE_MS_MAX),
    ]);
    client = new Client(slow.url);
    alice = new Actor('alice', keyOf('alice of the slow disk'), () => client);
    await fund(client, alice.address);
    btc = await eventually(() => readMarket(client, 'BTC-USDC', alice.address));
  });
  afterAll(async () => slow?.remove());

  test('the reply is a 202 with the hash, and the receipt stays pending until execution', async () => {
    const signed = await alice.sign(restingAction(btc));
    const reply = await client.executed(signed);
    expect(reply.status, reply.text).toBe(202);
    expect(reply.json).toMatchObject({ status: 'pending', txHash: signed.txHash });
    const early = await statusOf(client, { txHash: signed.txHash });
    expect(['pending', 'executed']).toContain(early.status);
    const settled = await eventually(async () => {
      const found = await statusOf(client, { txHash: signed.txHash });
      expect(found.status).toBe('executed');
      return found;
    });
    expect(settled.result).toMatchObject({ type: 'PlaceOrder', statuses: ['success'] });
    expect(await alice.openOrders()).toHaveLength(1);
  });

  test('a repeated request waits for the first one and is not executed again', async () => {
    const before = (await alice.openOrders()).length;
    const signed = await alice.sign(restingAction(btc, 1));
    expect((await client.executed(signed)).status).toBe(202);
    const confirmed = await eventually(async () => {
      const reply = await client.executed(signed);
      expect(reply.status, reply.text).toBe(200);
      return reply.json;
    });
    expect(confirmed).toMatchObject({
      confirm: 'executed',
      txHash: signed.txHash,
      data: { data: { statuses: ['success'] } },
    });
    expect(await alice.openOrders()).toHaveLength(before + 1);
  });

  test('the venue acknowledges an action only after it is on disk', async () => {
    const signed = await alice.sign(restingAction(btc, 2));
    const start = performance.now();
    const reply = await client.exchange(signed);
    expect(reply.json, reply.text).toMatchObject({ status: 'ok' });
    expect(performance.now() - start).toBeGreaterThan(SYNC_MS * 0.9);
    await slow.kill();
    await slow.startAgain(FIXED_PRICE_FLAGS);
    client = new Client(slow.url);
    const found = await statusOf(client, { txHash: signed.txHash });
    expect(found.status).toBe('executed');
  });
});
