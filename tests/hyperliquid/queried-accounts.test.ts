import { ExchangeClient, HttpTransport, InfoClient } from '@nktkas/hyperliquid';
import { buyYes } from '@oddlot/sdk';
import { startVenue, type TestVenue } from '@oddlot/testkit';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, expect, test } from 'vitest';

/**
 * Goal: a bot can trade after changing nothing but its URL and its key, and sees only perps.
 * Method: use a venue that credits an account when it is queried, and an account that also uses the
 * venue's own API.
 */

let venue: TestVenue;
let transport: HttpTransport;
let info: InfoClient;

beforeAll(async () => {
  const flags = ['--hyperliquid-faucet'];
  venue = await startVenue({ time: Date.now(), hyperliquid: true, flags });
  transport = new HttpTransport({ isTestnet: true, apiUrl: venue.hyperliquidUrl });
  info = new InfoClient({ transport });
});

afterAll(() => venue.stop());

const order = { a: 1, b: true, p: '96000', s: '0.001', r: false } as const;

test('a new account gets test funds when its balance is first queried, and can place an order', async () => {
  const wallet = privateKeyToAccount(generatePrivateKey());
  const user = wallet.address;
  const exchange = new ExchangeClient({ transport, wallet });
  const orders = [{ ...order, t: { limit: { tif: 'Gtc' as const } } }];
  expect(await info.userRole({ user })).toEqual({ role: 'missing' });
  await expect(exchange.order({ orders, grouping: 'na' })).rejects.toThrow('POST /faucet');
  const [first, second] = await Promise.all([
    info.clearinghouseState({ user }),
    info.clearinghouseState({ user }),
  ]);
  expect(first).toEqual(second);
  expect(first.marginSummary.accountValue).toBe('1000');
  await exchange.order({ orders, grouping: 'na' });
  await venue.settled();
  const grants = await info.userNonFundingLedgerUpdates({ user, startTime: 0 });
  expect(grants).toHaveLength(1);
});

test("a mainnet signature is refused even if its account's balance was queried", async () => {
  const wallet = privateKeyToAccount(generatePrivateKey());
  await info.clearinghouseState({ user: wallet.address });
  const mainnet = new HttpTransport({ apiUrl: venue.hyperliquidUrl });
  const exchange = new ExchangeClient({ transport: mainnet, wallet });
  const orders = [{ ...order, t: { limit: { tif: 'Gtc' as const } } }];
  await expect(exchange.order({ orders, grouping: 'na' })).rejects.toThrow(/isTestnet/);
  expect(await info.openOrders({ user: wallet.address })).toEqual([]);
});

test('an unmatched Ioc order has the status of a rejected order', async () => {
  const wallet = privateKeyToAccount(generatePrivateKey());
  const user = wallet.address;
  await info.clearinghouseState({ user });
  const exchange = new ExchangeClient({ transport, wallet });
  const orders = [{ ...order, t: { limit: { tif: 'Ioc' as const } } }];
  await exchange.order({ orders, grouping: 'na' }).catch(() => undefined);
  await venue.settled();
  expect(await info.historicalOrders({ user })).toMatchObject([{ status: 'iocCancelRejected' }]);
});

test("outcome-market orders do not appear among an account's orders", async () => {
  const { address: user, client } = venue.accounts[0]!;
  const { id: asset } = await venue.createMarket({ orderDelayMs: 0 });
  const orders = [buyYes({ asset, price: '0.4', size: '10' })];
  await client.exchange.order({ orders }, { confirm: 'executed' });
  await venue.settled();
  expect(await client.info.outcomeFrontendOpenOrders({ user })).toHaveLength(1);
  expect(await info.openOrders({ user })).toEqual([]);
  expect(await info.frontendOpenOrders({ user })).toEqual([]);
  expect(await info.historicalOrders({ user })).toEqual([]);
});
