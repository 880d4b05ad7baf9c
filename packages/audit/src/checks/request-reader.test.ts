import { bodyOfRequest, markHyperliquid, NETWORKS, type Network } from '@oddlot/protocol';
import { isRequest, type RequestCommand } from '@oddlot/replica/block';
import { instrumentLookup } from '@oddlot/translate/action-to-command';
import { orderAction, signed, testKey } from '@oddlot/testing/venue/http/client';
import { hyperliquidBody } from '@oddlot/testing/venue/http/hyperliquid';
import { startEdge, type TestEdge } from '@oddlot/testing/venue/http/test-edge';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { RequestReader } from './request-reader.ts';

/** A request logged by a venue, with its command, which a verifier derives again. */

type Logged = { readonly command: RequestCommand; readonly request: string };

const alice = testKey(1);
const own: Logged[] = [];
const hyperliquid: Logged[] = [];
let edge: TestEdge;

beforeAll(async () => {
  edge = await startEdge();
  edge.replica.credit(alice.address);
  edge.replica.onBlock(({ commands }) => {
    for (const { command, request } of commands) {
      if (!isRequest(command) || request === undefined) continue;
      const list = request.startsWith('{"hyperliquid":') ? hyperliquid : own;
      list.push({ command, request });
    }
  });
  let nonce = edge.replica.nowMs;
  const key = alice;
  await edge.send('/exchange', signed(orderAction({}), { key, nonce: ++nonce }));
  const order = { a: 1, b: true, p: '99.5', s: '0.5', r: false, t: { limit: { tif: 'Gtc' } } };
  for (const call of [
    (client) => client.order({ orders: [order as never], grouping: 'na' }),
    (client) => client.cancel({ cancels: [1, 2].map((o) => ({ a: 1, o })) }),
    (client) => client.updateLeverage({ asset: 1, isCross: true, leverage: 5 }),
    (client) => client.order({ orders: [order as never], grouping: 'na' }),
    (client) => client.modify({ oid: 3, order: { ...order, p: '98.5' } as never }),
    (client) => client.scheduleCancel(),
    (client) => client.noop(),
    (client) => client.approveAgent({ agentAddress: testKey(3).address }),
    (client) => client.usdSend({ destination: testKey(4).address, amount: '2' }),
    (client) => client.withdraw3({ destination: alice.address, amount: '2' }),
  ] satisfies Parameters<typeof hyperliquidBody>[1][]) {
    const body = await hyperliquidBody({ key, nonce: ++nonce }, call);
    await edge.send('/hyperliquid', body.replace('{', '{ '));
  }
});
afterAll(() => edge.close());

async function faultsOf(logged: readonly Logged[], network: Network) {
  const reader = await RequestReader.create(network);
  const instruments = instrumentLookup(() => edge.replica.state);
  return logged.map((each) => reader.fault(each, instruments));
}

test("each request's command follows from its text, on the network with test funds", async () => {
  expect([own.length, hyperliquid.length]).toEqual([1, 10]);
  const faults = await faultsOf([...own, ...hyperliquid], NETWORKS.testnet);
  expect(faults.filter((fault) => fault !== undefined)).toEqual([]);
});

test.each<[string, Network]>([
  ['with its own name', { ...NETWORKS.testnet, serviceNetwork: 'example.org-3fa9c1d2' }],
  ['of real money', NETWORKS.mainnet],
  ['of real money under the name of test funds', { ...NETWORKS.testnet, chainId: 869 }],
])('a log of a network %s contains no request of a Hyperliquid client', async (_, network) => {
  for (const fault of await faultsOf(hyperliquid, network)) {
    expect(fault).toContain('the request cannot be read');
  }
});

test('a marked request has no other content, and the venue derives no command from its unmarked text', async () => {
  const [order] = hyperliquid;
  const { command, request } = order!;
  const body = JSON.stringify(bodyOfRequest(request));
  const texts = [
    body,
    `${markHyperliquid(body).slice(0, -1)},"x":1}`,
    markHyperliquid(body.replace('"99.5"', '"98.5"')),
    markHyperliquid(body.replace(/"nonce":(\d+)/, (_, nonce) => `"nonce":${Number(nonce) + 1}`)),
    markHyperliquid(own[0]!.request),
  ];
  const forged = texts.map((text) => ({ command, request: text }));
  const faults = await faultsOf(forged, NETWORKS.testnet);
  expect(faults.map((fault) => fault?.split(':')[0])).toEqual([
    expect.stringMatching(/^the log records the signer/),
    'the request cannot be read',
    expect.stringMatching(/^the log records the signer/),
    expect.stringMatching(/^the log records the signer/),
    expect.stringMatching(/^the log records the signer/),
  ]);
});
