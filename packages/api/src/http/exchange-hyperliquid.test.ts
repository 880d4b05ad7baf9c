import type { ExchangeClient } from '@nktkas/hyperliquid';
import { markHyperliquid } from '@oddlot/protocol';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { orderAction, signed, testKey } from '@oddlot/testing/venue/http/client';
import { hyperliquidBody } from '@oddlot/testing/venue/http/hyperliquid';
import { startEdge, type TestEdge } from '@oddlot/testing/venue/http/test-edge';

const alice = testKey(1);
const agent = testKey(3);
const otherKey = testKey(9);

let edge: TestEdge;
let nonce = 0;

beforeEach(async () => {
  edge = await startEdge({ confirmTimeoutMs: 300 });
  edge.replica.credit(alice.address);
  nonce = edge.replica.nowMs;
});
afterEach(() => edge.close());

type Call = (client: ExchangeClient) => Promise<unknown>;
type Sender = { readonly key?: typeof alice; readonly isMainnet?: boolean };

const bodyOf = (call: Call, { key = alice, isMainnet = false }: Sender = {}) =>
  hyperliquidBody({ key, nonce: ++nonce, isMainnet }, call);
const send = async (call: Call, sender: Sender = {}) =>
  edge.send('/hyperliquid', await bodyOf(call, sender));
const cloid = `0x${'ab'.repeat(16)}` as const;
const limit = {
  a: 1,
  b: true,
  p: '100',
  s: '0.5',
  r: false,
  t: { limit: { tif: 'Gtc' } },
} as const;
const buy: Call = (client) => client.order({ orders: [{ ...limit, c: cloid }], grouping: 'na' });

const openOrders = async (user: string): Promise<unknown> =>
  (await edge.send('/info', { type: 'frontendOpenOrders', user })).json.data;
const why = ({ json }: Awaited<ReturnType<typeof send>>): string =>
  json.details?.why ?? json.message ?? '';

describe('requests from Hyperliquid clients are executed', () => {
  test('a Hyperliquid order is executed, and the reply includes its result', async () => {
    const { json } = await send(buy);
    expect(json).toMatchObject({ status: 'ok', confirm: 'executed' });
    expect(json.data.data.orders).toMatchObject([{ oid: 1, cloid, state: 'open' }]);
  });

  test('identical bytes get the first result, and a different request with a used nonce is rejected', async () => {
    const body = await bodyOf(buy);
    const first = await edge.send('/hyperliquid', body);
    const second = await edge.send('/hyperliquid', body);
    expect(second.json.txHash).toBe(first.json.txHash);
    expect(await openOrders(alice.address)).toHaveLength(1);
    nonce -= 1;
    const other = await send((client) => client.cancel({ cancels: [{ a: 1, o: 1 }] }));
    expect(other.json).toMatchObject({ status: 'err', name: 'BAD_NONCE' });
  });

  test('a Hyperliquid client cancels orders by order id and by client order id', async () => {
    await send(buy);
    const byId = await send((client) => client.cancel({ cancels: [{ a: 1, o: 1 }] }));
    expect(byId.json.data.data.orders).toMatchObject([{ oid: 1, state: 'cancelled' }]);
    await send(buy);
    const byCloid = await send((client) =>
      client.cancelByCloid({ cancels: [{ asset: 1, cloid }] }),
    );
    expect(byCloid.json.data.data.orders).toMatchObject([{ oid: 2, state: 'cancelled' }]);
  });

  test('a Hyperliquid client approves an agent, which then trades for the account', async () => {
    const approved = await send((client) =>
      client.approveAgent({ agentAddress: agent.address, agentName: 'bot' }),
    );
    expect(approved.json).toMatchObject({ status: 'ok' });
    const { json } = await send(buy, { key: agent });
    expect(json.data.data.orders).toMatchObject([{ state: 'open' }]);
    expect(await openOrders(alice.address)).toHaveLength(1);
  });

  test('usdSend transfers test funds to another account', async () => {
    const { json } = await send((client) =>
      client.usdSend({ destination: otherKey.address, amount: '5' }),
    );
    expect(json).toMatchObject({ status: 'ok', data: { type: 'TokenSend' } });
  });

  test('modify cancels the order and places a new one with a new id', async () => {
    await send(buy);
    const order = { ...limit, p: '99', s: '0.4', c: cloid };
    const one = await send((client) => client.modify({ oid: 1, order }));
    expect(one.json.data.data.orders).toMatchObject([{ oid: 2, cloid, state: 'open' }]);
    const modifies = [
      { oid: 77, order },
      { oid: cloid, order: { ...order, p: '98' } },
    ];
    const both = await send((client) => client.batchModify({ modifies }));
    expect(both.json.data.data.orders).toMatchObject([
      { state: 'rejected', error: expect.any(String) },
      { oid: 3, cloid, state: 'open' },
    ]);
    const none = await send((client) => client.modify({ oid: 77, order }));
    expect(none.json.status).toBe('err');
    expect(await openOrders(alice.address)).toMatchObject([{ oid: 3, limitPx: '98' }]);
  });

  test('updateLeverage sets the leverage and the margin mode together', async () => {
    const { json } = await send((client) =>
      client.updateLeverage({ asset: 1, isCross: false, leverage: 7 }),
    );
    expect(json).toMatchObject({ status: 'ok' });
    const query = { type: 'activeAssetData', user: alice.address, coin: '1' };
    const { data } = (await edge.send('/info', query)).json;
    expect(data).toMatchObject({ leverage: { type: 'Isolated', value: 7 } });
  });

  test('noop consumes its nonce and changes nothing', async () => {
    const { json } = await send((client) => client.noop());
    expect(json).toMatchObject({ status: 'ok' });
    nonce -= 1;
    expect((await send(buy)).json).toMatchObject({ status: 'err', name: 'BAD_NONCE' });
    expect(await openOrders(alice.address)).toEqual([]);
  });
});

test('the explorer shows the action and the signature of a Hyperliquid request as received', async () => {
  await send(buy);
  const body = await bodyOf((client) => client.modify({ oid: 1, order: { ...limit, p: '99' } }));
  const { txHash } = (await edge.send('/hyperliquid', body)).json;
  const { action, signature } = JSON.parse(body);
  const { data } = (await edge.send('/info', { type: 'tx', txHash })).json;
  expect(data).toMatchObject({ action, nonce, signature, signer: alice.address, hash: txHash });
});

describe('Hyperliquid requests that are not executed', () => {
  test.each<[string, Call, string]>([
    [
      'a spot asset',
      (client) => client.order({ orders: [{ ...limit, a: 10_001 }], grouping: 'na' }),
      'asset 10001 is not a perp',
    ],
    [
      'a spot transfer',
      (client) => client.usdClassTransfer({ amount: '1', toPerp: true }),
      'no spot markets',
    ],
    [
      'a vault deposit',
      (client) => client.vaultTransfer({ vaultAddress: otherKey.address, isDeposit: true, usd: 1 }),
      'vaults',
    ],
  ])('%s is refused with the reason', async (_, call, reason) => {
    expect(why(await send(call))).toContain(reason);
  });

  test.each([true, false])(
    'a request of an unknown signer is refused with its address and the way to test funds (mainnet: %s)',
    async (isMainnet) => {
      const { height } = edge.replica.head;
      const refused = await send(buy, { key: otherKey, isMainnet });
      expect(refused.json).toMatchObject({ status: 'err', name: 'NO_ACCOUNT' });
      expect(why(refused)).toContain('POST /faucet');
      expect(why(refused)).toContain('testnet mode');
      const { got } = refused.json.details;
      expect(got === otherKey.address).toBe(!isMainnet);
      expect(edge.replica.head.height).toBe(height);
    },
  );

  test('a mainnet signature of a known account is refused with advice to use testnet mode', async () => {
    const refused = await send(buy, { isMainnet: true });
    expect(refused.json.status).toBe('err');
    expect(why(refused)).toContain('signed for the mainnet of Hyperliquid');
    const agreed = await send((client) => client.approveAgent({ agentAddress: agent.address }), {
      isMainnet: true,
    });
    expect(why(agreed)).toContain('switch the client to testnet mode');
  });

  test('a body that is not a single JSON object is refused', async () => {
    const { height } = edge.replica.head;
    for (const body of ['', '[]', '{"action":{}},"x":{"y":1}', '{"a":1,"a":2}']) {
      const { json } = await edge.send('/hyperliquid', body);
      expect(json.status).toBe('err');
    }
    expect(edge.replica.head.height).toBe(height);
  });
});

describe('Hyperliquid clients and clients of the venue use separate ports', () => {
  test('the API of the venue rejects Hyperliquid requests, with or without the marker used in the log', async () => {
    const body = await bodyOf(buy);
    const plain = await edge.send('/exchange', body);
    expect(plain.json.status).toBe('err');
    for (const marked of [markHyperliquid(body), ` { "hyperliquid" : ${body}, "x": 1}`]) {
      const refused = await edge.send('/exchange', marked);
      expect(why(refused)).toContain('only accepted on their own port');
    }
  });

  test("a signature for the venue's own API does not authorise a Hyperliquid request", async () => {
    const body = signed(orderAction({}), { key: alice, nonce: ++nonce });
    await edge.send('/hyperliquid', body);
    expect(await openOrders(alice.address)).toEqual([]);
    await edge.send('/exchange', body);
    expect(await openOrders(alice.address)).toHaveLength(1);
  });
});

test('a modified body is never executed and never causes an internal error', async () => {
  const bodies = [
    await bodyOf(buy),
    await bodyOf((client) => client.modify({ oid: 1, order: limit })),
    await bodyOf((client) => client.usdSend({ destination: otherKey.address, amount: '5' })),
  ];
  const parts = ['"', '{', '}', '[', ',', ':', '7', '-1', '1e9', 'null', '\u0000', '"a":1,', '\\'];
  const change = fc.record({
    body: fc.constantFrom(...bodies),
    at: fc.nat(400),
    cut: fc.nat(6),
    part: fc.constantFrom(...parts),
  });
  const own = await openOrders(alice.address);
  await fc.assert(
    fc.asyncProperty(change, async ({ at, body, cut, part }) => {
      const changed = body.slice(0, at) + part + body.slice(at + cut);
      fc.pre(changed !== body);
      const { json, status } = await edge.send('/hyperliquid', changed);
      expect(status).toBeLessThan(500);
      expect(['ok', 'err', 'pending']).toContain(json.status);
    }),
    { numRuns: 150 },
  );
  expect(await openOrders(alice.address)).toEqual(own);
});
