import { traceId } from '@oddlot/protocol';
import { timeMs } from '@oddlot/units';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { TestEdge, VirtualTiming, type TestClient } from '@oddlot/testing/venue/ws/test-edge';
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
const ID = MARKET_ID;

let edge: TestEdge;
let client: TestClient;
let timing: VirtualTiming;

beforeEach(async () => {
  timing = new VirtualTiming();
  edge = await TestEdge.start({}, timing);
  client = await edge.connect();
});
afterEach(async () => await edge.stop());

describe('the outcomeOrderUpdates channel publishes the outcome orders of an account', () => {
  test('order updates cover the life of an outcome order, in prices of its outcome', async () => {
    listMarkets(edge.venue);
    expect(await client.follow({ type: 'outcomeOrderUpdates', user: ALICE })).toHaveLength(1);
    const expireMs = timeMs(edge.venue.state.timeMs + 3_600_000);
    const gtd = { timeInForce: 'gtd', expireMs, clientOrderId: CLOID } as const;
    const buyNo = { leg: 'no', price: 0.4, size: 10, ...gtd } as const;
    placeShares(edge.venue, ALICE, buyNo);
    const accepted = edge.venue.state.timeMs;
    placeShares(edge.venue, BOB, { price: 0.7, size: 10 });
    const frames = await client.settle();
    const [opened] = frames;
    expect(opened).toEqual({
      channel: 'outcomeOrderUpdates',
      data: [
        {
          order: {
            oid: expect.any(Number),
            instrumentId: ID,
            coin: `OUTCOME-${ID}`,
            outcome: 'No',
            side: 'A',
            reduceOnly: false,
            limitPx: '0.4',
            sz: '10',
            origSz: '10',
            filledSz: '0',
            avgPx: null,
            timestamp: accepted,
            tif: 'GTD',
            expireTime: expireMs,
            cloid: CLOID,
            traceId: expect.stringMatching(/^f0{7}-0000-4000-8000-/),
          },
          status: 'open',
          statusTimestamp: accepted,
        },
      ],
      seq: 1,
      height: expect.any(Number),
      sub: 1,
    });
    const filled = frames[1].data[0];
    expect(filled).toMatchObject({ status: 'filled', order: { avgPx: '0.4', filledSz: '10' } });
    expect(filled.order.traceId).toBe(opened.data[0].order.traceId);
    expect(frames).toHaveLength(2);
  });

  test('outcome order updates give the reason why an order ended, and exclude perp orders', async () => {
    listMarkets(edge.venue);
    await client.follow({ type: 'outcomeOrderUpdates', user: ALICE });
    await client.follow({ type: 'orderUpdates', user: ALICE });
    placeShares(edge.venue, BOB, { price: 0.5, size: 10 });
    placeShares(edge.venue, ALICE, { leg: 'no', price: 0.5, size: 10, timeInForce: 'alo' });
    placeShares(edge.venue, ALICE, { price: 0.3, size: 10 });
    edge.venue.order(ALICE, { buy: true, price: 99, size: 0.4 });
    setPhase(edge.venue, 'closed');
    const frames = await client.settle();
    const shown = frames.flatMap(({ channel, data }) =>
      data.map((each: { status: string; reason?: string }) => [channel, each.status, each.reason]),
    );
    expect(shown).toEqual([
      ['outcomeOrderUpdates', 'rejected', 'Post only order would have immediately matched'],
      ['outcomeOrderUpdates', 'open', undefined],
      ['orderUpdates', 'open', undefined],
      ['outcomeOrderUpdates', 'cancelled', 'outcomeResolved'],
    ]);
  });

  test('a resync sends all live outcome orders, newest first, without queued ones', async () => {
    listMarkets(edge.venue, 1, { orderDelayMs: 5_000 });
    placeShares(edge.venue, BOB, { leg: 'no', price: 0.4, size: 10 });
    placeShares(edge.venue, ALICE, { price: 0.2, size: 10 }, { price: 0.3, size: 10 });
    placeShares(edge.venue, ALICE, { price: 0.7, size: 10 });
    const from = { epoch: 'another', seq: 1 };
    const frames = await client.follow({ type: 'outcomeOrderUpdates', user: ALICE }, from);
    const snapshot = frames.find(({ channel }) => channel === 'outcomeOrderUpdates');
    expect(snapshot.isSnapshot).toBe(true);
    expect(
      snapshot.data.map((each: { status: string; order: { limitPx: string } }) => [
        each.status,
        each.order.limitPx,
      ]),
    ).toEqual([
      ['open', '0.3'],
      ['open', '0.2'],
    ]);
  });
});

describe('the outcomeBbos channel publishes the best prices of a group of markets', () => {
  const level = (px: string, sz: string, n = 1) => ({ px, sz, n });

  test('the best prices of all markets are sent first, and then those that have changed', async () => {
    listMarkets(edge.venue, 2);
    placeShares(edge.venue, ALICE, { price: 0.3, size: 10 });
    const subscription = { type: 'outcomeBbos', instrumentIds: [ID + 1, ID], exchangeId: 1 };
    const [response, first] = await client.follow(subscription);
    expect(response.data.subscription).toEqual(subscription);
    expect(first).toEqual({
      channel: 'outcomeBbos',
      data: {
        bbos: [
          { instrumentId: ID, bbo: [level('0.3', '10'), null] },
          { instrumentId: ID + 1, bbo: [null, null] },
        ],
      },
      seq: 0,
      sub: 1,
    });
    // A bid for NO at 0.6 is an ask for YES at 0.4.
    placeShares(edge.venue, BOB, { leg: 'no', price: 0.6, size: 8 });
    placeShares(edge.venue, BOB, { price: 0.2, size: 8 });
    timing.advance(100);
    const [changed, ...rest] = await client.settle();
    expect(rest).toEqual([]);
    const bbo = [level('0.3', '10'), level('0.4', '8')];
    expect(changed.data).toEqual({ bbos: [{ instrumentId: ID, bbo }] });
    client.subscribe({ type: 'outcomeBbos', instrumentIds: [ID, ID + 1, ID] });
    expect((await client.next()).code).toBe('ALREADY_SUBSCRIBED');
  });

  test('a connection can subscribe to twenty groups of best prices, each with fifty ids', async () => {
    listMarkets(edge.venue, 21);
    const group = (index: number) => ({ type: 'outcomeBbos', instrumentIds: [ID + index] });
    for (let index = 0; index < 20; index++) await client.follow(group(index));
    client.subscribe(group(20));
    expect(await client.next()).toEqual({
      type: 'error',
      code: 'TOO_MANY_SUBSCRIPTIONS',
      message: 'Too many outcomeBbos groups: 20',
      subscription: group(20),
    });
    client.send({ method: 'unsubscribe', subscription: group(3) });
    await client.next();
    expect(await client.follow(group(20))).toHaveLength(2);
    const instrumentIds = Array.from({ length: 51 }, (_, index) => ID + index);
    for (const ids of [[], instrumentIds, [1], [ID + 40]]) {
      client.subscribe({ type: 'outcomeBbos', instrumentIds: ids });
      expect((await client.next()).code).toBe('INVALID_PARAMS');
    }
  });

  test('a new subscriber gets a correction even if the others skipped a price', async () => {
    listMarkets(edge.venue);
    const subscription = { type: 'outcomeBbos', instrumentIds: [ID] };
    await client.follow(subscription);
    placeShares(edge.venue, ALICE, { price: 0.3, size: 10 });
    const placed = placeShares(edge.venue, ALICE, { price: 0.4, size: 10 });
    const newcomer = await edge.connect();
    const [, seen] = await newcomer.follow(subscription);
    expect(seen.data.bbos[0].bbo[0].px).toBe('0.4');
    const orderId = placed.outcomes[0]?.entries?.[0]?.orderId ?? 0;
    const cancels = [{ instrumentId: ID, orderId }];
    edge.venue.signed(ALICE, { type: 'cancelOrders', cancels });
    timing.advance(100);
    const [corrected] = await newcomer.settle();
    expect(corrected.data.bbos[0].bbo[0].px).toBe('0.3');
  });
});

describe('the outcomeTrades channel publishes the trades of a group of markets', () => {
  test("outcome trades give the YES price, the taker's outcome and the price of that outcome", async () => {
    listMarkets(edge.venue, 2);
    await client.follow({ type: 'outcomeTrades', instrumentIds: [ID, ID + 1] });
    await client.follow({ type: 'trades', coin: String(ID) });
    placeShares(edge.venue, ALICE, { price: 0.7, size: 10 });
    placeShares(edge.venue, BOB, { leg: 'no', price: 0.4, size: 6 });
    const [outcome, plain, ...rest] = await client.settle();
    expect(rest).toEqual([]);
    const trade = {
      coin: `OUTCOME-${ID}`,
      instrumentId: ID,
      side: 'A',
      px: '0.7',
      sz: '6',
      time: edge.venue.state.timeMs,
      hash: expect.stringMatching(/^0xf/),
      tid: expect.any(Number),
      users: [ALICE, BOB],
    };
    expect([outcome, plain].find(({ channel }) => channel === 'outcomeTrades').data).toEqual({
      trades: [{ ...trade, outcome: 'No', price: '0.3' }],
    });
    expect([outcome, plain].find(({ channel }) => channel === 'trades').data).toEqual([trade]);
  });

  test("a trade has the hash of the taker's action, even after a delayed release (R-delay)", async () => {
    listMarkets(edge.venue, 1, { orderDelayMs: 5_000 });
    await client.follow({ type: 'outcomeTrades', instrumentIds: [ID] });
    await client.follow({ type: 'outcomeOrderUpdates', user: BOB });
    placeShares(edge.venue, ALICE, { price: 0.7, size: 10 });
    placeShares(edge.venue, BOB, { leg: 'no', price: 0.3, size: 6 });
    expect(await client.settle()).toEqual([]);
    edge.venue.apply([], 5_000);
    const [{ data }, { data: records }] = await client.settle();
    const { hash } = data.trades[0];
    expect(hash).toMatch(/^0xf/);
    expect(traceId(hash)).toBe(records[0].order.traceId);
  });

  test('a resync sends the last fifty trades of the group in order', async () => {
    listMarkets(edge.venue, 2);
    for (let round = 0; round < 30; round++) {
      for (const instrumentId of [ID, ID + 1] as (typeof ID)[]) {
        placeShares(edge.venue, ALICE, { price: 0.5, size: 5, instrumentId });
        placeShares(edge.venue, BOB, { leg: 'no', price: 0.5, size: 5, instrumentId });
      }
    }
    const subscription = { type: 'outcomeTrades', instrumentIds: [ID, ID + 1] };
    const frames = await client.follow(subscription, { epoch: 'another', seq: 1 });
    const { trades } = frames.find(({ isSnapshot }) => isSnapshot).data;
    const tids = trades.map(({ tid }: { tid: number }) => tid);
    expect(tids).toEqual(Array.from({ length: 50 }, (_, index) => index + 11));
  });
});

describe('perp channels can also be opened for an outcome market', () => {
  test('the book of an outcome market has YES prices, and is empty after settlement', async () => {
    listMarkets(edge.venue);
    placeShares(edge.venue, ALICE, { price: 0.3, size: 10 });
    const [, first] = await client.follow({ type: 'l2Book', coin: String(ID) });
    expect(first.data).toMatchObject({
      coin: `OUTCOME-${ID}`,
      levels: [[{ px: '0.3', sz: '10', n: 1 }], []],
    });
    placeShares(edge.venue, BOB, { leg: 'no', price: 0.6, size: 8 });
    expect((await client.settle())[0].data.levels[1]).toEqual([{ px: '0.4', sz: '8', n: 1 }]);
    resolve(edge.venue, 1);
    timing.advance(100);
    expect((await client.settle())[0].data.levels).toEqual([[], []]);
    const other = await edge.connect();
    expect(await other.follow({ type: 'l2Book', coin: String(ID) })).toHaveLength(2);
  });

  test('the context of an outcome market has neither an oracle price nor funding', async () => {
    listMarkets(edge.venue);
    const [, first] = await client.follow({ type: 'activeAssetCtx', coin: String(ID) });
    expect(first.data).toEqual({
      coin: `OUTCOME-${ID}`,
      instrumentId: ID,
      ctx: {
        dayNtlVlm: '0',
        dayBaseVlm: '0',
        prevDayPx: '',
        markPx: '0.5',
        midPx: null,
        oraclePx: '',
        openInterest: '0',
        funding: '0',
        premium: null,
        impactPxs: null,
        nextFundingTime: 0,
      },
    });
    placeShares(edge.venue, ALICE, { price: 0.6, size: 10 });
    placeShares(edge.venue, BOB, { leg: 'no', price: 0.4, size: 8 });
    placeShares(edge.venue, BOB, { leg: 'no', price: 0.33, size: 8 });
    timing.advance(250);
    const last = (await client.settle()).at(-1).data.ctx;
    // After a mint of 8 pairs at 0.6, the bid is 0.6 and the ask 0.67.
    expect(last).toMatchObject({ dayNtlVlm: '4.8', dayBaseVlm: '8', openInterest: '8' });
    expect(last).toMatchObject({ markPx: '0.635', midPx: '0.635' });
  });

  test('the outcome account state changes on fills, reserves, splits and settlement', async () => {
    listMarkets(edge.venue, 1, { orderDelayMs: 5_000, takerFeeE8: 0 });
    const subscription = { type: 'clearinghouseState', user: ALICE, accountType: 'outcome' };
    const [, first] = await client.follow(subscription);
    expect(first.data.clearinghouseState.withdrawable).toBe('1000');
    await client.follow({ type: 'clearinghouseState', user: ALICE });
    const steps: [what: string, run: () => void][] = [
      ['split', () => splitShares(edge.venue, ALICE, 10)],
      ['rest', () => placeShares(edge.venue, ALICE, { price: 0.5, size: 20 })],
      ['queue', () => placeShares(edge.venue, BOB, { leg: 'no', price: 0.5, size: 20 })],
      ['fill', () => edge.venue.apply([], 5_000)],
      ['settle', () => resolve(edge.venue, 0.75)],
    ];
    const seen: unknown[] = [];
    for (const [what, run] of steps) {
      run();
      for (const { data } of await client.settle()) {
        const { assetPositions, withdrawable } = data.clearinghouseState;
        const held = assetPositions.map((each: { position: { szi: string } }) => each.position.szi);
        seen.push([what, data.accountType, withdrawable, ...held]);
      }
    }
    expect(seen).toEqual([
      ['split', 'outcome', '990', '10', '-10'],
      ['rest', 'outcome', '980', '10', '-10'],
      ['fill', 'outcome', '980', '30', '-10'],
      ['settle', 'outcome', '1005'],
    ]);
  });
});

describe('the l2Diff channel publishes changes to the whole book', () => {
  test('the whole book is sent first, and then the changes of each block', async () => {
    edge.venue.order(ALICE, { buy: true, price: 100, size: 0.5 });
    edge.venue.order(ALICE, { buy: true, price: 99.5, size: 2 });
    edge.venue.order(BOB, { sell: true, price: 100.5, size: 1.25 });
    const [, first] = await client.follow({ type: 'l2Diff', coin: '1' });
    expect(first).toMatchObject({ seq: 0, height: edge.venue.state.height });
    expect(first.data).toEqual({
      coin: 'BTC-USDC',
      instrumentId: 1,
      time: edge.venue.state.timeMs,
      isSnapshot: true,
      bids: [
        ['100', '0.5', 1],
        ['99.5', '2', 1],
      ],
      asks: [['100.5', '1.25', 1]],
      checksum: 1_032_469_501,
    });
    edge.venue.apply([
      edge.venue.orderCommand(BOB, { sell: true, price: 100, size: 0.75 }),
      edge.venue.orderCommand(BOB, { sell: true, price: 100.5, size: 0.25 }),
    ]);
    edge.venue.oracle(100);
    const [changed, ...rest] = await client.settle();
    expect(rest).toEqual([]);
    expect(changed.data).toEqual({
      coin: 'BTC-USDC',
      instrumentId: 1,
      time: edge.venue.state.timeMs - 1000,
      bids: [['100', '0', 0]],
      asks: [
        ['100', '0.25', 1],
        ['100.5', '1.5', 2],
      ],
      checksum: expect.any(Number),
    });
  });

  test('the checksum of an empty outcome book is 0', async () => {
    listMarkets(edge.venue);
    const [, first] = await client.follow({ type: 'l2Diff', coin: String(ID) });
    expect(first.data).toMatchObject({ bids: [], asks: [], checksum: 0 });
    placeShares(edge.venue, CAROL, { leg: 'no', price: 0.6, size: 8 });
    expect((await client.settle())[0].data.asks).toEqual([['0.4', '8', 1]]);
  });
});
