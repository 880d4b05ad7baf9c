import { ExchangeClient, HttpTransport, InfoClient } from '@nktkas/hyperliquid';
import { startVenue, type TestVenue } from '@oddlot/testkit';
import { privateKeyToAccount } from 'viem/accounts';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { eventually, type Json } from '../support/client.ts';

/**
 * Goal: Hyperliquid clients are notified of funding, liquidations and stops, and the port limits
 * its clients. Method: use a venue with a controlled clock and controlled prices.
 */

let venue: TestVenue;
let info: InfoClient;
let sockets: WebSocket[] = [];

beforeEach(async () => {
  // A full hour has premium samples, and pays funding when it ends.
  const hour = Math.floor(Date.now() / 3_600_000) * 3_600_000;
  venue = await startVenue({ time: hour, hyperliquid: true, limits: true, usdc: '1000' });
  info = new InfoClient({
    transport: new HttpTransport({ isTestnet: true, apiUrl: venue.hyperliquidUrl }),
  });
});

afterEach(async () => {
  for (const socket of sockets) socket.terminate();
  sockets = [];
  await venue.stop();
});

async function open(frames: Json[] = []): Promise<WebSocket> {
  const socket = new WebSocket(`${venue.hyperliquidUrl.replace('http', 'ws')}/ws`);
  sockets.push(socket);
  socket.on('message', (data) => frames.push(JSON.parse(String(data))));
  await new Promise((resolve, reject) => {
    socket.once('open', resolve).once('error', reject);
  });
  return socket;
}

function subscribe(socket: WebSocket, subscription: object): void {
  socket.send(JSON.stringify({ method: 'subscribe', subscription }));
}

/** Opens a long for an account that follows its event stream. */
async function longPosition(size: string) {
  const account = venue.accounts[0]!;
  const { address: user } = account;
  await venue.fillBook('BTC-USDC', { levels: 5, size: '1' });
  const frames: Json[] = [];
  const socket = await open(frames);
  const types = ['userEvents', 'userFundings', 'notification', 'orderUpdates'];
  for (const type of types) subscribe(socket, { type, user });
  await eventually(() => expect(frames.length).toBeGreaterThanOrEqual(types.length));
  let nonce = venue.now;
  const exchange = new ExchangeClient({
    transport: new HttpTransport({ isTestnet: true, apiUrl: venue.hyperliquidUrl }),
    wallet: privateKeyToAccount(account.privateKey),
    nonceManager: () => (nonce = Math.max(nonce + 1, venue.now)),
  });
  const order = { a: 1, b: true, p: '98000', s: size, r: false } as const;
  await exchange.order({ orders: [{ ...order, t: { limit: { tif: 'Ioc' } } }], grouping: 'na' });
  const of = (channel: string): Json[] =>
    frames.filter((each) => each.channel === channel).map(({ data }) => data);
  return { exchange, of, order, user };
}

test('funding is paid, listed and streamed, and is negative for the paying side', async () => {
  const { of, user } = await longPosition('0.05');
  // A mark above the oracle price makes longs pay.
  await venue.setPrice('BTC', '96000');
  await venue.advance('2h');
  await venue.settled();
  const rates = await info.fundingHistory({ coin: 'BTC', startTime: 0 });
  expect(rates.length).toBeGreaterThan(0);
  expect(rates[0]).toMatchObject({ coin: 'BTC', fundingRate: expect.stringMatching(/^0\.\d+$/) });
  const payments = await info.userFunding({ user, startTime: 0 });
  expect(payments[0]!.delta).toMatchObject({
    type: 'funding',
    coin: 'BTC',
    szi: '0.05',
    usdc: expect.stringMatching(/^-/),
  });
  expect(await info.userFunding({ user })).toEqual(payments);
  const times = payments.map(({ time }) => time);
  expect(times).toEqual(times.toSorted((a, b) => a - b));
  const [{ position }] = (await info.clearinghouseState({ user })).assetPositions as [Json];
  const paid = payments.reduce((sum, { delta }) => sum - Number(delta.usdc), 0);
  expect(Number(position.cumFunding.sinceOpen)).toBeCloseTo(paid, 5);
  await eventually(() => {
    const { funding } = of('user').find((each) => each.funding?.coin === 'BTC')!;
    expect(funding.time).toBe(times[0]);
    expect(of('userFundings').at(-1).fundings[0]).toMatchObject({ coin: 'BTC', nSamples: null });
  });
});

test("a liquidation cancels orders and is reported on all of the account's channels", async () => {
  const { exchange, of, order, user } = await longPosition('0.09');
  const t = { limit: { tif: 'Gtc' } } as const;
  await exchange.order({ orders: [{ ...order, p: '95000', s: '0.01', t }], grouping: 'na' });
  await venue.setPrice('BTC', '85000');
  await venue.advance('1m', { step: '5s' });
  await venue.settled();
  expect((await info.clearinghouseState({ user })).assetPositions).toEqual([]);
  const ledger = await info.userNonFundingLedgerUpdates({ user, startTime: 0 });
  expect(ledger.map(({ delta }) => delta.type)).toContain('liquidation');
  const ids = (await info.userFills({ user })).map(({ tid }) => tid);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.every((tid) => Number.isSafeInteger(tid) && tid > 0)).toBe(true);
  const statuses = (await info.historicalOrders({ user })).map(({ status }) => status);
  expect(statuses).toContain('liquidatedCanceled');
  await eventually(() => {
    expect(of('user').some((each) => each.liquidation?.liquidated_user === user)).toBe(true);
    expect(of('user').some((each) => each.nonUserCancel?.[0].coin === 'BTC')).toBe(true);
    expect(of('notification')[0].notification).toMatch(/^Liquidation: /);
  });
});

test('a stopping venue closes its connections, and clients can reconnect after the restart', async () => {
  const socket = await open();
  const closed = new Promise((resolve) => socket.once('close', resolve));
  await venue.restart();
  expect(await closed).toBe(1001);
  const frames: Json[] = [];
  subscribe(await open(frames), { type: 'allMids' });
  await eventually(() => expect(frames.at(-1)).toMatchObject({ data: { mids: {} } }));
});

test('a connection follows up to ten accounts, and any number of markets', async () => {
  const frames: Json[] = [];
  const socket = await open(frames);
  const userOf = (count: number): string => `0x${String(count).padStart(40, '0')}`;
  for (let count = 1; count <= 11; count++) {
    subscribe(socket, { type: 'openOrders', user: userOf(count) });
  }
  subscribe(socket, { type: 'clearinghouseState', user: userOf(1) });
  subscribe(socket, { type: 'bbo', coin: 'BTC' });
  await eventually(() => {
    const answers = frames.filter(({ channel }) => channel === 'subscriptionResponse');
    expect(answers).toHaveLength(12);
  });
  const errors = frames.filter(({ channel }) => channel === 'error');
  expect(errors).toEqual([{ channel: 'error', data: expect.stringMatching(/up to 10 users$/) }]);
});

test("a client's requests, connections and frames are limited", async () => {
  const headers = { 'content-type': 'application/json' };
  const ask = () =>
    fetch(`${venue.hyperliquidUrl}/info`, { method: 'POST', headers, body: '{"type":"meta"}' });
  let limited: Response | undefined;
  // A busy machine may need more than a second for these requests, and the budget refills in the
  // meantime.
  for (let round = 0; limited === undefined && round < 20; round++) {
    const answers = await Promise.all(Array.from({ length: 120 }, ask));
    limited = answers.find(({ status }) => status === 429);
  }
  if (limited === undefined) throw new Error('no request was limited');
  expect(limited.headers.get('retry-after')).toBe('1');
  expect(await limited.json()).toEqual({ code: 429, msg: expect.stringContaining('rate limit') });
  for (let count = 0; count < 5; count++) await open();
  await expect(open()).rejects.toThrow('429');
  const [socket] = sockets;
  const closed = new Promise((resolve) => socket!.once('close', resolve));
  socket!.send('x'.repeat(100_000));
  expect(await closed).toBe(1009);
  const frames: Json[] = [];
  const flooding = await open(frames);
  for (let count = 0; count < 1_500; count++) flooding.send('{"method":"nope"}');
  await eventually(() =>
    expect(frames.some(({ data }) => String(data).startsWith('Too many'))).toBe(true),
  );
});
