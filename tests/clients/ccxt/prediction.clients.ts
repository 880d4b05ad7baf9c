import { startVenue, type TestMarket, type TestVenue } from '@oddlot/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Json } from '../../support/client.ts';
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
 * Goal: the exchange class for outcome markets supports everything it declares in `has`, and
 * returns the structures of ccxt's base class for prediction markets. Method: the same as for
 * perps.
 */

let venue: TestVenue;
let bots: Bots;
let bot: Json;
let other: Json;
let market: TestMarket;
let done: TestMarket;
let yes: string;
let no: string;
const ids: Record<string, string> = {};

beforeAll(async () => {
  venue = await startVenue({ time: Date.now(), ports: true });
  market = await venue.createMarket();
  done = await venue.createMarket();
  await venue.fillBook(market, { levels: 5, size: '1000' });
  await venue.fillBook(done, { levels: 5, size: '1000' });
  bots = new Bots(venue);
  ({ exchange: bot } = await bots.funded('oddlotPrediction'));
  ({ exchange: other } = await bots.funded('oddlotPrediction'));
  await bot.loadMarkets();
  yes = bot.outcome(`${market.id}:YES`).outcome;
  no = bot.outcome(`${market.id}:NO`).outcome;
  await other.createOrder(yes, 'limit', 'buy', 10, 0.6);
});
afterAll(async () => {
  await bots.close();
  await venue.stop();
});

const buy = (outcome: string, price: number, params: object = {}): Promise<Json> =>
  bot.createOrder(outcome, 'limit', 'buy', 10, price, params);

const DRIVERS: Readonly<Record<string, () => Promise<void>>> = {
  fetchMarkets: async () => {
    const markets = await bot.fetchMarkets();
    expect(markets).toHaveLength(2);
    for (const each of markets) expectStructure('outcomeMarket', each);
    expect(markets[0].outcomes.map(({ label }: Json) => label)).toEqual(['Yes', 'No']);
  },
  fetchCurrencies: async () => expectKeyed('currency', await bot.fetchCurrencies(), 'code'),
  fetchTime: async () => expect(await bot.fetchTime()).toBe(venue.now),
  fetchStatus: async () => expectStructure('status', await bot.fetchStatus()),
  fetchEvent: async () => {
    const { event } = bot.outcome(yes);
    const found = await bot.fetchEvent(event);
    expectStructure('event', found);
    expect(found.slug).toBe(event);
  },
  fetchEvents: async () => {
    const { event } = bot.outcome(yes);
    const events = await bot.fetchEvents({ slug: event });
    expect(events).toHaveLength(1);
    expectStructure('event', events[0]);
    const { title } = events[0];
    expect(await bot.fetchEvents({ query: title.split(' ')[0], status: 'all' })).not.toEqual([]);
    await expect(bot.fetchEvents()).rejects.toMatchObject({ name: 'ArgumentsRequired' });
  },
  fetchOutcome: async () => {
    const cold = bots.open('oddlotPrediction', {});
    const id = `${market.id}:NO`;
    expect(await cold.fetchOutcome(id)).toMatchObject({ outcomeId: id, outcome: no });
  },
  fetchTicker: async () => {
    const [ticker, opposite] = [await bot.fetchTicker(yes), await bot.fetchTicker(no)];
    expectStructure('outcomeTicker', ticker);
    expect(opposite.bid).toBeCloseTo(1 - ticker.ask, 6);
    expect(opposite.last).toBeCloseTo(1 - ticker.last, 6);
  },
  fetchTickers: async () => {
    expectKeyed('outcomeTicker', await bot.fetchTickers([yes, no]), 'outcome');
  },
  fetchOrderBook: async () => {
    const [book, opposite] = [await bot.fetchOrderBook(yes), await bot.fetchOrderBook(no, 1)];
    expectBook('outcomeBook', book);
    expectBook('outcomeBook', opposite);
    expect(opposite.bids[0][0]).toBeCloseTo(1 - book.asks[0][0], 6);
    expect(opposite.bids).toHaveLength(1);
  },
  fetchTrades: async () => {
    expectRows('outcomeTrade', await bot.fetchTrades(yes));
    const [trade] = await bot.fetchTrades(no);
    expect(trade).toMatchObject({ side: 'sell', outcome: no });
  },
  fetchOHLCV: async () => {
    expectCandles(await bot.fetchOHLCV(yes, '1m'));
    expectCandles(await bot.fetchOHLCV(no, '1m'));
  },
  fetchOpenInterest: async () => {
    expectStructure('outcomeInterest', await bot.fetchOpenInterest(yes));
  },
  fetchTradingFee: async () => expectStructure('outcomeFee', await bot.fetchTradingFee(yes)),
  fetchBalance: async () => expectBalance(await bot.fetchBalance()),
  createOrder: async () => {
    const order = await buy(yes, 0.3, { clientOrderId: `0x${'a'.padStart(32, '0')}` });
    expectStructure('outcomeOrder', order);
    expect(order).toMatchObject({ status: 'open', side: 'buy', outcome: yes, price: 0.3 });
    ids.yes = order.id;
    const resting = await buy(no, 0.2, { postOnly: true });
    expect(resting).toMatchObject({ status: 'open', outcome: no, timeInForce: 'PO' });
    ids.no = resting.id;
    const filled = await buy(no, 0.7);
    expect(filled).toMatchObject({ status: 'closed', filled: 10, outcome: no });
    ids.filled = filled.id;
    ids.third = (await buy(yes, 0.31)).id;
    await expect(bot.createOrder(yes, 'market', 'buy', 10)).rejects.toMatchObject({
      name: 'InvalidOrder',
    });
    await expect(buy(yes, 0.3, { timeInForce: 'IOC' })).rejects.toMatchObject({
      name: 'InvalidOrder',
    });
  },
  createOrders: async () => {
    const orders = await bot.createOrders([
      { outcome: yes, type: 'limit', side: 'buy', amount: 10, price: 0.32, params: {} },
      { outcome: no, type: 'limit', side: 'sell', amount: 5, price: 0.9, params: {} },
    ]);
    expect(orders).toMatchObject([
      { side: 'buy', outcome: yes, status: 'open' },
      { side: 'sell', outcome: no, status: 'open' },
    ]);
    ids.fourth = orders[0].id;
  },
  editOrder: async () => {
    const edited = await bot.editOrder(ids.yes, yes, 'limit', 'buy', 12, 0.33);
    expectStructure('outcomeOrder', edited);
    expect(edited).toMatchObject({ id: ids.yes, price: 0.33, amount: 12, status: 'open' });
  },
  fetchOpenOrders: async () => {
    const orders = await bot.fetchOpenOrders();
    expectRows('outcomeOrder', orders, { min: 4 });
    const own = await bot.fetchOpenOrders(no);
    expect(own.map(({ side }: Json) => side).toSorted()).toEqual(['buy', 'sell']);
  },
  fetchOrder: async () => {
    const order = await bot.fetchOrder(ids.filled);
    expectStructure('outcomeOrder', order);
    expect(order).toMatchObject({ id: ids.filled, side: 'buy', outcome: no, status: 'closed' });
    await expect(bot.fetchOrder('999999')).rejects.toMatchObject({ name: 'OrderNotFound' });
  },
  cancelOrder: async () => {
    const order = await bot.cancelOrder(ids.yes, yes);
    expectStructure('anyOrder', order);
    expect(order).toMatchObject({ id: ids.yes, status: 'canceled' });
    await expect(bot.cancelOrder(ids.yes, yes)).rejects.toMatchObject({ name: 'OrderNotFound' });
  },
  cancelOrders: async () => {
    const orders = await bot.cancelOrders([ids.third, ids.fourth], yes);
    expectRows('anyOrder', orders, { min: 2 });
  },
  cancelAllOrders: async () => {
    expectRows('anyOrder', await bot.cancelAllOrders(), { min: 2 });
    expect(await bot.fetchOpenOrders()).toEqual([]);
  },
  fetchPositions: async () => {
    const positions = await bot.fetchPositions();
    expectRows('outcomePosition', positions);
    expect(positions).toMatchObject([{ outcome: no, contracts: 10, side: 'long' }]);
    expect(await bot.fetchPositions([yes])).toEqual([]);
  },
  fetchPosition: async () => expectStructure('outcomePosition', await bot.fetchPosition(no)),
  fetchMyTrades: async () => {
    const trades = await bot.fetchMyTrades(no);
    expectRows('outcomeTrade', trades);
    expect(trades[0]).toMatchObject({ side: 'buy', order: ids.filled, takerOrMaker: 'taker' });
  },
  fetchOrders: async () => expectRows('outcomeOrder', await bot.fetchOrders(), { min: 5 }),
  fetchClosedOrders: async () => {
    const orders = await bot.fetchClosedOrders();
    expect(orders).toMatchObject([{ id: ids.filled, status: 'closed', filled: 10 }]);
  },
  fetchCanceledOrders: async () => {
    const orders = await bot.fetchCanceledOrders(yes);
    expectRows('outcomeOrder', orders, { min: 3 });
    expect(new Set(orders.map(({ status }: Json) => status))).toEqual(new Set(['canceled']));
  },
  watchOrderBook: async () => {
    expectBook('outcomeBook', await bot.watchOrderBook(yes));
    expectBook('outcomeBook', await bot.watchOrderBook(no));
  },
  watchTicker: async () => expectStructure('outcomeTicker', await bot.watchTicker(yes)),
  watchTrades: async () => {
    const trades = await watched(
      bot,
      () => bot.watchTrades(no),
      () => other.createOrder(yes, 'limit', 'buy', 10, 0.7),
    );
    expectRows('outcomeTrade', trades);
    expect(trades[0]).toMatchObject({ outcome: no, side: 'sell' });
  },
  watchOHLCV: async () => expectCandles(await bot.watchOHLCV(yes, '1m')),
  watchOrders: async () => {
    const orders = await watched(
      bot,
      () => bot.watchOrders(no),
      () => buy(no, 0.11),
    );
    expectRows('outcomeOrder', orders);
    expect(orders[0]).toMatchObject({ outcome: no, side: 'buy', price: 0.11, status: 'open' });
  },
  watchMyTrades: async () => {
    const trades = await watched(
      bot,
      () => bot.watchMyTrades(),
      () => buy(yes, 0.7),
    );
    expectRows('outcomeTrade', trades);
    expect(trades[0]).toMatchObject({ outcome: yes, side: 'buy', takerOrMaker: 'taker' });
  },
  watchPositions: async () => {
    const positions = await bot.watchPositions();
    expect(positions.map(({ outcome }: Json) => outcome)).toEqual([yes, no]);
    for (const position of positions) expectStructure('outcomePosition', position);
  },
  watchBalance: async () => expectBalance(await bot.watchBalance()),
  unWatchOrderBook: async () => {
    await unwatched(
      () => bot.watchOrderBook(yes),
      () => bot.unWatchOrderBook(yes),
    );
  },
  unWatchTicker: async () => {
    await unwatched(
      () => bot.watchTicker(yes),
      () => bot.unWatchTicker(yes),
    );
  },
  unWatchTrades: async () => {
    await unwatched(
      () => bot.watchTrades(yes),
      () => bot.unWatchTrades(yes),
    );
  },
  unWatchOHLCV: async () => {
    await unwatched(
      () => bot.watchOHLCV(yes, '1m'),
      () => bot.unWatchOHLCV(yes, '1m'),
    );
  },
  unWatchOrders: async () => {
    await unwatched(
      () => bot.watchOrders(),
      () => bot.unWatchOrders(),
    );
  },
  unWatchMyTrades: async () => {
    await unwatched(
      () => bot.watchMyTrades(),
      () => bot.unWatchMyTrades(),
    );
  },
  unWatchPositions: async () => {
    await unwatched(
      () => bot.watchPositions(),
      () => bot.unWatchPositions(),
    );
  },
  unWatchBalance: async () => {
    await unwatched(
      () => bot.watchBalance(),
      () => bot.unWatchBalance(),
    );
  },
  fetchSettlements: async () => {
    const outcome = bot.outcome(`${done.id}:YES`).outcome;
    expect(await buy(outcome, 0.7)).toMatchObject({ status: 'closed' });
    await venue.resolveMarket(done, '1');
    await venue.advance('5s');
    const settlements = await bot.fetchSettlements();
    expectRows('settlement', settlements);
    expect(settlements[0]).toMatchObject({ outcome, amount: 10, payout: 10, won: true });
  },
};

test('the tests call every method that the class declares', () => expectAllDriven(bot, DRIVERS));

describe('each declared method of the outcome-market class works', () => {
  test.each(Object.keys(DRIVERS))('%s', async (name) => {
    await DRIVERS[name]!();
  });
});

test('USDC can be split into shares and merged back', async () => {
  const { exchange } = await bots.funded('oddlotPrediction');
  await exchange.splitShares(yes, 20);
  expect(await exchange.fetchPositions()).toMatchObject([
    { outcome: yes, contracts: 20 },
    { outcome: no, contracts: 20 },
  ]);
  await exchange.mergeShares(no, 20);
  expect(await exchange.fetchPositions()).toEqual([]);
});

test('shares cannot be sold twice', async () => {
  await expect(other.createOrder(no, 'limit', 'sell', 100, 0.5)).rejects.toMatchObject({
    name: 'InsufficientFunds',
  });
});
