import { timeMs } from '@oddlot/units';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  TestEdge,
  VirtualTiming,
  type AnyFrame,
  type TestClient,
} from '@oddlot/testing/venue/ws/test-edge';
import {
  listMarkets,
  MARKET_ID,
  placeShares,
  resolve,
  setPhase,
  splitShares,
} from '@oddlot/testing/venue/ws/test-markets';
import { ALICE, BOB, CAROL } from '@oddlot/testing/venue/ws/test-venue';

const CLOID = '0x00112233445566778899aabbccddeeff';
const DELAYED = { orderDelayMs: 5_000 };
const ID = MARKET_ID;

let edge: TestEdge;
let client: TestClient;
let timing: VirtualTiming;

beforeEach(async () => {
  timing = new VirtualTiming();
  edge = await TestEdge.start({}, timing);
  client = await edge.connect('/api-ws');
});
afterEach(async () => await edge.stop());

describe('the outcomeOrderUpdate channel reports failed and released orders', () => {
  const FAILURES = { type: 'outcomeOrderUpdate', user: BOB };
  const EVERYTHING = { ...FAILURES, includeSuccess: true };

  test('orders that fail on release are reported one by one (R-delay)', async () => {
    listMarkets(edge.venue, 1, DELAYED);
    expect(await client.follow(FAILURES)).toHaveLength(1);
    placeShares(edge.venue, ALICE, { price: 0.7, size: 10 });
    const order = { leg: 'no', price: 0.3, size: 5 } as const;
    placeShares(edge.venue, BOB, order, { ...order, clientOrderId: CLOID });
    setPhase(edge.venue, 'halted');
    expect(await client.settle()).toEqual([]);
    edge.venue.apply([], 5_000);
    const frames = await client.settle();
    expect(frames[0]).toEqual({
      channel: 'outcomeOrderUpdate',
      data: {
        done: true,
        success: false,
        traceId: expect.stringMatching(/^f0{7}-0000-4000-8000-/),
        user: BOB,
        time: edge.venue.state.timeMs,
        i: 0,
        cloid: null,
        body: {
          code: 10_000,
          name: 'INVALID',
          message: `Trading is halted for OUTCOME-${ID}`,
          details: { field: 'orders[0].a', docs: '/docs/errors#INVALID' },
        },
      },
      seq: 1,
      height: edge.venue.state.height,
      sub: 1,
    });
    expect(frames.map(({ data }) => [data.i, data.cloid])).toEqual([
      [0, null],
      [1, CLOID],
    ]);
  });

  test('orders that reach the book are reported in a separate stream on request', async () => {
    listMarkets(edge.venue, 1, DELAYED);
    await client.follow(FAILURES);
    await client.follow(EVERYTHING);
    client.subscribe({ ...FAILURES, includeSuccess: false });
    expect(await client.next()).toMatchObject({ data: { code: 'ALREADY_SUBSCRIBED' } });
    placeShares(edge.venue, ALICE, { price: 0.7, size: 10 });
    placeShares(
      edge.venue,
      BOB,
      { leg: 'no', price: 0.3, size: 5 },
      { leg: 'no', price: 0.2, size: 5 },
      { leg: 'no', price: 0.3, size: 5, timeInForce: 'alo' },
    );
    edge.venue.apply([], 5_000);
    const frames = await client.settle();
    // The resting order and the post-only order were released immediately; /ws reports their
    // further updates.
    expect(frames.map(({ data, sub }) => [sub, data.i, data.success, data.body.message])).toEqual([
      [2, 1, true, 'Released'],
      [2, 2, true, 'Released'],
      [2, 0, true, 'Released'],
    ]);
    expect(frames[0].data).toMatchObject({
      done: true,
      body: { code: 0 },
      oid: expect.any(Number),
    });
    expect(new Set(frames.map(({ data }) => data.traceId)).size).toBe(1);
  });

  test('orders that are rejected in their block, alone or with their action, are also reported', async () => {
    listMarkets(edge.venue);
    await client.follow(FAILURES);
    // Admission would have rejected both orders, but the state can change before the block.
    placeShares(edge.venue, BOB, { sell: true, price: 0.7, size: 10 });
    const orders = [2_000, 3_000].map((price) => ({
      instrumentId: ID,
      isBuy: true,
      reduceOnly: false,
      timeInForce: 'gtc' as const,
      price,
      size: 500,
    }));
    const expiresAfterMs = timeMs(edge.venue.state.timeMs);
    edge.venue.signed(BOB, { type: 'placeOrders', orders }, { expiresAfterMs });
    const frames = await client.settle();
    expect(frames.map(({ data }) => [data.i, data.body.name, data.body.details?.field])).toEqual([
      [0, 'OUTCOME', 'orders[0].s'],
      [0, 'EXPIRED', 'expiresAfter'],
      [1, 'EXPIRED', 'expiresAfter'],
    ]);
  });

  test('outcomeOrderUpdate does not repeat any events after a resync', async () => {
    listMarkets(edge.venue);
    placeShares(edge.venue, BOB, { price: 0.2, size: 5 });
    const frames = await client.follow(EVERYTHING, { epoch: 'another', seq: 3 });
    expect(frames.map(({ channel }) => channel)).toEqual(['subscriptionResponse', 'resync']);
  });
});

describe('the candle channel publishes trade candles', () => {
  const trade = (price: number, size = 5): void => {
    placeShares(edge.venue, ALICE, { price, size });
    placeShares(edge.venue, BOB, { leg: 'no', price: 1 - price, size });
  };

  test('a candle stream starts with the current candle and publishes each completed one', async () => {
    listMarkets(edge.venue);
    const subscription = { type: 'candle', coin: String(ID), interval: '1m' };
    expect(await client.follow(subscription)).toHaveLength(1);
    trade(0.5);
    const minute = edge.venue.state.timeMs - (edge.venue.state.timeMs % 60_000);
    const [first] = await client.settle();
    expect(first).toEqual({
      channel: 'candle',
      data: {
        t: minute,
        T: minute + 59_999,
        s: `OUTCOME-${ID}`,
        i: '1m',
        o: '0.5',
        c: '0.5',
        h: '0.5',
        l: '0.5',
        v: '5',
        n: 1,
        instrumentId: ID,
      },
      seq: 1,
      sub: 1,
    });
    const other = await edge.connect('/api-ws');
    const [, snapshot] = await other.follow(subscription);
    expect(snapshot.data).toEqual(first.data);
    // The minimum interval delays the next trade, but not beyond the end of its candle.
    trade(0.7);
    edge.venue.apply([], 60_000);
    timing.advance(250);
    const frames = await client.settle();
    expect(frames.map(({ data }) => [data.t - minute, data.c, data.h, data.v, data.n])).toEqual([
      [0, '0.7', '0.7', '10', 2],
      [60_000, '0.7', '0.7', '0', 0],
    ]);
  });

  test('candles of a perp are built from its trades', async () => {
    edge.venue.order(ALICE, { buy: true, price: 100, size: 0.3 });
    edge.venue.order(BOB, { sell: true, price: 100, size: 0.3 });
    const [, frame] = await client.follow({ type: 'candle', coin: '1', interval: '1h' });
    expect(frame.data).toMatchObject({ s: 'BTC-USDC', i: '1h', c: '100', v: '0.3', n: 1 });
  });
});

describe('candles of the mark and the oracle price', () => {
  test('a stream follows the price it was subscribed for, and other prices do not affect it', async () => {
    const subscription = { type: 'candle', coin: '1', interval: '1m' };
    edge.venue.oracle(100);
    const [, mark] = await client.follow({ ...subscription, price: 'mark' });
    expect(mark.data).toMatchObject({ s: 'BTC-USDC', v: '0', n: 0, price: 'mark' });
    const [, oracle] = await client.follow({ ...subscription, price: 'oracle' });
    expect(oracle.data).toMatchObject({ o: '100', c: '100', price: 'oracle' });
    expect(await client.follow(subscription)).toHaveLength(1);
    edge.venue.oracle(105);
    timing.advance(250);
    const frames = await client.settle();
    const changed = frames.filter(({ data }) => data.price === 'oracle');
    expect(changed.map(({ data }) => [data.o, data.h, data.c])).toEqual([['100', '105', '105']]);
    expect(frames.every(({ data }) => data.price !== undefined)).toBe(true);
  });

  test('outcome markets have trade candles only', async () => {
    listMarkets(edge.venue);
    const subscription = { type: 'candle', coin: String(ID), interval: '1m', price: 'mark' };
    const [refused] = await client.follow(subscription);
    expect(refused).toMatchObject({ channel: 'error', data: { code: 'INVALID_PARAMS' } });
  });
});

describe('the tickers channel publishes all instruments', () => {
  test('tickers sends all listed instruments first, and then those that have changed', async () => {
    listMarkets(edge.venue, 2);
    placeShares(edge.venue, ALICE, { price: 0.6, size: 10 });
    placeShares(edge.venue, BOB, { leg: 'no', price: 0.4, size: 10 });
    const [, first] = await client.follow({ type: 'tickers' });
    expect(first.data.isSnapshot).toBe(true);
    expect(first.data.tickers.map((each: AnyFrame) => each.instrumentId)).toEqual([1, ID, ID + 1]);
    expect(first.data.tickers[1]).toEqual({
      instrumentId: ID,
      coin: `OUTCOME-${ID}`,
      lastPx: '0.6',
      markPx: '0.6',
      oraclePx: '',
      openInterest: '10',
      dayNtlVlm: '6',
      dayBaseVlm: '10',
      prevDayPx: '',
      change24h: '0',
      high24h: '0.6',
      low24h: '0.6',
      funding: '0',
      time: edge.venue.state.timeMs,
    });
    edge.venue.oracle(102);
    const [changed, ...rest] = await client.settle();
    expect(rest).toEqual([]);
    expect(changed.data.tickers).toMatchObject([
      { coin: 'BTC-USDC', markPx: '102', oraclePx: '102', lastPx: '', high24h: '' },
    ]);
    expect(changed.data).not.toHaveProperty('isSnapshot');
    resolve(edge.venue, 1);
    timing.advance(250);
    const after = await client.settle();
    const tickers = after.flatMap(({ data }) => data.tickers);
    expect(tickers).toMatchObject([{ coin: 'OUTCOME-100000', gone: true }]);
  });

  test.each([
    [{ accountType: 'perps' }, [1]],
    [{ accountType: 'outcome' }, [ID]],
    [{ instrumentIds: [ID, 1] }, [1, ID]],
    [{ accountType: 'outcome', instrumentIds: [1] }, []],
  ])(
    'the tickers with the parameters %j contain only the selected instruments',
    async (params, ids) => {
      listMarkets(edge.venue);
      const [, { data }] = await client.follow({ type: 'tickers', ...params });
      expect(data.tickers.map((each: AnyFrame) => each.instrumentId)).toEqual(ids);
    },
  );

  test('a ticker includes the daily change of the mark', async () => {
    listMarkets(edge.venue);
    edge.venue.order(ALICE, { buy: true, price: 90, size: 1 });
    edge.venue.order(BOB, { sell: true, price: 90, size: 1 });
    edge.venue.apply([], 25 * 3_600_000);
    const [, { data }] = await client.follow({ type: 'tickers', instrumentIds: [1] });
    const [{ change24h, high24h, low24h, prevDayPx, dayNtlVlm }] = data.tickers;
    expect({ change24h, high24h, low24h, prevDayPx, dayNtlVlm }).toEqual({
      change24h: '10',
      high24h: '90',
      low24h: '90',
      prevDayPx: '90',
      dayNtlVlm: '0',
    });
  });
});

test('recentTrades sends the newest trades first, and then those of each block', async () => {
  const sell = (price: number): void => {
    edge.venue.order(ALICE, { buy: true, price, size: 0.2 });
    edge.venue.order(BOB, { sell: true, price, size: 0.2 });
  };
  for (const price of [90, 91, 92]) sell(price);
  const [, first] = await client.follow({ type: 'recentTrades', coin: '1', limit: 2 });
  const prices = (frame: AnyFrame): string[] => frame.data.trades.map(({ px }: AnyFrame) => px);
  expect(first.data).toMatchObject({ coin: 'BTC-USDC', isSnapshot: true });
  expect(prices(first)).toEqual(['92', '91']);
  sell(93);
  const [next, ...rest] = await client.settle();
  expect(rest).toEqual([]);
  expect(prices(next)).toEqual(['93']);
  expect(next.data).not.toHaveProperty('isSnapshot');
});

test('ledger streams first send the newest rows of the requested accounts, and then new rows', async () => {
  listMarkets(edge.venue);
  const subscription = { type: 'userNonFundingLedgerUpdates', user: CAROL };
  const [, first] = await client.follow({ ...subscription, accountTypes: 'outcome' });
  expect(first).toMatchObject({ height: edge.venue.state.height, sub: 1 });
  expect(first.data).toMatchObject({
    user: CAROL,
    isSnapshot: true,
    nonFundingLedgerUpdates: [{ delta: { type: 'faucet', amount: '1000' } }],
  });
  splitShares(edge.venue, CAROL, 10);
  edge.venue.credit(CAROL, 'perp', 5);
  const [next, ...rest] = await client.settle();
  expect(rest).toEqual([]);
  expect(next.data).toEqual({
    user: CAROL,
    nonFundingLedgerUpdates: [
      {
        time: edge.venue.state.timeMs - 1000,
        hash: expect.stringMatching(/^0xf/),
        delta: { type: 'outcomeSplit', amount: '10', instrumentId: ID, sz: '10' },
      },
    ],
  });
});
