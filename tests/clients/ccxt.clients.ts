import { startVenue, type TestVenue } from '@oddlot/testkit';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually, type Json } from '../support/client.ts';
import { CuttableProxy } from '../support/cuttable-proxy.ts';

/**
 * Goal: a bot on ccxt runs unchanged, except for its URLs and its key, on the Hyperliquid port in
 * sandbox mode. Method: run the published package against a venue from the testkit.
 */

const SYMBOL = 'BTC/USDC:USDC';

let ccxt: Json;
let venue: TestVenue;
let proxy: CuttableProxy;
const opened: Json[] = [];

beforeAll(async () => {
  // The package is not a dependency of this repository, so the compiler cannot resolve it.
  const name = 'ccxt';
  ({ default: ccxt } = (await import(name)) as Json);
  venue = await startVenue({ time: Date.now(), hyperliquid: true });
  await venue.fillBook('BTC-USDC', { levels: 20, size: '1' });
  proxy = await CuttableProxy.open(venue.hyperliquidUrl);
});

afterAll(async () => {
  for (const exchange of opened) await exchange.close();
  proxy.close();
  await venue.stop();
});

function requestFunds(url: string, user: string): Promise<Response> {
  return fetch(`${url}/faucet`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ user }),
  });
}

/** Creates a client with a new key, whose account has test funds. */
async function exchangeOf(Exchange: Json, options: object = {}): Promise<Json> {
  const privateKey = generatePrivateKey();
  const walletAddress = privateKeyToAddress(privateKey);
  const exchange = new Exchange({ walletAddress, privateKey, ...options });
  exchange.setSandboxMode(true);
  const base = proxy.url;
  exchange.urls.api = {
    ...exchange.urls.api,
    public: base,
    private: base,
    ws: { public: `${base.replace('http', 'ws')}/ws` },
  };
  opened.push(exchange);
  await requestFunds(venue.hyperliquidUrl, walletAddress);
  return exchange;
}

describe('ccxt works over HTTP', () => {
  let bot: Json;
  beforeAll(async () => {
    bot = await exchangeOf(ccxt.hyperliquid);
  });

  test("ccxt markets have the venue's precision and limits", async () => {
    const markets = await bot.loadMarkets();
    expect(markets[SYMBOL]).toMatchObject({
      base: 'BTC',
      settle: 'USDC',
      active: true,
      precision: { amount: 0.00001 },
    });
    // A ccxt market cannot be traded if its id does not exist on the venue.
    expect(Object.values(markets).filter((each: Json) => each.active)).toHaveLength(3);
  });

  test('ccxt reads tickers, books, trades, candles and funding rates', async () => {
    expect(await bot.fetchTicker(SYMBOL)).toMatchObject({ symbol: SYMBOL, bid: 96999.9 });
    const book = await bot.fetchOrderBook(SYMBOL);
    expect([book.bids[0], book.asks[0]]).toEqual([
      [96999.9, 1],
      [97000.1, 1],
    ]);
    expect(await bot.fetchOHLCV(SYMBOL, '1m')).toEqual(expect.any(Array));
    expect(await bot.fetchFundingRates([SYMBOL])).toHaveProperty([SYMBOL, 'fundingRate']);
    expect(await bot.fetchFundingRateHistory(SYMBOL)).toEqual([]);
  });

  test('the first order executes, even though ccxt approves its builder before sending it', async () => {
    const order = await bot.createOrder(SYMBOL, 'limit', 'buy', 0.01, 96000);
    expect(order.id).toMatch(/^\d+$/);
    const { USDC } = await bot.fetchBalance();
    expect(USDC.total).toBeGreaterThan(0);
    expect(await bot.fetchOrder(order.id, SYMBOL)).toMatchObject({ price: 96000, status: 'open' });
    expect(await bot.fetchOpenOrders(SYMBOL)).toMatchObject([{ id: order.id, amount: 0.01 }]);
    const edited = await bot.editOrder(order.id, SYMBOL, 'limit', 'buy', 0.02, 96500);
    expect(await bot.fetchOpenOrders(SYMBOL)).toMatchObject([{ price: 96500, amount: 0.02 }]);
    await bot.cancelOrder(edited.id, SYMBOL);
    expect(await bot.fetchOpenOrders(SYMBOL)).toEqual([]);
    await venue.settled();
    expect(await bot.fetchOrder(edited.id, SYMBOL)).toMatchObject({ status: 'canceled' });
  });

  test('a ccxt market order opens a position with its TP/SL, and another one closes it', async () => {
    await bot.setLeverage(5, SYMBOL, { marginMode: 'cross' });
    await bot.createOrder(SYMBOL, 'market', 'buy', 0.01, 97000, {
      takeProfit: { triggerPrice: 99000, price: 99000 },
      stopLoss: { triggerPrice: 95000, price: 95000 },
    });
    const [position] = await bot.fetchPositions([SYMBOL]);
    expect(position).toMatchObject({ side: 'long', contracts: 0.01, leverage: 5 });
    const exits = await bot.fetchOpenOrders(SYMBOL);
    expect(exits.map((each: Json) => each.triggerPrice).sort()).toEqual([95000, 99000]);
    await bot.cancelOrders(
      exits.map((each: Json) => each.id),
      SYMBOL,
    );
    await bot.createOrder(SYMBOL, 'market', 'sell', 0.01, 97000, { reduceOnly: true });
    expect(await bot.fetchPositions([SYMBOL])).toEqual([]);
    await venue.settled();
    const trades = await bot.fetchMyTrades(SYMBOL);
    expect(trades.map((each: Json) => each.side)).toEqual(['buy', 'sell']);
    expect(trades[0].fee).toMatchObject({ currency: 'USDC' });
    expect((await bot.fetchClosedOrders(SYMBOL)).length).toBeGreaterThan(0);
    expect(await bot.fetchLedger('USDC')).toHaveLength(1);
    expect(await bot.fetchTradingFee(SYMBOL)).toMatchObject({ taker: 0.00045, maker: 0.00015 });
  });

  test.each<[string, readonly unknown[], string]>([
    ['missing margin', ['limit', 'buy', 90, 96000], 'InsufficientFunds'],
    ['a small order', ['limit', 'buy', 0.00001, 96000], 'InvalidOrder'],
    [
      'a post-only order that would match',
      ['limit', 'buy', 0.01, 97500, { postOnly: true }],
      'InvalidOrder',
    ],
  ])('%s is the error class that bots catch', async (_, args, name) => {
    await expect(bot.createOrder(SYMBOL, ...args)).rejects.toMatchObject({ name });
  });

  test('ccxt throws OrderNotFound for an unknown order, and a spot transfer is rejected', async () => {
    await expect(bot.cancelOrder('999999', SYMBOL)).rejects.toMatchObject({
      name: 'OrderNotFound',
    });
    await expect(bot.transfer('USDC', 1, 'spot', 'swap')).rejects.toThrow('no spot');
  });

  test('a ccxt request that is not in sandbox mode is rejected', async () => {
    const { privateKey, walletAddress } = bot;
    const mainnet = new ccxt.hyperliquid({ walletAddress, privateKey });
    mainnet.urls.api = bot.urls.api;
    const asked = mainnet.createOrder(SYMBOL, 'limit', 'buy', 0.01, 96000);
    await expect(asked).rejects.toThrow('sandbox mode');
    await mainnet.close();
  });
});

test('ccxt streams deliver books, trades and orders, even after the socket is cut', async () => {
  const bot = await exchangeOf(ccxt.pro.hyperliquid);
  // ccxt requires this call before it opens a URL without TLS.
  await bot.loadHttpProxyAgent();
  const other = await exchangeOf(ccxt.hyperliquid);
  await other.createOrder(SYMBOL, 'market', 'buy', 0.01, 97000);
  expect((await bot.watchOrderBook(SYMBOL)).bids[0][0]).toBe(96999.9);
  expect(await bot.watchTicker(SYMBOL)).toMatchObject({ symbol: SYMBOL });
  expect((await bot.watchTrades(SYMBOL))[0]).toMatchObject({ symbol: SYMBOL });
  expect((await bot.watchOHLCV(SYMBOL, '1m')).at(-1)[4]).toBeGreaterThan(0);
  await bot.createOrder(SYMBOL, 'limit', 'buy', 0.01, 96000);
  const watched = bot.watchOrders(SYMBOL);
  // The client must have subscribed before the order is placed.
  await eventually(() => expect(Object.keys(bot.clients)).toHaveLength(1));
  await bot.createOrder(SYMBOL, 'limit', 'buy', 0.01, 96100);
  expect((await watched).at(-1)).toMatchObject({ symbol: SYMBOL, price: 96100 });
  proxy.cut();
  await bot.watchOrderBook(SYMBOL).catch(() => undefined);
  expect((await bot.watchOrderBook(SYMBOL)).bids[0][0]).toBe(96999.9);
});
