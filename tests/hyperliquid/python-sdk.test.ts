import { once } from 'node:events';
import { encode } from '@msgpack/msgpack';
import { startVenue, type TestVenue } from '@oddlot/testkit';
import { concat, type Hex, keccak256, numberToHex, parseSignature, toHex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { eventually, type Json } from '../support/client.ts';

/**
 * Goal: Hyperliquid's Python SDK runs unchanged on the Hyperliquid port once `base_url` is changed.
 * Method: the test sends the same bytes as the SDK: `spotMeta` first, the spaces in Python's JSON,
 * the SDK's key order and null fields, and signatures without leading zeros. Like the SDK, it
 * identifies frames by coins in lower case.
 */

let venue: TestVenue;

beforeAll(async () => {
  venue = await startVenue({ time: Date.now(), hyperliquid: true });
  await venue.fillBook('BTC-USDC', { levels: 20, size: '1' });
});

afterAll(() => venue.stop());

/** Formats a value as Python's `json.dumps` does. */
function dumps(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(dumps).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).map(([key, each]) => `"${key}": ${dumps(each)}`);
  return `{${fields.join(', ')}}`;
}

/**
 * Posts like the SDK, whose error handling requires `code` and `msg` in the body of a 4xx response.
 */
async function post(path: string, payload: Json): Promise<Json> {
  const response = await fetch(venue.hyperliquidUrl + path, {
    method: 'POST',
    headers: {
      'user-agent': 'python-requests/2.32.3',
      'accept-encoding': 'gzip, deflate',
      accept: '*/*',
      'content-type': 'application/json',
    },
    body: dumps(payload),
  });
  const answer = (await response.json()) as Json;
  if (response.status < 400) return answer;
  throw new Error(`${answer.code}: ${answer.msg}`);
}

const NO_CONTRACT = { verifyingContract: `0x${'0'.repeat(40)}` } as const;
const L1_DOMAIN = { name: 'Exchange', version: '1', chainId: 1337, ...NO_CONTRACT } as const;
const USER_DOMAIN = {
  name: 'HyperliquidSignTransaction',
  version: '1',
  chainId: 421_614,
  ...NO_CONTRACT,
} as const;
const AGENT = {
  Agent: [
    { name: 'source', type: 'string' },
    { name: 'connectionId', type: 'bytes32' },
  ],
} as const;

/** Python's `to_hex` of an integer has no leading zeros. */
const short = (word: Hex): string => numberToHex(BigInt(word));

class Bot {
  readonly account = privateKeyToAccount(generatePrivateKey());
  #nonce = Date.now();

  /** Creates a bot whose account has test funds. */
  static async funded(): Promise<Bot> {
    const bot = new Bot();
    await post('/faucet', { user: bot.account.address });
    return bot;
  }

  async signed(action: object, nonce = (this.#nonce += 1)): Promise<Json> {
    const preimage = concat([toHex(encode(action)), numberToHex(nonce, { size: 8 }), '0x00']);
    const message = { source: 'b', connectionId: keccak256(preimage) };
    const text = await this.account.signTypedData({
      domain: L1_DOMAIN,
      types: AGENT,
      primaryType: 'Agent',
      message,
    });
    return this.#payload(action, nonce, text);
  }

  async send(action: object): Promise<Json> {
    return post('/exchange', await this.signed(action));
  }

  /** Signs an action that the SDK has appended its fields to. */
  async sendUserSigned(
    primaryType: string,
    fields: readonly (readonly [string, string])[],
    action: Json,
    unsent: readonly string[] = [],
  ): Promise<Json> {
    const whole = { ...action, signatureChainId: '0x66eee', hyperliquidChain: 'Testnet' };
    const types = { [primaryType]: fields.map(([name, type]) => ({ name, type })) };
    const typed = { domain: USER_DOMAIN, types, primaryType, message: whole };
    const text = await this.account.signTypedData(typed as never);
    for (const name of unsent) delete (whole as Json)[name];
    return post('/exchange', this.#payload(whole, action.time ?? action.nonce, text));
  }

  #payload(action: object, nonce: number, text: Hex): Json {
    const { r, s, v } = parseSignature(text);
    const signature = { r: short(r), s: short(s), v: Number(v) };
    return { action, nonce, signature, vaultAddress: null, expiresAfter: null };
  }
}

const LIMIT = { limit: { tif: 'Gtc' } };
const wire = (fields: object = {}): object => ({
  a: 1,
  b: true,
  p: '96000',
  s: '0.01',
  r: false,
  t: LIMIT,
  ...fields,
});
const orderAction = (...orders: object[]): object => ({ type: 'order', orders, grouping: 'na' });

test('the Python SDK starts with the lists it requires, and asset ids are indexes', async () => {
  const spot = await post('/info', { type: 'spotMeta' });
  expect([spot.universe, spot.tokens[0].name]).toEqual([[], 'USDC']);
  const { universe } = await post('/info', { type: 'meta', dex: '' });
  const ids = Object.fromEntries(universe.map(({ name }: Json, id: number) => [name, id]));
  expect(ids).toMatchObject({ BTC: 1, ETH: 2, SOL: 3 });
  expect(universe[1].szDecimals).toBe(5);
});

test('a limit order, a market order and a cancel from the Python SDK execute', async () => {
  const bot = await Bot.funded();
  const user = bot.account.address;
  const cloid = `0x${'0'.repeat(31)}1`;
  const placed = await bot.send(orderAction(wire({ c: cloid })));
  const [{ resting }] = placed.response.data.statuses;
  expect(placed).toEqual({
    status: 'ok',
    response: { type: 'order', data: { statuses: [{ resting: { oid: resting.oid, cloid } }] } },
  });
  expect(await post('/info', { type: 'openOrders', user, dex: '' })).toMatchObject([{ cloid }]);
  const asked = { type: 'orderStatus', user, oid: resting.oid };
  expect(await post('/info', asked)).toMatchObject({ status: 'order', order: { status: 'open' } });
  // The limit price is five percent above the mid, with five significant figures.
  const mid = Number((await post('/info', { type: 'allMids', dex: '' })).BTC);
  const p = String(Number((mid * 1.05).toPrecision(5)));
  const bought = await bot.send(orderAction(wire({ p, t: { limit: { tif: 'Ioc' } } })));
  expect(bought.response.data.statuses).toMatchObject([{ filled: { totalSz: '0.01' } }]);
  const state = await post('/info', { type: 'clearinghouseState', user, dex: '' });
  expect(state.assetPositions[0].position).toMatchObject({ coin: 'BTC', szi: '0.01' });
  const cancels = [{ asset: 1, cloid }];
  const cancelled = await bot.send({ type: 'cancelByCloid', cancels });
  expect(cancelled.response).toEqual({ type: 'cancel', data: { statuses: ['success'] } });
  const cancelledAgain = await bot.send({ type: 'cancel', cancels: [{ a: 1, o: resting.oid }] });
  expect(cancelledAgain.response.data.statuses).toEqual([
    { error: 'Order was never placed, already canceled, or filled. asset=1' },
  ]);
});

test('a signature without its leading zeros is accepted', async () => {
  const bot = await Bot.funded();
  let payload: Json;
  for (let nonce = Date.now(); ; nonce += 1) {
    payload = await bot.signed(orderAction(wire()), nonce);
    if (payload.signature.r.length < 66 || payload.signature.s.length < 66) break;
  }
  expect(await post('/exchange', payload)).toMatchObject({ status: 'ok' });
});

test("a trigger order in the SDK's key order is accepted, and settings can be changed", async () => {
  const bot = await Bot.funded();
  const leverage = { type: 'updateLeverage', asset: 1, isCross: true, leverage: 5 };
  await bot.send({ type: 'scheduleCancel', time: Date.now() + 60_000 });
  expect(await bot.send(leverage)).toEqual({ status: 'ok', response: { type: 'default' } });
  await bot.send(orderAction(wire({ p: '98000', t: { limit: { tif: 'Ioc' } } })));
  const t = { trigger: { isMarket: true, triggerPx: '95000', tpsl: 'sl' } };
  const exit = wire({ b: false, p: '94000', r: true, t });
  const placed = await bot.send(orderAction(exit));
  expect(placed.response.data.statuses).toMatchObject([{ resting: { oid: expect.any(Number) } }]);
});

test('user-signed actions with their type last are accepted, and an agent without a name is unnamed', async () => {
  const bot = await Bot.funded();
  await bot.send(orderAction(wire()));
  const chain = ['hyperliquidChain', 'string'] as const;
  const destination = new Bot().account.address;
  const sent = await bot.sendUserSigned(
    'HyperliquidTransaction:UsdSend',
    [chain, ['destination', 'string'], ['amount', 'string'], ['time', 'uint64']],
    { destination, amount: '5.0', time: Date.now() + 1_000, type: 'usdSend' },
  );
  expect(sent).toEqual({ status: 'ok', response: { type: 'default' } });
  const agent = new Bot();
  const approved = await bot.sendUserSigned(
    'HyperliquidTransaction:ApproveAgent',
    [chain, ['agentAddress', 'address'], ['agentName', 'string'], ['nonce', 'uint64']],
    {
      type: 'approveAgent',
      agentAddress: agent.account.address,
      agentName: '',
      nonce: Date.now() + 2_000,
    },
    ['agentName'],
  );
  expect(approved).toEqual({ status: 'ok', response: { type: 'default' } });
  expect(await agent.send(orderAction(wire()))).toMatchObject({ status: 'ok' });
});

test('a rejected query has the fields that the SDK reads from a 4xx body', async () => {
  const asked = post('/info', { type: 'delegations', user: `0x${'1'.repeat(40)}` });
  await expect(asked).rejects.toThrow('422: This venue has no staking.');
});

test('the SDK finds frames under its own identifiers', async () => {
  const bot = await Bot.funded();
  await bot.send(orderAction(wire({ p: '98000', t: { limit: { tif: 'Ioc' } } })));
  await venue.settled();
  const user = bot.account.address;
  const socket = new WebSocket(`${venue.hyperliquidUrl.replace('http', 'ws')}/ws`);
  const received = new Set<string>();
  socket.on('message', (data) => received.add(identifierOf(JSON.parse(String(data)) as Json)));
  await once(socket, 'open');
  const coin = 'BTC';
  const subscriptions = [
    { type: 'allMids' },
    { type: 'l2Book', coin },
    { type: 'trades', coin },
    { type: 'bbo', coin },
    { type: 'candle', coin, interval: '1m' },
    { type: 'activeAssetCtx', coin },
    { type: 'userEvents', user },
    { type: 'userFills', user },
    { type: 'orderUpdates', user },
    { type: 'userFundings', user },
    { type: 'userNonFundingLedgerUpdates', user },
    { type: 'webData2', user },
    { type: 'activeAssetData', user, coin },
  ];
  for (const subscription of subscriptions) {
    socket.send(dumps({ method: 'subscribe', subscription }));
  }
  socket.send(dumps({ method: 'ping' }));
  await eventually(() => expect(received).toContain(`userFills:${user.toLowerCase()}`));
  await bot.send(orderAction(wire({ p: '98000', t: { limit: { tif: 'Ioc' } } })));
  const lower = user.toLowerCase();
  const wanted = [
    'pong',
    'allMids',
    'l2Book:btc',
    'trades:btc',
    'bbo:btc',
    'candle:btc,1m',
    'activeAssetCtx:btc',
    'userEvents',
    `userFills:${lower}`,
    'orderUpdates',
    `userFundings:${lower}`,
    `userNonFundingLedgerUpdates:${lower}`,
    `webData2:${lower}`,
    `activeAssetData:btc,${lower}`,
  ];
  await eventually(() =>
    expect([...received].sort()).toEqual(expect.arrayContaining(wanted.sort())),
  );
  socket.close();
});

/** Returns the SDK's identifier for the subscription that a frame belongs to. */
function identifierOf({ channel, data }: Json): string {
  switch (channel) {
    case 'l2Book':
    case 'bbo':
    case 'activeAssetCtx':
      return `${channel}:${data.coin.toLowerCase()}`;
    case 'trades':
      return `trades:${data[0].coin.toLowerCase()}`;
    case 'candle':
      return `candle:${data.s.toLowerCase()},${data.i}`;
    case 'user':
      return 'userEvents';
    case 'activeAssetData':
      return `activeAssetData:${data.coin.toLowerCase()},${data.user.toLowerCase()}`;
    case 'userFills':
    case 'userFundings':
    case 'userNonFundingLedgerUpdates':
    case 'webData2':
      return `${channel}:${data.user.toLowerCase()}`;
    default:
      return channel;
  }
}
