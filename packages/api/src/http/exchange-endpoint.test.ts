import { NETWORKS } from '@oddlot/protocol';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  approveAgentAction,
  orderAction,
  signed,
  testKey,
} from '@oddlot/testing/venue/http/client';
import type { SignOptions, TestKey, TestOrder } from '@oddlot/testing/venue/http/client';
import { startEdge, type TestEdge } from '@oddlot/testing/venue/http/test-edge';

const alice = testKey(1);
const bob = testKey(2);
const agent = testKey(3);
const otherKey = testKey(9);
const OK_ORDER =
  '{"status":"ok","code":0,"data":{"type":"PlaceOrder","data":{"statuses":["success"]}}}';

let edge: TestEdge;
let nonce = 0;

beforeEach(async () => {
  edge = await startEdge({ confirmTimeoutMs: 300 });
  edge.replica.credit(alice.address);
  edge.replica.credit(bob.address);
  nonce = edge.replica.nowMs;
});
afterEach(() => edge.close());

type Sign = Partial<SignOptions>;
const sign = (action: Record<string, unknown>, options: Sign = {}) =>
  signed(action, { key: alice, nonce: ++nonce, ...options });
const send = (action: Record<string, unknown>, options: Sign = {}) =>
  edge.send('/exchange', sign(action, options));
const confirmed = (action: Record<string, unknown>, options: Sign = {}) =>
  send(action, { confirm: 'executed', ...options });
const place = (...orders: TestOrder[]) => confirmed(orderAction(...orders));
const sell = (key: TestKey, ...orders: TestOrder[]) =>
  confirmed(orderAction(...orders.map((order) => ({ b: false, ...order }))), { key });

describe('the order action places orders', () => {
  test('an order without confirm is acknowledged without its result', async () => {
    const reply = await send(orderAction());
    expect(reply.status).toBe(200);
    expect(reply.text).toBe(OK_ORDER);
  });

  test('an order with confirm gets its result', async () => {
    const reply = await place({ c: `0x${'ab'.repeat(16)}` });
    expect(reply.json).toEqual({
      status: 'ok',
      code: 0,
      confirm: 'executed',
      txHash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
      height: edge.replica.head.height,
      data: {
        type: 'PlaceOrder',
        data: {
          statuses: ['success'],
          orders: [
            {
              i: 0,
              oid: 1,
              cloid: `0x${'ab'.repeat(16)}`,
              state: 'open',
              filledSz: '0',
              avgPx: null,
              error: null,
            },
          ],
        },
      },
    });
  });

  test('fills are reported with their size and average price', async () => {
    await sell(bob, { p: '100', s: '0.2' }, { p: '100.5', s: '0.3' });
    const reply = await place({ p: '101', s: '0.6' });
    expect(reply.json.data.data.orders).toMatchObject([
      { i: 0, state: 'open', filledSz: '0.5', avgPx: '100.3', error: null },
    ]);
  });

  test('the response reports the first failed order, and the other orders are executed', async () => {
    await sell(bob, { p: '100', s: '0.2' });
    const alo = { t: { limit: { tif: 'Alo' } } };
    const reply = await place({ p: '99' }, { p: '100', ...alo }, { p: '98', ...alo });
    const error = 'Post only order would have immediately matched';
    expect(reply.json).toMatchObject({ status: 'ok', code: 0, confirm: 'executed' });
    expect(reply.json.data.data.statuses).toMatchObject([
      { error: `orders[1]: ${error}`, code: 10011, name: 'ORDER' },
    ]);
    expect(reply.json.data.data.orders).toMatchObject([
      { i: 0, state: 'open', error: null },
      { i: 1, state: 'rejected', error },
      { i: 2, state: 'open', error: null },
    ]);
    const single = await place({ p: '100', ...alo });
    expect(single.json.data.data.statuses[0].error).toBe(error);
  });

  test.each<[string, TestOrder, object]>([
    [
      'off tick',
      { p: '100.3' },
      {
        code: 10000,
        name: 'INVALID',
        message: 'Price precision does not match the tick size: 0.5',
        details: { field: 'orders[1].p', got: '100.3', nearest: ['100', '100.5'] },
      },
    ],
    [
      'finer than a price unit',
      { p: '100.00001' },
      { code: 10000, details: { got: '100.00001', nearest: ['100', '100.5'] } },
    ],
    [
      'off lot',
      { s: '0.500001' },
      {
        code: 10000,
        message: 'Size precision does not match the lot size: 0.00001',
        details: { field: 'orders[1].s', got: '0.500001', nearest: ['0.5', '0.50001'] },
      },
    ],
    ['too small', { s: '0' }, { code: 10000, message: 'Order size is below the minimum: 0.00001' }],
    [
      'too large',
      { s: '100.5' },
      {
        code: 10000,
        message: 'Order size exceeds the maximum: 100',
        details: { allowed: { max: '100' } },
      },
    ],
    ['not above zero', { p: '0' }, { code: 10000, message: 'Price is out of range' }],
    ['negative', { p: '-100' }, { code: 10000, message: 'Price is out of range' }],
    [
      'far from the oracle',
      { p: '190' },
      {
        code: 10000,
        message: 'Price is too far from the oracle',
        details: { allowed: { min: '20', max: '180' } },
      },
    ],
    [
      'worth too little',
      { s: '0.05' },
      {
        code: 10000,
        message: 'Order must have a minimum value of 10 USDC',
        details: { required: '10' },
      },
    ],
    [
      'expiring too soon',
      { t: { limit: { tif: 'Gtd', expireTime: 1 } } },
      {
        code: 10011,
        message: 'Expire time must be at least 5 s ahead',
        details: { field: 'orders[1].t.limit.expireTime' },
      },
    ],
    [
      'with a bad cloid',
      { c: 'x' },
      { code: 10011, message: 'Invalid cloid format', details: { field: 'orders[1].c' } },
    ],
    [
      'reducing nothing',
      { r: true },
      { code: 10011, message: 'Reduce only order would increase position' },
    ],
    [
      'of an unknown perp',
      { a: 77 },
      { code: 10404, message: 'Instrument not found', details: { field: 'orders[1].a', got: 77 } },
    ],
  ])('an order %s is rejected before the log', async (_, order, expected) => {
    const reply = await send(orderAction({}, order));
    expect(reply).toMatchObject({ status: 200, json: { status: 'err', ...expected } });
    expect(reply.json.details.docs).toMatch(/^\/docs\/errors#/);
    expect(edge.replica.proposed).toBe(0);
  });

  test('a margin error gives the required and the available amount', async () => {
    const poor = testKey(4);
    edge.replica.credit(poor.address, 5);
    const reply = await send(orderAction({ s: '10' }), { key: poor });
    expect(reply.json).toMatchObject({
      code: 10010,
      name: 'MARGIN',
      message: 'Insufficient margin',
      details: { required: expect.any(String) as string, available: '5' },
    });
  });

  test('an unknown action is rejected before its signer is recovered', async () => {
    const reply = await send({ type: 'nonsense' });
    expect(reply).toMatchObject({
      status: 200,
      json: {
        status: 'err',
        code: 10001,
        message: 'This action is not allowed.',
        details: { field: 'type' },
      },
    });
    expect(edge.counts.recovered).toBe(0);
  });

  test('orders on unknown markets or on two exchanges are rejected', async () => {
    expect((await send(orderAction({ a: 100_000, p: '0.5' }))).json).toMatchObject({ code: 10404 });
    expect((await send(orderAction({}, { a: 100_000, p: '0.5' }))).json).toMatchObject({
      code: 10000,
      message: 'Orders of one action must belong to one exchange',
    });
  });

  test('a dropped builder fee is reported in a warning', async () => {
    const action = { ...orderAction(), builder: { b: bob.address, f: 10 } };
    const warning = {
      code: 'BUILDER_FEE_DROPPED',
      message: expect.any(String) as string,
      details: { reason: 'notApproved', f: 10, allowed: 0 },
    };
    expect((await send(action)).json).toEqual({ ...JSON.parse(OK_ORDER), warnings: [warning] });
    expect((await confirmed(action)).json.warnings).toEqual([warning]);
  });

  test('a clamped market order and a clipped reduce-only order are reported in warnings', async () => {
    await sell(bob, { p: '100', s: '1' });
    const market = { t: { limit: { tif: 'FrontendMarket' } } };
    const reply = await place({ p: '150', s: '0.5', ...market });
    expect(reply.json.warnings).toMatchObject([
      { code: 'PRICE_CLAMPED', details: { i: 0, from: '150', to: '105' } },
    ]);
    const close = orderAction({ b: false, r: true, p: '101', s: '2' });
    const clipped = await confirmed(close);
    expect(clipped.json.warnings).toMatchObject([
      { code: 'REDUCE_ONLY_CLIPPED', details: { i: 0, from: '2', to: '0.5' } },
    ]);
  });
});

describe('the cancel actions cancel orders', () => {
  test('orders can be cancelled by order id and by client order id', async () => {
    const c = '01020304-0506-0708-090a-0b0c0d0e0f10';
    await place({}, { c });
    const byId = { type: 'cancel', cancels: [{ a: 1, o: 1 }] };
    expect((await confirmed(byId)).json.data).toMatchObject({
      type: 'CancelOrder',
      data: { statuses: ['success'], orders: [{ i: 0, oid: 1, state: 'cancelled' }] },
    });
    const byCloid = { type: 'cancelByCloid', cancels: [{ asset: 1, cloid: c }] };
    expect((await confirmed(byCloid)).json.data.data.orders).toMatchObject([{ oid: 2, cloid: c }]);
  });

  test('cancelling a missing order succeeds without confirm and fails with confirm', async () => {
    const notFound = 'Order was never placed, already canceled, or filled. asset=1';
    const cancel = { type: 'cancel', cancels: [{ a: 1, o: '77' }] };
    const plain = await send(cancel);
    expect(plain.json.data).toEqual({ type: 'CancelOrder', data: { statuses: ['success'] } });
    expect((await confirmed(cancel)).json.data.data.statuses).toMatchObject([
      { error: notFound, code: 10011 },
    ]);
    await place({});
    const two = {
      type: 'cancel',
      cancels: [
        { a: 1, o: 1 },
        { a: 1, o: 77 },
      ],
    };
    const { data } = (await confirmed(two)).json.data;
    expect(data.statuses[0].error).toBe(`cancels[1]: ${notFound}`);
    expect(data.orders).toMatchObject([
      { state: 'cancelled' },
      { state: 'rejected', error: notFound },
    ]);
  });

  test('cancelling by a malformed client order id is rejected', async () => {
    const cancel = { type: 'cancelByCloid', cancels: [{ asset: 1, cloid: 'x' }] };
    expect((await send(cancel)).json).toMatchObject({
      code: 10011,
      message: 'Invalid cloid format',
    });
  });

  test('a cancel with no entries or with more than 200 entries is rejected', async () => {
    const message = 'cancels must hold 1 to 200 entries';
    const cancels = Array.from({ length: 201 }, (_, o) => ({ a: 1, o }));
    for (const list of [[], cancels]) {
      const reply = await send({ type: 'cancel', cancels: list });
      expect(reply).toMatchObject({ status: 400, json: { status: 'err', code: 10002, message } });
    }
  });
});

describe('requests are accepted only from permitted signers', () => {
  test('the error for an unknown signer refers to the explainSignature query', async () => {
    const request = sign(orderAction(), { network: NETWORKS.mainnet });
    const reply = await edge.send('/exchange', request);
    expect(reply.json).toMatchObject({
      code: 10006,
      message: 'No trading account found. Please deposit first.',
      details: { why: expect.stringContaining('/info explainSignature') },
    });
    expect(reply.json.details.got).not.toBe(alice.address);
    const query = `{"type":"explainSignature","envelope":${request}}`;
    const explained = await edge.send('/info', query);
    expect(explained.json.data.match).toMatchObject({ signer: alice.address });
  });

  test('an agent acts for its owner only while it is approved', async () => {
    const before = await send(orderAction(), { key: agent });
    expect(before.json).toMatchObject({
      code: 10006,
      message: 'No trading account found. Please deposit first.',
      details: { got: agent.address },
    });
    const approved = await send(approveAgentAction(++nonce, agent.address), { nonce });
    expect(approved.json.data).toEqual({ type: 'ApproveAgent', data: { statuses: ['success'] } });
    expect((await send(orderAction(), { key: agent })).text).toBe(OK_ORDER);
    const zero = `0x${'0'.repeat(40)}`;
    expect((await send(approveAgentAction(++nonce, zero), { nonce })).status).toBe(200);
    expect((await send(orderAction(), { key: agent })).json).toMatchObject({
      code: 10003,
      message: `Authorization failed: Agent ${agent.address} is not authorized by any account`,
      details: { got: agent.address },
    });
  });

  test('approveAgent is rejected for an address without an account', async () => {
    const action = approveAgentAction(++nonce, agent.address);
    expect((await send(action, { key: otherKey, nonce })).json).toMatchObject({
      code: 10006,
      message: 'Please deposit first',
      details: { got: otherKey.address },
    });
  });

  test.each<[object, Sign, object]>([
    [
      { serviceNetwork: 'X' },
      {},
      { code: 10005, message: 'Network mismatch: expected Oddlot-Testnet, got X' },
    ],
    [{ chainId: 869 }, {}, { code: 10005, message: 'Chain ID mismatch: expected 2511, got 869' }],
    [{ apiVersion: 2 }, {}, { code: 10005, message: 'API version mismatch: expected 1, got 2' }],
    [{ nonce: 1 }, {}, { code: 10004, message: 'Action nonce does not match envelope nonce' }],
    [
      {},
      { vaultAddress: bob.address },
      { code: 10003, message: 'vaultAddress is not allowed for this action' },
    ],
    [
      {},
      { expiresAfter: 1 },
      { code: 10016, message: 'expiresAfter is not allowed for this action' },
    ],
    [{ agentAddress: alice.address }, {}, { code: 10008, message: 'Cannot approve self as agent' }],
    [
      { agentName: 'x'.repeat(65) },
      {},
      { code: 10008, message: 'Agent name length exceeds maximum of 64 characters' },
    ],
    [
      { agentAddress: `0x${'0'.repeat(40)}` },
      {},
      { code: 10008, message: 'Agent with this label does not exist' },
    ],
    [{ agentAddress: bob.address }, {}, { code: 10008, message: 'Agent address is already used' }],
  ])(
    'approveAgent is rejected with the fields %j and the options %j',
    async (change, options, expected) => {
      const action = { ...approveAgentAction(++nonce, agent.address), ...change };
      const reply = await send(action, { nonce, ...options });
      expect(reply).toMatchObject({ status: 200, json: { status: 'err', ...expected } });
    },
  );

  test('an order for an unregistered vault is rejected', async () => {
    expect((await send(orderAction(), { vaultAddress: bob.address })).json).toMatchObject({
      code: 10003,
      message: `Vault not registered: ${bob.address}`,
    });
  });

  test('a signature that recovers to no signer is rejected', async () => {
    const body = sign(orderAction()).replace(/"r":"0x[0-9a-f]+"/, '"r":"0x0"');
    expect((await edge.send('/exchange', body)).json).toMatchObject({
      status: 'err',
      code: 10003,
      message: 'Invalid signature',
    });
  });

  test('the strict parser rejects unusual spellings of numbers', async () => {
    const body = sign(orderAction()).replace('"a":1,', '"a":1.0,');
    const reply = await edge.send('/exchange', body);
    expect(reply).toMatchObject({ status: 400, json: { status: 'err', code: 10002 } });
    expect(reply.json.message).toBe('Not an integer: 1.0');
  });

  test('an action is accepted before its expiry and rejected after it', async () => {
    const expiresAfter = edge.replica.nowMs - 1;
    const reply = await send(orderAction(), { expiresAfter });
    const text = `Action expired: expiresAfter ${expiresAfter}, consensus time ${edge.replica.nowMs}`;
    expect(reply.json).toMatchObject({ code: 10016, message: text });
    expect((await send(orderAction(), { expiresAfter: expiresAfter + 1 })).text).toBe(OK_ORDER);
  });
});
