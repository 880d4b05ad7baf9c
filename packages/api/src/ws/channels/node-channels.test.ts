import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { TestEdge, VirtualTiming, type TestClient } from '@oddlot/testing/venue/ws/test-edge';
import { ALICE, BOB, CAROL, START_MS } from '@oddlot/testing/venue/ws/test-venue';

let edge: TestEdge;
let client: TestClient;
let timing: VirtualTiming;

beforeEach(async () => {
  timing = new VirtualTiming();
  edge = await TestEdge.start({}, timing);
  client = await edge.connect();
});
afterEach(async () => await edge.stop());

const CLOID = '0x00112233445566778899aabbccddeeff';

describe('the trades channel publishes the trades of an instrument', () => {
  test('the trades of a block are published in one frame, and earlier trades are not published', async () => {
    const frames = await client.follow({ type: 'trades', coin: '1' });
    expect(frames).toEqual([
      {
        channel: 'subscriptionResponse',
        data: {
          method: 'subscribe',
          subscription: { type: 'trades', coin: '1' },
          sub: 1,
          epoch: expect.any(String),
          seq: 0,
          fromHeight: edge.venue.state.height,
        },
      },
    ]);
    edge.venue.order(ALICE, { sell: true, price: 100, size: 0.3 });
    edge.venue.order(ALICE, { sell: true, price: 100.5, size: 0.3 });
    edge.venue.order(BOB, { buy: true, price: 101, size: 0.5 });
    const [frame, ...rest] = await client.settle();
    expect(rest).toEqual([]);
    const shared = { coin: 'BTC-USDC', instrumentId: 1, side: 'B', users: [BOB, ALICE] };
    const time = edge.venue.state.timeMs;
    const txHash = expect.stringMatching(/^0xf[0-9a-f]{63}$/);
    expect(frame).toEqual({
      channel: 'trades',
      data: [
        { ...shared, px: '100', sz: '0.3', time, hash: txHash, tid: expect.any(Number) },
        { ...shared, px: '100.5', sz: '0.2', time, hash: txHash, tid: expect.any(Number) },
      ],
      seq: 1,
      height: edge.venue.state.height,
      sub: 1,
    });
  });
});

describe('the orderUpdates channel publishes the orders of an account', () => {
  test('order updates cover the whole life of an order, and each gives its block', async () => {
    expect(await client.follow({ type: 'orderUpdates', user: ALICE })).toHaveLength(1);
    const order = { buy: true, price: 99.5, size: 0.4, clientOrderId: CLOID } as const;
    edge.venue.order(ALICE, order);
    const accepted = edge.venue.state.timeMs;
    edge.venue.order(BOB, { sell: true, price: 99, size: 0.15 });
    edge.venue.order(BOB, { sell: true, price: 99, size: 0.25 });
    const frames = await client.settle();
    expect(frames[0]).toEqual({
      channel: 'orderUpdates',
      data: [
        {
          order: {
            coin: 'BTC',
            symbol: 'BTC-USDC',
            instrumentId: 1,
            side: 'B',
            limitPx: '99.5',
            sz: '0.4',
            origSz: '0.4',
            filledSz: '0',
            avgPx: null,
            oid: expect.any(Number),
            timestamp: accepted,
            reduceOnly: false,
            orderType: 'Limit',
            tif: 'GTC',
            isTrigger: false,
            triggerPx: '0',
            cloid: CLOID,
          },
          status: 'open',
          statusTimestamp: accepted,
        },
      ],
      seq: 1,
      height: expect.any(Number),
      sub: 1,
    });
    const records = frames.flatMap((frame) => frame.data);
    expect(
      records.map(({ status, order: { sz, filledSz, avgPx } }) => [status, sz, filledSz, avgPx]),
    ).toEqual([
      ['open', '0.4', '0', null],
      ['open', '0.25', '0.15', '99.5'],
      ['filled', '0', '0.4', '99.5'],
    ]);
    expect(frames.map((frame) => frame.seq)).toEqual([1, 2, 3]);
    expect(frames[2].height).toBe(edge.venue.state.height);
  });

  test('an order update gives the reason why the order ended', async () => {
    await client.follow({ type: 'orderUpdates', user: ALICE });
    const { outcomes } = edge.venue.order(ALICE, { buy: true, price: 99, size: 0.4 });
    edge.venue.cancel(ALICE, outcomes[0]?.entries?.[0]?.orderId ?? 0);
    edge.venue.order(ALICE, { buy: true, price: 99, size: 0.4, timeInForce: 'ioc' });
    edge.venue.order(BOB, { sell: true, price: 100, size: 0.4 });
    edge.venue.order(ALICE, { buy: true, price: 100, size: 0.4, timeInForce: 'alo' });
    const market = { buy: true, price: 104, size: 0.5, timeInForce: 'market' } as const;
    edge.venue.order(ALICE, market);
    const records = (await client.settle()).flatMap((frame) => frame.data);
    const ended = records.filter((record) => record.status !== 'open');
    expect(ended.map((record) => [record.status, record.reason, record.order.tif])).toEqual([
      ['cancelled', 'userCanceled', 'GTC'],
      ['cancelled', 'iocRemainder', 'IOC'],
      ['rejected', 'Post only order would have immediately matched', 'ALO'],
      ['cancelled', 'iocRemainder', 'IOC'],
    ]);
    expect(ended.at(-1)?.order.orderType).toBe('Market');
  });

  test('order updates are for a single account, whose address may be in upper or lower case', async () => {
    await client.follow({ type: 'orderUpdates', user: ALICE.toUpperCase().replace('0X', '0x') });
    edge.venue.order(BOB, { buy: true, price: 99, size: 0.4 });
    expect(await client.settle()).toEqual([]);
    edge.venue.order(ALICE, { buy: true, price: 99, size: 0.4 });
    expect(await client.settle()).toHaveLength(1);
    client.subscribe({ type: 'orderUpdates', user: ALICE });
    expect((await client.next()).code).toBe('ALREADY_SUBSCRIBED');
  });

  test('an order for an unknown instrument causes no order update', async () => {
    await client.follow({ type: 'orderUpdates', user: ALICE });
    edge.venue.order(ALICE, { buy: true, price: 9, size: 5, instrumentId: 9 as never });
    expect(await client.settle()).toEqual([]);
  });
});

describe('the clearinghouseState channel publishes the state of an account', () => {
  test('the account state is sent immediately and after each block with fills', async () => {
    const [, snapshot] = await client.follow({ type: 'clearinghouseState', user: ALICE });
    expect(snapshot).toMatchObject({
      channel: 'clearinghouseState',
      data: {
        user: ALICE,
        accountType: 'perp',
        clearinghouseState: { withdrawable: '10000', assetPositions: [] },
      },
      seq: 0,
      height: edge.venue.state.height,
      sub: 1,
    });
    edge.venue.order(BOB, { sell: true, price: 100, size: 1 });
    edge.venue.apply([
      edge.venue.orderCommand(ALICE, { buy: true, price: 100, size: 0.25 }),
      edge.venue.orderCommand(ALICE, { buy: true, price: 100, size: 0.25 }),
    ]);
    const frames = await client.settle();
    expect(frames).toHaveLength(1);
    expect(frames[0]).toMatchObject({ seq: 1, height: edge.venue.state.height });
    const [{ position }] = frames[0].data.clearinghouseState.assetPositions;
    expect(position).toMatchObject({ szi: '0.5', entryPx: '100' });
  });

  test('the outcome sub-account has a separate stream', async () => {
    await client.follow({ type: 'clearinghouseState', user: CAROL });
    const outcome = { type: 'clearinghouseState', user: CAROL, accountType: 'outcome' };
    const [, snapshot] = await client.follow(outcome);
    expect(snapshot.data.clearinghouseState.withdrawable).toBe('0');
    edge.venue.credit(CAROL, 'outcome', 25);
    const [frame, ...rest] = await client.settle();
    expect(rest).toEqual([]);
    expect(frame).toMatchObject({ sub: 2, data: { accountType: 'outcome' } });
    expect(frame.data.clearinghouseState.marginSummary.accountValue).toBe('25');
  });
});

describe('the l2Book channel publishes the levels of a book', () => {
  test('the book is sent immediately and then at most every 100 ms, and its final state is always sent', async () => {
    edge.venue.order(ALICE, { buy: true, price: 99, size: 0.5 });
    const [, snapshot] = await client.follow({ type: 'l2Book', coin: '1' });
    expect(snapshot).toEqual({
      channel: 'l2Book',
      data: {
        coin: 'BTC-USDC',
        time: edge.venue.state.timeMs,
        levels: [[{ px: '99', sz: '0.5', n: 1 }], []],
      },
      seq: 0,
      sub: 1,
    });
    for (const size of [0.1, 0.2, 0.3, 0.4]) {
      edge.venue.order(BOB, { sell: true, price: 101, size });
      timing.advance(20);
    }
    const leading = await client.settle();
    expect(leading.map((frame) => frame.data.levels[1])).toEqual([
      [{ px: '101', sz: '0.1', n: 1 }],
    ]);
    timing.advance(20);
    const trailing = await client.settle();
    expect(trailing.map((frame) => frame.data.levels[1])).toEqual([[{ px: '101', sz: '1', n: 4 }]]);
    expect(trailing[0].seq).toBe(2);
    timing.advance(1000);
    edge.venue.oracle(100);
    expect(await client.settle()).toEqual([]);
  });

  test("the book can be aggregated to any of the instrument's ticks", async () => {
    edge.venue.order(ALICE, { buy: true, price: 99.5, size: 0.5 });
    edge.venue.order(ALICE, { buy: true, price: 99, size: 0.5 });
    const [, snapshot] = await client.follow({ type: 'l2Book', coin: '1', tick: '1.00' });
    expect(snapshot.data.levels[0]).toEqual([{ px: '99', sz: '1', n: 2 }]);
    client.subscribe({ type: 'l2Book', coin: '1', tick: '1' });
    expect((await client.next()).code).toBe('ALREADY_SUBSCRIBED');
    client.subscribe({ type: 'l2Book', coin: '1', tick: '' });
    expect((await client.next()).data.sub).toBe(2);
    await client.next();
    // Subscribing to the finest tick by name is a separate subscription, because the finest tick
    // can change.
    client.subscribe({ type: 'l2Book', coin: '1', tick: '0.5' });
    expect((await client.next()).data.sub).toBe(3);
    await client.next();
    client.subscribe({ type: 'l2Book', coin: '1', tick: '3' });
    expect((await client.next()).code).toBe('INVALID_PARAMS');
  });

  test('a new subscriber gets a correction even if the others skipped a state', async () => {
    await client.follow({ type: 'l2Book', coin: '1' });
    edge.venue.order(ALICE, { buy: true, price: 99, size: 0.5 });
    const placed = edge.venue.order(ALICE, { buy: true, price: 98, size: 0.5 });
    const newcomer = await edge.connect();
    const [, seen] = await newcomer.follow({ type: 'l2Book', coin: '1' });
    expect(seen.data.levels[0]).toHaveLength(2);
    edge.venue.cancel(ALICE, placed.outcomes[0]?.entries?.[0]?.orderId ?? 0);
    timing.advance(100);
    const [corrected] = await newcomer.settle();
    expect(corrected.data.levels[0]).toHaveLength(1);
    expect(corrected.seq).toBe(seen.seq + 1);
  });
});

describe('the activeAssetCtx channel publishes the prices of an instrument', () => {
  test('the asset context is sent immediately and when the mark, oracle price or volume changes', async () => {
    const [, snapshot] = await client.follow({ type: 'activeAssetCtx', coin: '1' });
    expect(snapshot).toMatchObject({ channel: 'activeAssetCtx', seq: 0, sub: 1 });
    expect(snapshot.data).toEqual({
      coin: 'BTC-USDC',
      instrumentId: 1,
      ctx: {
        dayNtlVlm: '0',
        dayBaseVlm: '0',
        prevDayPx: '',
        markPx: '100',
        midPx: null,
        oraclePx: '100',
        openInterest: '0',
        funding: '0',
        premium: null,
        impactPxs: null,
        nextFundingTime: START_MS + 3_600_000,
      },
    });
    edge.venue.oracle(102);
    timing.advance(250);
    edge.venue.order(ALICE, { sell: true, price: 102, size: 1 });
    edge.venue.order(BOB, { buy: true, price: 102, size: 0.5 });
    edge.venue.order(CAROL, { buy: true, price: 101.5, size: 0.5 });
    timing.advance(250);
    edge.venue.oracle(102);
    const frames = await client.settle();
    expect(frames[0].data.ctx).toMatchObject({ markPx: '102', oraclePx: '102' });
    const last = frames.at(-1).data.ctx;
    expect(last).toMatchObject({ dayNtlVlm: '51', dayBaseVlm: '0.5', openInterest: '0.5' });
    expect(last.midPx).toBe('101.75');
    expect(frames.length).toBeLessThanOrEqual(3);
  });
});

describe('channels refuse invalid parameters', () => {
  test.each([
    ['no subscription', undefined],
    ['a name instead of an id', { type: 'l2Book', coin: 'BTC-USDC' }],
    ['an unknown instrument', { type: 'trades', coin: '77' }],
    ['an outcome market, of which there are none', { type: 'activeAssetCtx', coin: '100000' }],
    ['a number instead of text', { type: 'l2Book', coin: 1 }],
    ['no user', { type: 'orderUpdates' }],
    ['a broken address', { type: 'clearinghouseState', user: '0x12' }],
  ])('a subscription with %s is refused', async (_, subscription) => {
    client.send({ method: 'subscribe', subscription });
    expect(await client.next()).toMatchObject({
      type: 'error',
      code: 'INVALID_PARAMS',
      message: expect.any(String),
    });
  });
});
