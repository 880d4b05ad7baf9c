import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { traceId } from '@oddlot/protocol';
import {
  approveAgentAction,
  orderAction,
  signed,
  testKey,
} from '@oddlot/testing/venue/http/client';
import { startEdge, type TestEdge } from '@oddlot/testing/venue/http/test-edge';

const alice = testKey(1);
const agent = testKey(3);
let edge: TestEdge;
let nonce = 0;

beforeEach(async () => {
  edge = await startEdge({ trustedProxies: ['127.0.0.1'] });
  edge.replica.credit(alice.address);
  nonce = edge.replica.nowMs;
});
afterEach(() => edge.close());

const info = (query: object) => edge.send('/info', query);
const order = (change = {}) =>
  edge.send(
    '/exchange',
    signed(orderAction(change), { key: alice, nonce: ++nonce, confirm: 'executed' }),
  );

describe('queries are dispatched by type', () => {
  test('a state query gets a response', async () => {
    const reply = await info({ type: 'perpMeta' });
    expect(reply.json).toMatchObject({ success: true, code: 0 });
    expect(reply.json.data.universe).toMatchObject([{ name: 'BTC-USDC', index: 1 }]);
  });

  test.each(['nonsense', '__proto__'])(
    'a query of the unknown type %s gets a 403',
    async (type) => {
      const reply = await info({ type, user: alice.address });
      expect(reply).toMatchObject({
        status: 403,
        json: { success: false, code: 10001, message: 'This action is not allowed.' },
      });
      expect(reply.json).not.toHaveProperty('data');
    },
  );

  test('a malformed query gets a 400, and a business error a 200', async () => {
    expect(await info({})).toMatchObject({ status: 400, json: { message: 'Missing field: type' } });
    expect(await info({ type: 'clearinghouseState', user: 'x' })).toMatchObject({
      status: 400,
      json: { success: false, code: 10002, message: 'Wrong type for user' },
    });
    expect(await info({ type: 'l2Book', coin: '77' })).toMatchObject({
      status: 200,
      json: { success: false, code: 10404, message: 'Instrument not found' },
    });
  });

  test("a query for an agent's address gets a warning", async () => {
    const action = approveAgentAction(++nonce, agent.address);
    await edge.send('/exchange', signed(action, { key: alice, nonce }));
    const reply = await info({ type: 'clearinghouseState', user: agent.address });
    expect(reply.json.warnings).toMatchObject([
      { code: 'AGENT_ADDRESS', details: { agent: agent.address, owner: alice.address } },
    ]);
  });
});

describe('the actionStatus query returns the status of an action', () => {
  test('the status of an action that the venue never received is unknown', async () => {
    const reply = await info({ type: 'actionStatus', txHash: `0x${'1'.repeat(64)}` });
    expect(reply.json).toEqual({
      success: true,
      code: 0,
      data: {
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
      },
    });
  });

  test('an executed action is found by each of its identifiers', async () => {
    const { txHash, height } = (await order()).json;
    const { head } = edge.replica;
    const expected = {
      status: 'executed',
      txHash,
      traceId: traceId(txHash),
      signer: alice.address,
      user: alice.address,
      nonce,
      actionType: 'order',
      block: { height, time: head.timeMs, hash: head.hash },
      result: {
        type: 'PlaceOrder',
        statuses: ['success'],
        orders: [
          { i: 0, oid: 1, cloid: null, state: 'open', filledSz: '0', avgPx: null, error: null },
        ],
      },
      error: null,
    };
    for (const name of [
      { txHash },
      { traceId: traceId(txHash) },
      { signer: alice.address, nonce },
    ]) {
      expect((await info({ type: 'actionStatus', ...name })).json.data).toEqual(expected);
    }
  });

  test('the status of an action is failed if one of its entries failed', async () => {
    const cancel = { type: 'cancel', cancels: [{ a: 1, o: 9 }] };
    const confirm = 'executed' as const;
    await edge.send('/exchange', signed(cancel, { key: alice, nonce: ++nonce, confirm }));
    const { data } = (await info({ type: 'actionStatus', signer: alice.address, nonce })).json;
    expect(data).toMatchObject({
      status: 'failed',
      error: { code: 10011, name: 'ORDER', details: { got: 9 } },
      result: { type: 'CancelOrder', statuses: [{ code: 10011 }] },
    });
  });

  test('the status of an action that is waiting for its block is pending', async () => {
    const release = edge.replica.hold();
    const sent = order();
    while (edge.replica.proposed === 0) await sleep(1);
    const query = { type: 'actionStatus', signer: alice.address, nonce };
    const { data } = (await info(query)).json;
    expect(data).toMatchObject({ status: 'pending', user: alice.address, block: null });
    const byTrace = await info({ type: 'actionStatus', traceId: data.traceId });
    expect(byTrace.json.data).toEqual(data);
    release();
    await sent;
    expect((await info(query)).json.data.status).toBe('executed');
  });
});

describe("the stateHash query returns the hash of a block's state", () => {
  test('stateHash returns the hashes of the newest block and of earlier ones', async () => {
    await order();
    const { height, timeMs, stateHash } = edge.replica.head;
    const newest = { height, blockTime: timeMs, stateHash };
    expect((await info({ type: 'stateHash' })).json.data).toEqual(newest);
    await order();
    expect((await info({ type: 'stateHash', height })).json.data).toEqual(newest);
    const unknown = await info({ type: 'stateHash', height: height + 9 });
    expect(unknown).toMatchObject({
      status: 200,
      json: { code: 10404, message: 'Block not found' },
    });
  });
});

test('rateLimit returns the remaining budgets', async () => {
  const { json } = await info({ type: 'rateLimit' });
  expect(json.data).toEqual({
    ip: '127.0.0.1',
    time: edge.replica.nowMs,
    info: { limit: 50, windowMs: 1000, remaining: 50, resetMs: 0 },
    exchange: { limit: 10, windowMs: 1000, remaining: 10, resetMs: 0 },
    explainSignature: { limit: 5, windowMs: 1000, remaining: 5, resetMs: 0 },
    simulate: { limit: 10, windowMs: 1000, remaining: 10, resetMs: 0 },
    ws: { limit: 10, open: 0 },
    apiWs: { limit: 10, open: 0 },
    wsRtds: { limit: 10, open: 0 },
    faucetNextTime: null,
  });
});

describe('the /account-status endpoint reports whether an address can trade', () => {
  test.each(['/account-status', '/account'])(
    '%s returns whether an address may trade',
    async (path) => {
      const user = alice.address;
      const upper = `0x${user.slice(2).toUpperCase()}`;
      const known = await edge.send(path, { type: 'accountStatus', user: upper });
      const status = { user, channel: 0, exists: true, checked: true, eligible: true };
      expect(known.json).toEqual({ success: true, code: 0, data: status });
      const outcome = await edge.send(path, { type: 'accountStatus', user, channel: 1 });
      expect(outcome.json.data).toEqual({ ...status, channel: 1 });
      const odd = await edge.send(path, { type: 'accountStatus', user, channel: 7 });
      expect(odd.json.data).toMatchObject({ eligible: false, reason: 'Unknown channel' });
      const reply = await edge.send(path, { type: 'accountStatus', user: agent.address });
      expect(reply.json.data).toMatchObject({
        exists: false,
        eligible: false,
        reason: 'No trading account found',
      });
      const malformed = await edge.send(path, { type: 'accountStatus', user: '0x1' });
      expect(malformed).toMatchObject({ status: 400, json: { success: false, code: 10002 } });
    },
  );
});

describe('the /request-fund endpoint pays test funds', () => {
  const HOUR = 3_600_000;
  const from = (ip: string) => ({ headers: { 'x-forwarded-for': ip } });
  const user = (byte: number) => testKey(byte).address;

  test('the faucet pays each address at most once per hour', async () => {
    const reply = await edge.send('/request-fund', { user: user(7) });
    const { head } = edge.replica;
    expect(reply.json).toEqual({
      success: true,
      code: 0,
      data: {
        user: user(7),
        amount: '1000',
        token: 'USDC',
        txHash: head.hash,
        nextRequestTime: head.timeMs + HOUR,
      },
    });
    edge.replica.nowMs += 1000;
    const again = await edge.send('/request-fund', { user: user(7) });
    expect(again).toMatchObject({
      status: 429,
      headers: { 'retry-after': '3599' },
      json: { success: false, code: 10000, message: 'Faucet limit reached' },
    });
    expect((await edge.send('/request-fund', { user: user(8) })).status).toBe(200);
    edge.replica.nowMs += HOUR - 1000;
    expect((await edge.send('/request-fund', { user: user(7) })).status).toBe(200);
  });

  test('the faucet pays each remote client at most once per hour', async () => {
    const client = from('5.6.7.8');
    expect((await edge.send('/request-fund', { user: user(7) }, client)).status).toBe(200);
    expect((await edge.send('/request-fund', { user: user(8) }, client)).status).toBe(429);
    const other = await edge.send('/request-fund', { user: user(8) }, from('5.6.7.9'));
    expect(other.status).toBe(200);
    const limits = await edge.send('/info', { type: 'rateLimit' }, client);
    expect(limits.json.data.faucetNextTime).toBe(edge.replica.nowMs + HOUR);
  });

  test('of several concurrent faucet requests for the same address, only one is paid', async () => {
    const replies = await Promise.all(
      [1, 2, 3].map(() => edge.send('/request-fund', { user: user(7), accountType: 'outcome' })),
    );
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 429, 429]);
  });

  test('behind an untrusted local proxy, all clients count as one', async () => {
    const untrusted = await startEdge();
    const fund = (byte: number, headers: Record<string, string>) =>
      untrusted.send('/request-fund', { user: user(byte) }, { headers });
    expect((await fund(1, { 'x-forwarded-for': '5.6.7.8' })).status).toBe(200);
    expect((await fund(2, { 'x-forwarded-for': '5.6.7.9' })).status).toBe(429);
    expect((await fund(3, { forwarded: 'for=5.6.7.9' })).status).toBe(429);
    // The limit does not apply to local clients.
    expect((await fund(4, {})).status).toBe(200);
    expect((await fund(5, {})).status).toBe(200);
    expect(untrusted.errors.join('')).toContain('trustedProxies');
    await untrusted.close();
  });

  test('the addresses of one IPv6 network count as one client', async () => {
    const fund = (byte: number, ip: string) =>
      edge.send('/request-fund', { user: user(byte) }, { headers: { 'x-forwarded-for': ip } });
    expect((await fund(11, '2001:db8::1')).status).toBe(200);
    expect((await fund(12, '2001:db8::2')).status).toBe(429);
    expect((await fund(13, '2001:db8:0:1::2')).status).toBe(200);
  });

  test('a faucet request with a malformed address gets a 400', async () => {
    expect(await edge.send('/request-fund', { user: 'x' })).toMatchObject({ status: 400 });
  });
});
