import { startVenue, type TestVenue } from '@oddlot/testkit';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { eventually, type Json } from '../support/client.ts';
import { CuttableProxy } from '../support/cuttable-proxy.ts';

/**
 * Goal: a bot on the package `hyperliquid` runs unchanged on the Hyperliquid port. The hosts are
 * constants in the package, so the test replaces them in the client it creates. Nothing else
 * differs. Method: run the published package against a venue from the testkit.
 */

const HOST = 'api.hyperliquid-testnet.xyz';
const COIN = 'BTC-PERP';

let venue: TestVenue;
let proxy: CuttableProxy;
let sdk: Json;
const user = { key: generatePrivateKey(), address: '' };

beforeAll(async () => {
  // The package logs every frame, so logging is disabled.
  vi.spyOn(console, 'log').mockReturnValue(undefined);
  // The package is not a dependency of this repository, so the compiler cannot resolve it.
  const name = 'hyperliquid';
  const { Hyperliquid } = (await import(name)) as Json;
  venue = await startVenue({ time: Date.now(), hyperliquid: true });
  await venue.fillBook('BTC-USDC', { levels: 20, size: '1' });
  proxy = await CuttableProxy.open(venue.hyperliquidUrl);
  user.address = privateKeyToAddress(user.key);
  await fetch(`${venue.hyperliquidUrl}/faucet`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ user: user.address }),
  });
  sdk = new Hyperliquid({ privateKey: user.key, testnet: true, walletAddress: user.address });
  redirect(sdk, new URL(proxy.url).host);
  await sdk.connect();
});

afterAll(async () => {
  sdk.disconnect();
  proxy.close();
  await venue.stop();
  vi.restoreAllMocks();
});

/** Replaces the constant host in every object inside a client. */
function redirect(part: Json, host: string, seen = new Set<unknown>()): void {
  if (part === null || !['object', 'function'].includes(typeof part) || seen.has(part)) return;
  seen.add(part);
  for (const [name, value] of Object.entries(part)) {
    if (typeof value !== 'string') redirect(value, host, seen);
    else if (value.includes(HOST)) part[name] = value.replace(`s://${HOST}`, `://${host}`);
  }
}

const order = (fields: object = {}): object => ({
  coin: COIN,
  is_buy: true,
  sz: '0.01',
  limit_px: '96000',
  order_type: { limit: { tif: 'Gtc' } },
  reduce_only: false,
  ...fields,
});

test('the package reads markets and prices', async () => {
  expect((await sdk.info.perpetuals.getMeta()).universe.map(({ name }: Json) => name)).toContain(
    COIN,
  );
  expect(await sdk.info.getAllMids()).toMatchObject({ [COIN]: 97_000 });
  // The package requests five significant figures.
  const { levels } = await sdk.info.getL2Book(COIN);
  expect([levels[0][0].px, levels[1][0].px]).toEqual([96_999, 97_001]);
  const candles = await sdk.info.getCandleSnapshot(COIN, '1h', Date.now() - 3_600_000, Date.now());
  expect(candles).toEqual(expect.any(Array));
  expect(await sdk.info.perpetuals.getFundingHistory(COIN, 0)).toEqual([]);
});

test('orders sent with the package can rest, fill, be amended and be cancelled', async () => {
  const placed = await sdk.exchange.placeOrder(order());
  const [{ resting }] = placed.response.data.statuses;
  expect(await sdk.info.getUserOpenOrders(user.address)).toMatchObject([
    { coin: COIN, limitPx: 96_000, oid: resting.oid },
  ]);
  const { order: found } = await sdk.info.getOrderStatus(user.address, resting.oid);
  expect(found).toMatchObject({ status: 'open' });
  await sdk.exchange.modifyOrder(resting.oid, order({ limit_px: '96500' }));
  const [changed] = await sdk.info.getUserOpenOrders(user.address);
  expect(changed).toMatchObject({ limitPx: 96_500 });
  const cancelled = await sdk.exchange.cancelOrder({ coin: COIN, o: changed.oid });
  expect(cancelled.response.data.statuses).toEqual(['success']);
  const ioc = { order_type: { limit: { tif: 'Ioc' } } };
  const bought = await sdk.exchange.placeOrder(order({ ...ioc, limit_px: '97500' }));
  expect(bought.response.data.statuses).toMatchObject([{ filled: { totalSz: '0.01' } }]);
  const state = await sdk.info.perpetuals.getClearinghouseState(user.address);
  expect(state.assetPositions).toMatchObject([{ position: { coin: COIN, szi: 0.01 } }]);
  const trigger = { trigger: { triggerPx: '95000', isMarket: true, tpsl: 'sl' } };
  const exit = { is_buy: false, reduce_only: true, limit_px: '94000', order_type: trigger };
  await sdk.exchange.placeOrder(order(exit));
  const [stop] = await sdk.info.getFrontendOpenOrders(user.address);
  expect(stop).toMatchObject({ orderType: 'Stop Market', triggerPx: 95_000 });
  await sdk.exchange.cancelOrder({ coin: COIN, o: stop.oid });
  await sdk.exchange.placeOrder(
    order({ ...ioc, is_buy: false, limit_px: '96500', reduce_only: true }),
  );
  await venue.settled();
  const fills = await sdk.info.getUserFills(user.address);
  expect(fills.map(({ dir }: Json) => dir)).toEqual(['Close Long', 'Open Long']);
  await sdk.exchange.updateLeverage(COIN, 'cross', 5);
  expect(await sdk.info.perpetuals.getUserFunding(user.address, 0)).toEqual([]);
});

test('a rejection has a readable message', async () => {
  const { response } = await sdk.exchange.placeOrder(order({ limit_px: '96000.11' }));
  const [{ error }] = response.data.statuses;
  expect(error).toMatch(/^Price must be divisible by tick size\. .* 96000\.1 and 96000\.2/);
});

test("the package's streams continue after the socket is cut", async () => {
  const received: Json[] = [];
  await sdk.subscriptions.subscribeToL2Book(COIN, (book: Json) => received.push(book));
  const fills: Json[] = [];
  await sdk.subscriptions.subscribeToUserFills(user.address, (data: Json) => fills.push(data));
  await sdk.subscriptions.subscribeToAllMids((mids: Json) => received.push(mids));
  await eventually(() => {
    expect(received.some(({ coin }) => coin === COIN)).toBe(true);
    expect(received.some((each) => Number(each[COIN]) === 97_000)).toBe(true);
    expect(fills[0]).toMatchObject({ isSnapshot: true });
  });
  received.length = 0;
  vi.spyOn(console, 'error').mockReturnValue(undefined);
  proxy.cut();
  await eventually(() => expect(sdk.ws.isConnected()).toBe(true));
  // The package does not resubscribe automatically after a cut.
  await sdk.subscriptions.subscribeToBbo(COIN, (bbo: Json) => received.push(bbo));
  await eventually(() => expect(received.at(-1)).toMatchObject({ coin: COIN }));
});
