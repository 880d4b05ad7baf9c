import { startVenue, type TestVenue } from '@oddlot/testkit';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { privateKeyWallet } from '@oddlot/sdk';
import type { Json } from '../../support/client.ts';
import { CuttableProxy } from '../../support/cuttable-proxy.ts';
import { Bots, expectAllDriven, unwatched, watched } from './bots.ts';
import {
  expectBalance,
  expectBook,
  expectCandles,
  expectKeyed,
  expectRows,
  expectStructure,
} from './structures.ts';

/**
 * Goal: the exchange class for perps supports everything it declares in `has`, and returns ccxt's
 * structures. Method: each declared method of the published ccxt is called against a venue from the
 * testkit. Methods are called in table order, because later calls read the results of earlier ones.
 */

const S = 'BTC/USDC:USDC';
const E = 'ETH/USDC:USDC';

let venue: TestVenue;
let bots: Bots;
let bot: Json;
let other: Json;
let address: string;
let privateKey: string;
/** Order ids needed by later rows of the table. */
const ids: Record<string, string> = {};

beforeAll(async () => {
  venue = await startVenue({ time: Date.now(), ports: true, chain: true });
  await venue.fillBook('BTC-USDC', { levels: 20, size: '1' });
  await venue.fillBook('ETH-USDC', { levels: 20, size: '10' });
  bots = new Bots(venue);
  ({ address, exchange: bot, privateKey } = await bots.funded('oddlot'));
  ({ exchange: other } = await bots.funded('oddlot'));
  await other.createOrder(S, 'market', 'buy', 0.02);
});
afterAll(async () => {
  await bots.close();
  await venue.stop();
});

const trade = (): Promise<Json> => other.createOrder(S, 'market', 'buy', 0.001);
const rest = (price = 90_000, params: object = {}): Promise<Json> =>
  bot.createOrder(S, 'limit', 'buy', 0.01, price, params);

const DRIVERS: Readonly<Record<string, () => Promise<void>>> = {
  fetchMarkets: async () => {
    const markets = await bot.fetchMarkets();
    expect(markets).toHaveLength(3);
    await bot.loadMarkets();
    for (const market of Object.values(bot.markets)) expectStructure('market', market);
    expect(bot.market(S)).toMatchObject({ id: '1', precision: { amount: 0.00001, price: 0.1 } });
  },
  fetchCurrencies: async () => {
    expectKeyed('currency', await bot.fetchCurrencies(), 'code');
    expect(bot.currency('USDC')).toMatchObject({ deposit: true, withdraw: true, fee: 0.1 });
  },
  fetchTime: async () => expect(await bot.fetchTime()).toBe(venue.now),
  fetchStatus: async () => {
    const status = await bot.fetchStatus();
    expectStructure('status', status);
    expect(status.status).toBe('ok');
  },
  fetchTicker: async () => {
    const ticker = await bot.fetchTicker(S);
    expectStructure('ticker', ticker);
    expect(ticker).toMatchObject({ symbol: S, bid: 96_999.9, last: 97_000.1, baseVolume: 0.02 });
  },
  fetchTickers: async () => {
    expectKeyed('ticker', await bot.fetchTickers(), 'symbol');
    expect(Object.keys(await bot.fetchTickers([S]))).toEqual([S]);
  },
  fetchOrderBook: async () => {
    const book = await bot.fetchOrderBook(S, 5);
    expectBook('book', book);
    expect([book.bids.length, book.asks.length]).toEqual([5, 5]);
  },
  fetchL2OrderBook: async () => expectBook('book', await bot.fetchL2OrderBook(S)),
  fetchTrades: async () => expectRows('trade', await bot.fetchTrades(S)),
  fetchOHLCV: async () => {
    expectCandles(await bot.fetchOHLCV(S, '1m'));
    expect(await bot.fetchOHLCV(S, '1m', venue.now - 120_000, 1)).toHaveLength(1);
  },
  fetchFundingRate: async () => expectStructure('fundingRate', await bot.fetchFundingRate(S)),
  fetchFundingRates: async () =>
    expectKeyed('fundingRate', await bot.fetchFundingRates(), 'symbol'),
  fetchFundingInterval: async () => {
    expect(await bot.fetchFundingInterval(S)).toMatchObject({ symbol: S, interval: '1h' });
  },
  fetchOpenInterest: async () => {
    const interest = await bot.fetchOpenInterest(S);
    expectStructure('openInterest', interest);
    expect(interest).toMatchObject({ openInterestAmount: 0.02, openInterestValue: 1940 });
  },
  fetchOpenInterests: async () => {
    expectKeyed('openInterest', await bot.fetchOpenInterests([S, E]), 'symbol');
  },
  fetchLeverageTiers: async () => {
    const tiers = await bot.fetchLeverageTiers([S]);
    expect(Object.keys(tiers)).toEqual([S]);
    for (const tier of tiers[S]) expectStructure('leverageTier', tier);
  },
  fetchMarketLeverageTiers: async () => {
    const [first] = await bot.fetchMarketLeverageTiers(S);
    expect(first).toMatchObject({ tier: 1, minNotional: 0, maxLeverage: 50 });
  },
  fetchBalance: async () => {
    expectBalance(await bot.fetchBalance());
    expect((await bot.fetchBalance({ type: 'outcome' })).USDC.total).toBe(5000);
  },
  fetchTradingFee: async () => {
    const fee = await bot.fetchTradingFee(S);
    expectStructure('tradingFee', fee);
    expect(fee).toMatchObject({ symbol: S, maker: 0.00015, taker: 0.00045 });
  },
  fetchTradingFees: async () => expectKeyed('tradingFee', await bot.fetchTradingFees(), 'symbol'),
  fetchPositionMode: async () => {
    expectStructure('positionMode', await bot.fetchPositionMode());
  },
  setPositionMode: async () => {
    await bot.setPositionMode(true);
    expect(await bot.fetchPositionMode(S)).toMatchObject({ hedged: true });
    await bot.setPositionMode(false);
  },
  setMarginMode: async () => {
    await bot.setMarginMode('isolated', E);
    await expect(bot.setMarginMode('x', E)).rejects.toMatchObject({ name: 'BadRequest' });
  },
  fetchMarginMode: async () => {
    const mode = await bot.fetchMarginMode(E);
    expectStructure('marginMode', mode);
    expect(mode.marginMode).toBe('isolated');
  },
  setLeverage: async () => {
    expectStructure('actionResult', await bot.setLeverage(5, S));
  },
  fetchLeverage: async () => {
    const leverage = await bot.fetchLeverage(S);
    expectStructure('leverage', leverage);
    expect(leverage).toMatchObject({ marginMode: 'cross', longLeverage: 5, shortLeverage: 5 });
  },
  createOrder: async () => {
    const order = await bot.createOrder(S, 'limit', 'buy', 0.01, 90_000, {
      clientOrderId: `0x${'1'.padStart(32, '0')}`,
    });
    expectStructure('order', order);
    expect(order).toMatchObject({ status: 'open', price: 90_000, amount: 0.01, filled: 0 });
    ids.first = order.id;
    const ioc = await bot.createOrder(S, 'limit', 'buy', 1.5, 97_000.1, { timeInForce: 'IOC' });
    expect(ioc).toMatchObject({ status: 'canceled', timeInForce: 'IOC' });
    expect(ioc.filled).toBeGreaterThan(0.9);
    ids.partly = ioc.id;
    await bot.createOrder(S, 'market', 'sell', ioc.filled, undefined, { reduceOnly: true });
    await expect(
      bot.createOrder(S, 'limit', 'buy', 0.01, 90_000, { timeInForce: 'FOK' }),
    ).rejects.toMatchObject({ name: 'NotSupported' });
    const expireTime = (await bot.fetchTime()) + 60_000;
    const gtd = await rest(89_000, { timeInForce: 'GTD', expireTime });
    expect(gtd).toMatchObject({ status: 'open', timeInForce: 'GTD' });
    await bot.cancelOrder(gtd.id, S);
  },
  createLimitOrder: async () => {
    const order = await bot.createLimitOrder(S, 'buy', 0.01, 90_100);
    expectStructure('order', order);
    ids.second = order.id;
  },
  createOrders: async () => {
    const orders = await bot.createOrders([
      { symbol: S, type: 'limit', side: 'buy', amount: 0.01, price: 90_200, params: {} },
      {
        symbol: S,
        type: 'limit',
        side: 'buy',
        amount: 0.01,
        price: 97_500,
        params: { postOnly: true },
      },
    ]);
    expect(orders.map(({ status }: Json) => status)).toEqual(['open', 'rejected']);
    for (const order of orders) expectStructure('order', { ...order, id: order.id ?? '' });
    ids.third = orders[0].id;
  },
  createPostOnlyOrder: async () => {
    const order = await bot.createPostOnlyOrder(S, 'limit', 'buy', 0.01, 90_300);
    expect(order).toMatchObject({ status: 'open', timeInForce: 'PO', postOnly: true });
    ids.fourth = order.id;
    await expect(bot.createPostOnlyOrder(S, 'limit', 'buy', 0.01, 97_500)).rejects.toMatchObject({
      name: 'OrderImmediatelyFillable',
    });
  },
  editOrder: async () => {
    const edited = await bot.editOrder(ids.first, S, 'limit', 'buy', 0.02, 90_001);
    expectStructure('order', edited);
    expect(edited).toMatchObject({ id: ids.first, price: 90_001, amount: 0.02, status: 'open' });
    expect(await bot.editOrder(ids.first, S, 'limit', 'buy', 0.03)).toMatchObject({
      price: 90_001,
      amount: 0.03,
    });
  },
  fetchOpenOrders: async () => {
    const orders = await bot.fetchOpenOrders(S);
    expectRows('order', orders, { min: 4 });
    expect(new Set(orders.map(({ status }: Json) => status))).toEqual(new Set(['open']));
    expect(await bot.fetchOpenOrders(E)).toEqual([]);
  },
  fetchOrder: async () => {
    const order = await bot.fetchOrder(ids.first, S);
    expectStructure('order', order);
    expect(order).toMatchObject({ id: ids.first, status: 'open', price: 90_001, remaining: 0.03 });
    const partly = await bot.fetchOrder(ids.partly, S);
    expectStructure('order', partly);
    expect(partly).toMatchObject({ status: 'canceled', amount: 1.5 });
    expect(partly.trades.length).toBeGreaterThan(0);
    await expect(bot.fetchOrder('999999', S)).rejects.toMatchObject({ name: 'OrderNotFound' });
  },
  fetchOrderWithClientOrderId: async () => {
    const cloid = `0x${'1'.padStart(32, '0')}`;
    expect(await bot.fetchOrderWithClientOrderId(cloid, S)).toMatchObject({ id: ids.first });
  },
  cancelOrder: async () => {
    const order = await bot.cancelOrder(ids.second, S);
    expectStructure('order', order);
    expect(order).toMatchObject({ id: ids.second, status: 'canceled' });
    await expect(bot.cancelOrder(ids.second, S)).rejects.toMatchObject({ name: 'OrderNotFound' });
  },
  cancelOrderWithClientOrderId: async () => {
    const cloid = `0x${'1'.padStart(32, '0')}`;
    expect(await bot.cancelOrderWithClientOrderId(cloid, S)).toMatchObject({ id: ids.first });
  },
  cancelOrders: async () => {
    const orders = await bot.cancelOrders([ids.third, ids.fourth], S);
    expectRows('order', orders, { min: 2 });
  },
  createMarketOrder: async () => {
    const order = await bot.createMarketOrder(S, 'buy', 0.01);
    expectStructure('order', order);
    expect(order).toMatchObject({ type: 'market', status: 'closed', filled: 0.01, remaining: 0 });
    ids.filled = order.id;
  },
  fetchPositions: async () => {
    const positions = await bot.fetchPositions([S]);
    expectRows('position', positions);
    expect(positions).toMatchObject([{ symbol: S, side: 'long', contracts: 0.01, leverage: 5 }]);
    expect(await bot.fetchPositions([E])).toEqual([]);
  },
  fetchPosition: async () => expectStructure('position', await bot.fetchPosition(S)),
  createStopLossOrder: async () => {
    const order = await bot.createStopLossOrder(S, 'market', 'sell', 0.01, undefined, 95_000);
    expectStructure('order', order);
    expect(order).toMatchObject({ status: 'open', stopLossPrice: 95_000, reduceOnly: true });
  },
  createTakeProfitOrder: async () => {
    const order = await bot.createTakeProfitOrder(S, 'limit', 'sell', 0.01, 99_000, 98_900);
    expect(order).toMatchObject({ type: 'limit', takeProfitPrice: 98_900, price: 99_000 });
  },
  createTriggerOrder: async () => {
    const stop = await bot.createTriggerOrder(S, 'market', 'buy', 0.01, undefined, 99_500);
    expect(stop).toMatchObject({ status: 'open', triggerPrice: 99_500, reduceOnly: false });
    const dip = await bot.createOrder(S, 'limit', 'buy', 0.01, 91_000, {
      triggerPrice: 91_500,
      triggerDirection: 'below',
    });
    expect((await bot.fetchOrder(dip.id, S)).info.order.triggerCondition).toBe('Price below 91500');
  },
  createStopOrder: async () => {
    const order = await bot.createStopOrder(S, 'market', 'sell', 0.01, undefined, 94_000);
    expect(order).toMatchObject({ triggerPrice: 94_000, status: 'open' });
  },
  createStopLimitOrder: async () => {
    const order = await bot.createStopLimitOrder(S, 'sell', 0.01, 93_900, 94_000);
    expect(order).toMatchObject({ type: 'limit', triggerPrice: 94_000, price: 93_900 });
  },
  createStopMarketOrder: async () => {
    const order = await bot.createStopMarketOrder(S, 'sell', 0.01, 93_000);
    expect(order).toMatchObject({ type: 'market', triggerPrice: 93_000 });
  },
  cancelAllOrders: async () => {
    const cancelled = await bot.cancelAllOrders(S);
    expectRows(
      'order',
      cancelled.map((order: Json) => ({ ...order, symbol: S })),
      { min: 7 },
    );
    expect(await bot.fetchOpenOrders(S)).toEqual([]);
  },
  createReduceOnlyOrder: async () => {
    const order = await bot.createReduceOnlyOrder(S, 'market', 'sell', 0.01);
    expect(order).toMatchObject({ status: 'closed', reduceOnly: true });
    expect(await bot.fetchPositions()).toEqual([]);
  },
  createOrderWithTakeProfitAndStopLoss: async () => {
    const order = await bot.createOrderWithTakeProfitAndStopLoss(
      S,
      'market',
      'buy',
      0.01,
      undefined,
      99_000,
      95_000,
    );
    expect(order).toMatchObject({ status: 'closed' });
    const exits = await bot.fetchOpenOrders(S);
    expect(exits.map(({ triggerPrice }: Json) => triggerPrice).toSorted()).toEqual([
      95_000, 99_000,
    ]);
    await venue.setPrice('BTC', '94000');
    await venue.advance('2s');
    expect(await bot.fetchPositions()).toEqual([]);
    expect(await bot.fetchOpenOrders(S)).toEqual([]);
    await venue.setPrice('BTC', '97000');
    await venue.advance('2s');
  },
  fetchOrderTrades: async () => {
    const trades = await bot.fetchOrderTrades(ids.filled, S);
    expectRows('trade', trades);
    expect(trades[0]).toMatchObject({ order: ids.filled, takerOrMaker: 'taker', amount: 0.01 });
  },
  fetchMyTrades: async () => {
    const trades = await bot.fetchMyTrades(S);
    expectRows('trade', trades, { min: 4 });
    const since = trades[1].timestamp;
    expect(await bot.fetchMyTrades(S, since, 1)).toHaveLength(1);
    expect(await bot.fetchMyTrades(S, undefined, 2)).toEqual(trades.slice(-2));
  },
  fetchOrders: async () => expectRows('order', await bot.fetchOrders(S), { min: 8 }),
  fetchClosedOrders: async () => {
    const orders = await bot.fetchClosedOrders(S);
    expectRows('order', orders);
    expect(new Set(orders.map(({ status }: Json) => status))).toEqual(new Set(['closed']));
  },
  fetchCanceledOrders: async () => {
    const orders = await bot.fetchCanceledOrders(S);
    expectRows('order', orders);
    const partly = orders.find(({ id }: Json) => id === ids.partly);
    expect(partly.filled).toBe((await bot.fetchOrder(ids.partly, S)).filled);
  },
  fetchCanceledAndClosedOrders: async () => {
    const orders = await bot.fetchCanceledAndClosedOrders(S);
    expectRows('order', orders);
    expect(orders.map(({ id }: Json) => id)).toEqual(
      expect.arrayContaining([ids.filled, ids.partly]),
    );
  },
  addMargin: async () => {
    await bot.createOrder(E, 'market', 'buy', 1);
    const added = await bot.addMargin(E, 400.5);
    expectStructure('marginModification', added);
    expect(added).toMatchObject({ type: 'add', amount: 400.5 });
  },
  reduceMargin: async () => {
    const before = (await bot.fetchPosition(E)).collateral;
    expectStructure('marginModification', await bot.reduceMargin(E, 5));
    expect((await bot.fetchPosition(E)).collateral).toBeCloseTo(before - 5, 4);
  },
  cancelAllOrdersAfter: async () => {
    const order = await rest();
    expectStructure('actionResult', await bot.cancelAllOrdersAfter(6000));
    await venue.advance('7s');
    expect(await bot.fetchOrder(order.id, S)).toMatchObject({ status: 'canceled' });
    await bot.cancelAllOrdersAfter(0);
  },
  transfer: async () => {
    const transfer = await bot.transfer('USDC', 10, 'swap', 'outcome');
    expectStructure('transfer', transfer);
    expect((await bot.fetchBalance({ type: 'outcome' })).USDC.total).toBe(5010);
    await bot.transfer('USDC', 1, 'swap', other.walletAddress);
    await expect(bot.transfer('USDC', 1, 'spot', 'swap')).rejects.toMatchObject({
      name: 'BadRequest',
    });
  },
  fetchTransfers: async () => expectRows('transfer', await bot.fetchTransfers(), { min: 2 }),
  withdraw: async () => {
    const withdrawal = await bot.withdraw('USDC', 5, address);
    expectStructure('transaction', withdrawal);
    expect(withdrawal).toMatchObject({ type: 'withdrawal', amount: 5, currency: 'USDC' });
  },
  fetchWithdrawals: async () => {
    const withdrawals = await bot.fetchWithdrawals();
    expectRows('transaction', withdrawals);
    expect(withdrawals).toMatchObject([{ amount: 5, fee: { cost: 0.1, currency: 'USDC' } }]);
  },
  fetchDeposits: async () => expectRows('transaction', await bot.fetchDeposits()),
  fetchDepositsWithdrawals: async () => {
    expectRows('transaction', await bot.fetchDepositsWithdrawals(), { min: 2 });
  },
  fetchLedger: async () => {
    const entries = await bot.fetchLedger('USDC');
    expectRows('ledgerEntry', entries, { min: 4 });
    const kinds = entries.map(({ direction, type }: Json) => `${type} ${direction}`);
    expect(kinds).toEqual(
      expect.arrayContaining(['transfer out', 'transaction in', 'transaction out']),
    );
  },
  watchOrderBook: async () => {
    const book = await bot.watchOrderBook(S);
    expectBook('book', book);
    const next = await watched(
      bot,
      () => bot.watchOrderBook(S),
      async () => (ids.best = (await rest(97_000)).id),
    );
    expect(next.bids[0]).toEqual([97_000, 0.01]);
    await bot.cancelOrder(ids.best, S);
  },
  watchTrades: async () => expectRows('trade', await watched(bot, () => bot.watchTrades(S), trade)),
  watchTicker: async () => expectStructure('ticker', await bot.watchTicker(S)),
  watchTickers: async () => expectKeyed('ticker', await bot.watchTickers(), 'symbol'),
  watchOHLCV: async () => expectCandles(await bot.watchOHLCV(S, '1m')),
  watchOrders: async () => {
    const orders = await watched(
      bot,
      () => bot.watchOrders(S),
      () => rest(90_500),
    );
    expectRows('order', orders);
    expect(orders[0]).toMatchObject({ symbol: S, price: 90_500, status: 'open' });
  },
  watchMyTrades: async () => {
    const trades = await watched(
      bot,
      () => bot.watchMyTrades(S),
      () => bot.createOrder(S, 'market', 'buy', 0.01),
    );
    expectRows('trade', trades);
    expect(trades[0]).toMatchObject({ side: 'buy', takerOrMaker: 'taker' });
  },
  watchPositions: async () => {
    const positions = await bot.watchPositions([S]);
    expectRows('position', positions);
    expect(positions[0]).toMatchObject({ symbol: S, side: 'long', contracts: 0.01 });
  },
  watchBalance: async () => {
    expectBalance(await bot.watchBalance());
    const next = await watched(
      bot,
      () => bot.watchBalance(),
      () => bot.transfer('USDC', 7, 'outcome', 'swap'),
    );
    expectBalance(next);
  },
  unWatchOrderBook: async () =>
    unwatched(
      () => bot.watchOrderBook(S),
      () => bot.unWatchOrderBook(S),
    ),
  unWatchTrades: async () =>
    unwatched(
      () => bot.watchTrades(S),
      () => bot.unWatchTrades(S),
    ),
  unWatchTicker: async () =>
    unwatched(
      () => bot.watchTicker(S),
      () => bot.unWatchTicker(S),
    ),
  unWatchTickers: async () =>
    unwatched(
      () => bot.watchTickers(),
      () => bot.unWatchTickers(),
    ),
  unWatchOHLCV: async () =>
    unwatched(
      () => bot.watchOHLCV(S, '1m'),
      () => bot.unWatchOHLCV(S, '1m'),
    ),
  unWatchOrders: async () =>
    unwatched(
      () => bot.watchOrders(S),
      () => bot.unWatchOrders(S),
    ),
  unWatchMyTrades: async () =>
    unwatched(
      () => bot.watchMyTrades(S),
      () => bot.unWatchMyTrades(S),
    ),
  unWatchPositions: async () =>
    unwatched(
      () => bot.watchPositions([S]),
      () => bot.unWatchPositions(),
    ),
  unWatchBalance: async () => {
    await bot.watchBalance();
    await unwatched(
      () => bot.watchBalance(),
      () => bot.unWatchBalance(),
    );
  },
  fetchFundingHistory: async () => {
    await venue.advance('2h');
    const fundings = await bot.fetchFundingHistory(S);
    expectRows('funding', fundings, { min: 2 });
    expect(fundings[0]).toMatchObject({ symbol: S, code: 'USDC' });
  },
  fetchFundingRateHistory: async () => {
    const rates = await bot.fetchFundingRateHistory(S, venue.now - 86_400_000);
    expectRows('fundingRateHistory', rates, { min: 2 });
    expect(await bot.fetchFundingRateHistory(S, rates[0].timestamp, 1)).toEqual([rates[0]]);
  },
  fetchOpenInterestHistory: async () => {
    const history = await bot.fetchOpenInterestHistory(S, '1h', venue.now - 86_400_000);
    expectRows('openInterest', history);
  },
  fetchLiquidations: async () => {
    const { exchange: poor } = await bots.funded('oddlot');
    await poor.setLeverage(50, E);
    await poor.createOrder(E, 'market', 'buy', 200, undefined, { slippage: 0.2 });
    await venue.setPrice('ETH', '3050');
    await venue.advance('1m');
    expectRows('liquidation', await bot.fetchLiquidations(E));
    await venue.setPrice('ETH', '3400');
  },
};

test.each(['loseAnswer', 'loseRequest', 'executeThen503', 'duplicate', 'rateLimit'] as const)(
  'an order executes once after the fault %s',
  async (fault) => {
    const { exchange } = await bots.funded('oddlot', { url: await venue.openPort() });
    await exchange.loadMarkets();
    venue.faults[fault]();
    const order = await exchange.createOrder(E, 'market', 'buy', 0.1);
    expect(order).toMatchObject({ status: 'closed', filled: 0.1 });
    expect(await exchange.fetchPositions()).toMatchObject([{ contracts: 0.1 }]);
  },
);

test("an unanswered order throws an error that includes the action's hash", async () => {
  const config = { url: await venue.openPort(), options: { retriesMax: 0 } };
  const { exchange } = await bots.funded('oddlot', config);
  await exchange.loadMarkets();
  venue.faults.loseAnswer();
  const asked = exchange.createOrder(E, 'limit', 'buy', 0.1, 3000);
  await expect(asked).rejects.toThrow(/txHash 0x[0-9a-f]{64}$/);
  await expect(asked).rejects.toMatchObject({ name: 'NetworkError' });
  await expect.poll(() => exchange.fetchOpenOrders(E)).toHaveLength(1);
});

test('in hedge mode, an account can hold a long and a short position', async () => {
  const { exchange } = await bots.funded('oddlot');
  await exchange.setPositionMode(true);
  await exchange.createOrder(E, 'market', 'buy', 0.2);
  await exchange.createOrder(E, 'market', 'sell', 0.1);
  const positions = await exchange.fetchPositions([E]);
  expectRows('position', positions, { min: 2 });
  expect(await exchange.fetchPosition(E, { side: 'short' })).toMatchObject({
    side: 'short',
    contracts: 0.1,
    hedged: true,
  });
});

test('the tests call every method that the class declares', () => expectAllDriven(bot, DRIVERS));

describe('each declared method of the perps class works', () => {
  test.each(Object.keys(DRIVERS))('%s', async (name) => {
    await DRIVERS[name]!();
  });
});

test("an agent trades for its owner's account but cannot transfer", async () => {
  const agentKey = generatePrivateKey();
  const owner = venue.client(privateKeyWallet(privateKey as `0x${string}`));
  await owner.exchange.approveAgent(
    { agentAddress: privateKeyToAddress(agentKey), agentName: 'bot' },
    { confirm: 'executed' },
  );
  const agent = bots.open('oddlot', { walletAddress: address, privateKey: agentKey });
  const order = await agent.createOrder(S, 'limit', 'buy', 0.01, 90_700);
  expect(await bot.fetchOrder(order.id, S)).toMatchObject({ price: 90_700 });
  await expect(agent.transfer('USDC', 1, 'swap', 'outcome')).rejects.toMatchObject({
    name: expect.stringMatching(/AccountNotEnabled|AuthenticationError/),
  });
});

/** Watch methods that must not lose rows. */
const CUT = ['watchOrders', 'watchMyTrades', 'watchTrades'] as const;

test.each(CUT)('%s loses no rows when the sockets are cut', async (method) => {
  const proxy = await CuttableProxy.open(venue.url);
  const { exchange } = await bots.funded('oddlot', { url: proxy.url });
  const { privateKey: key, walletAddress } = exchange;
  const direct = bots.open('oddlot', { walletAddress, privateKey: key });
  const buy = (amount: number): Promise<Json> => direct.createOrder(S, 'market', 'buy', amount);
  const amounts = async (): Promise<number[]> => {
    const rows = await exchange[method](S);
    return rows.map(({ amount }: Json) => amount);
  };
  expect(await watched(exchange, amounts, () => buy(0.01))).toEqual([0.01]);
  const lost = amounts().catch((error: Error) => error);
  await new Promise((resolve) => setTimeout(resolve, 50));
  proxy.cut();
  expect((await lost).constructor.name).toBe('NetworkError');
  // These orders execute while there is no connection.
  await buy(0.02);
  await buy(0.03);
  const received = await amounts();
  while (received.length < 2) received.push(...(await amounts()));
  expect(received).toEqual([0.02, 0.03]);
  proxy.close();
});

test('a book is complete again after the sockets are cut', async () => {
  const proxy = await CuttableProxy.open(venue.url);
  const { exchange } = await bots.funded('oddlot', { url: proxy.url });
  expectBook('book', await exchange.watchOrderBook(S));
  const lost = exchange.watchOrderBook(S).catch((error: Error) => error);
  await new Promise((resolve) => setTimeout(resolve, 50));
  proxy.cut();
  expect((await lost).constructor.name).toBe('NetworkError');
  expectBook('book', await exchange.watchOrderBook(S));
  proxy.close();
});
