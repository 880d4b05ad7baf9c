import { beforeAll, describe, expect, test } from 'vitest';
import { aSharedVenue, cloidOf, orderAction, type Actor } from '../support/actors.ts';
import type { Json } from '../support/client.ts';
import { Deployer, DEPLOYED, share, shareTrader, type OutcomeMarket } from '../support/deployer.ts';
import { expectUnbroken, onChannel } from '../support/frames.ts';
import { succeeded } from '../support/perps.ts';
import {
  address,
  decimal,
  exactly,
  expectShape,
  flag,
  hash,
  integer,
  listOf,
  nullable,
  pairOf,
  price,
  record,
  text,
  time,
  uuid,
} from '../support/shape.ts';
import type { Socket } from '../support/socket.ts';

const world = aSharedVenue(DEPLOYED);
let deployer: Deployer;
let alice: Actor;
let bob: Actor;

beforeAll(async () => {
  deployer = new Deployer(world);
  alice = await shareTrader(world, 'alice');
  bob = await shareTrader(world, 'bob');
});

async function queue(actor: Actor, ...orders: Parameters<typeof orderAction>) {
  const signed = await actor.sign(orderAction(...orders));
  const { json } = await actor.client.exchange(signed);
  expect(json).toEqual({ status: 'ok', traceId: signed.traceId });
  return signed;
}

const records = (socket: Socket): Json[] =>
  socket.of('outcomeOrderUpdates').flatMap((frame) => frame.data);

describe('outcomeOrderUpdates sends changes to orders', () => {
  const outcomeOrder = record({
    oid: integer,
    instrumentId: integer,
    coin: text,
    outcome: exactly('Yes', 'No'),
    side: exactly('B', 'A'),
    reduceOnly: flag,
    limitPx: price,
    sz: price,
    origSz: price,
    filledSz: price,
    avgPx: nullable(decimal),
    timestamp: time,
    tif: text,
    cloid: nullable(text),
    traceId: uuid,
  });

  test("outcomeOrderUpdates sends an order's states in the book, in prices of its outcome", async () => {
    const market = await deployer.list();
    const socket = await world.socket();
    await socket.subscribe({ type: 'outcomeOrderUpdates', user: alice.address });
    await socket.subscribe({ type: 'orderUpdates', user: alice.address });
    const cloid = cloidOf('maker');
    const buyNo = share({ market, leg: 'no', price: '0.40', size: '10', cloid });
    const { traceId } = await queue(alice, buyNo);
    const opened = await socket.next(onChannel('outcomeOrderUpdates'));
    expect(Number.isInteger(opened.height)).toBe(true);
    const row = record({ order: outcomeOrder, status: text, statusTimestamp: time });
    expectShape(opened.data, listOf(row));
    expect(opened.data).toMatchObject([
      {
        status: 'open',
        order: {
          instrumentId: market.id,
          coin: `OUTCOME-${market.id}`,
          outcome: 'No',
          side: 'A',
          reduceOnly: false,
          limitPx: '0.4',
          sz: '10',
          cloid,
          traceId,
        },
      },
    ]);
    succeeded(await bob.place(share({ market, price: '0.7', size: '10' })));
    await socket.next(
      (frame) => frame.channel === 'outcomeOrderUpdates' && frame.data[0].status === 'filled',
    );
    expect(
      records(socket).map(({ order, status }) => [status, order.filledSz, order.avgPx]),
    ).toEqual([
      ['open', '0', null],
      ['filled', '10', '0.4'],
    ]);
    expectUnbroken(socket.of('outcomeOrderUpdates'));
    expect(socket.of('orderUpdates')).toEqual([]);
  });

  test('outcomeOrderUpdates sends all live orders to a client that cannot resume', async () => {
    const market = await deployer.list();
    const carol = await shareTrader(world, 'carol');
    succeeded(await carol.place(share({ market, price: '0.3', size: '10' })));
    const socket = await world.socket();
    const subscription = { type: 'outcomeOrderUpdates', user: carol.address };
    await socket.subscribe(subscription, { epoch: 'another', seq: 1 });
    const snapshot = await socket.next((frame) => frame.isSnapshot === true);
    expect(socket.of('resync')[0].data.reason).toBe('epoch');
    expect(snapshot.data).toMatchObject([{ status: 'open', order: { limitPx: '0.3' } }]);
    succeeded(await carol.place(share({ market, price: '0.2', size: '10' })));
    const live = await socket.next((frame) => frame.data?.[0]?.order?.limitPx === '0.2');
    await socket.close();
    const next = await world.socket();
    const { epoch, seq } = await next.subscribe(subscription);
    expect(seq).toBe(live.seq);
    await next.ask({ method: 'unsubscribe', subscription }, onChannel('subscriptionResponse'));
    await next.subscribe(subscription, { epoch, seq: live.seq - 1 });
    const again = await next.next(onChannel('outcomeOrderUpdates'));
    expect(again).toMatchObject({ seq: live.seq, data: live.data });
  });
});

describe("outcomeBbos sends markets' best prices", () => {
  test('outcomeBbos first sends all ids and then only those that changed', async () => {
    const markets = [await deployer.list(), await deployer.list()] as const;
    const [one, two] = markets;
    const socket = await world.socket();
    const instrumentIds = [two.id, one.id];
    await socket.subscribe({ type: 'outcomeBbos', instrumentIds, exchangeId: 1 });
    const first = await socket.next(onChannel('outcomeBbos'));
    expect(first.data).toEqual({
      bbos: [
        { instrumentId: one.id, bbo: [null, null] },
        { instrumentId: two.id, bbo: [null, null] },
      ],
    });
    succeeded(await alice.place(share({ market: two, leg: 'no', price: '0.45', size: '8' })));
    const changed = await socket.next(
      (frame) => frame.channel === 'outcomeBbos' && frame.seq > first.seq,
    );
    expect(changed.data).toEqual({
      bbos: [{ instrumentId: two.id, bbo: [null, { px: '0.55', sz: '8', n: 1 }] }],
    });
  });

  test.each([
    ['no id', []],
    ['an invalid id', [999_999]],
    ['a perp', [1]],
    ['text', ['100000']],
  ])('outcomeBbos rejects %s', async (_, instrumentIds) => {
    const socket = await world.socket();
    const subscription = { type: 'outcomeBbos', instrumentIds };
    const answer = await socket.ask({ method: 'subscribe', subscription }, () => true);
    expect(answer).toMatchObject({ type: 'error', code: 'INVALID_PARAMS' });
  });
});

describe("trades sends a market's trades", () => {
  test("trades have the YES price, the taker's outcome and price, and the hash of the taker's action", async () => {
    // A timer releases the delayed order, but the trade must have the hash of the order's action.
    const market = await deployer.list({ orderDelayMs: 50 });
    const socket = await world.socket();
    await socket.subscribe({ type: 'outcomeTrades', instrumentIds: [market.id] });
    await socket.subscribe({ type: 'trades', coin: market.coin });
    succeeded(await alice.place(share({ market, price: '0.70', size: '10' })));
    const { txHash } = await queue(bob, share({ market, leg: 'no', price: '0.4', size: '6' }));
    const { data } = await socket.next(onChannel('outcomeTrades'));
    const trade = {
      coin: text,
      instrumentId: integer,
      side: exactly('B', 'A'),
      px: price,
      sz: price,
      time,
      hash,
      tid: integer,
      users: pairOf(address),
    };
    expectShape(data.trades, listOf(record({ ...trade, outcome: text, price })));
    expect(data.trades).toMatchObject([
      {
        instrumentId: market.id,
        side: 'A',
        px: '0.7',
        sz: '6',
        hash: txHash,
        users: [alice.address, bob.address],
        outcome: 'No',
        price: '0.3',
      },
    ]);
    const { outcome: _outcome, price: _price, ...plain } = data.trades[0];
    expect((await socket.next(onChannel('trades'))).data).toEqual([plain]);
  });
});

describe("streams send a single market's state", () => {
  test("a market's book, book changes and context are in YES prices", async () => {
    const market = await deployer.list();
    succeeded(await alice.place(share({ market, price: '0.3', size: '10' })));
    succeeded(await bob.place(share({ market, leg: 'no', price: '0.6', size: '8' })));
    const socket = await world.socket();
    const first = async (type: string): Promise<Json> => {
      await socket.subscribe({ type, coin: market.coin });
      return (await socket.next(onChannel(type))).data;
    };
    const levels = [[{ px: '0.3', sz: '10', n: 1 }], [{ px: '0.4', sz: '8', n: 1 }]];
    expect(await first('l2Book')).toMatchObject({ coin: `OUTCOME-${market.id}`, levels });
    expect(await first('l2Diff')).toMatchObject({
      isSnapshot: true,
      bids: [['0.3', '10', 1]],
      asks: [['0.4', '8', 1]],
      checksum: expect.any(Number),
    });
    expect((await first('activeAssetCtx')).ctx).toMatchObject({
      markPx: '0.35',
      midPx: '0.35',
      oraclePx: '',
      funding: '0',
      openInterest: '0',
    });
  });

  test('the stream sends the outcome sub-account after fills and settlement', async () => {
    const market = await deployer.list();
    const [dora, emil] = [await shareTrader(world, 'dora'), await shareTrader(world, 'emil')];
    const socket = await world.socket();
    const subscription = { type: 'clearinghouseState', user: dora.address, accountType: 'outcome' };
    await socket.subscribe(subscription);
    succeeded(await dora.place(share({ market, price: '0.6', size: '10' })));
    succeeded(await emil.place(share({ market, leg: 'no', price: '0.4', size: '10' })));
    await deployer.resolve(market, '1');
    await socket.next((frame) => frame.data?.clearinghouseState?.withdrawable === '1004');
    const states = socket.of('clearinghouseState').map(({ data }) => {
      const { assetPositions, withdrawable } = data.clearinghouseState;
      return [withdrawable, ...assetPositions.map((each: Json) => each.position.szi)];
    });
    expect(states).toEqual([['1000'], ['994'], ['994', '10'], ['1004']]);
  });
});

describe('/api-ws has its own channels and errors', () => {
  test('/api-ws has its own error format', async () => {
    const socket = await world.socket('/api-ws');
    const frames: [string, string][] = [
      ['hello', 'INVALID_FRAME'],
      ['{"method":"subscribe","subscription":{"type":"trades","coin":"1"}}', 'UNKNOWN_CHANNEL'],
      ['{"method":"subscribe","subscription":{"type":"candle","coin":"1"}}', 'INVALID_PARAMS'],
      ['{"method":"unsubscribe","subscription":{"type":"tickers"}}', 'NOT_SUBSCRIBED'],
    ];
    for (const [frame, code] of frames) {
      expect(await socket.ask(frame, () => true)).toMatchObject({
        channel: 'error',
        data: { code, message: expect.any(String) },
      });
    }
    expect(await socket.ask({ method: 'ping' }, () => true)).toEqual({ method: 'PONG' });
  });

  test('outcomeOrderUpdate sends failures to all clients, and releases on request', async () => {
    const market = await deployer.list({ orderDelayMs: 3_000 });
    succeeded(await alice.place(share({ market, price: '0.7', size: '10' })));
    const socket = await world.socket('/api-ws');
    const subscription = { type: 'outcomeOrderUpdate', user: bob.address };
    const failures = await socket.subscribe(subscription);
    const all = await socket.subscribe({ ...subscription, includeSuccess: true });
    const cloid = cloidOf('queued');
    const crossing = share({ market, leg: 'no', price: '0.3', size: '5', cloid });
    const resting = share({ market, leg: 'no', price: '0.2', size: '5' });
    const { traceId } = await queue(bob, resting, crossing);
    const released = await socket.next(onChannel('outcomeOrderUpdate'));
    expect(released).toMatchObject({
      sub: all.sub,
      data: {
        done: true,
        success: true,
        traceId,
        user: bob.address,
        i: 0,
        cloid: null,
        oid: expect.any(Number),
        body: { code: 0, message: 'Released' },
      },
    });
    await deployer.set(market, 'halt');
    const failed = await socket.next(
      (frame) => frame.channel === 'outcomeOrderUpdate' && frame.sub === failures.sub,
    );
    expect(failed.data).toMatchObject({
      done: true,
      success: false,
      traceId,
      i: 1,
      cloid,
      body: {
        code: 10_000,
        name: 'INVALID',
        message: `Trading is halted for OUTCOME-${market.id}`,
      },
    });
    expect(failed.data).not.toHaveProperty('oid');
    expect(failed.height).toEqual(expect.any(Number));
  });

  test('candle, tickers, recentTrades and ledger send the current state first, followed by updates', async () => {
    const market: OutcomeMarket = await deployer.list();
    const trade = async (px: string, rest: string): Promise<void> => {
      succeeded(await alice.place(share({ market, price: px, size: '5' })));
      succeeded(await bob.place(share({ market, leg: 'no', price: rest, size: '5' })));
    };
    await trade('0.4', '0.6');
    const socket = await world.socket('/api-ws');
    const { coin, id } = market;
    await socket.subscribe({ type: 'candle', coin, interval: '1d' });
    expect((await socket.next(onChannel('candle'))).data).toMatchObject({
      s: `OUTCOME-${id}`,
      i: '1d',
      o: '0.4',
      c: '0.4',
      v: '5',
      n: 1,
      instrumentId: id,
    });
    await socket.subscribe({ type: 'tickers', instrumentIds: [id] });
    expect((await socket.next(onChannel('tickers'))).data).toMatchObject({
      isSnapshot: true,
      tickers: [{ instrumentId: id, lastPx: '0.4', oraclePx: '', funding: '0', openInterest: '5' }],
    });
    await socket.subscribe({ type: 'recentTrades', coin });
    expect((await socket.next(onChannel('recentTrades'))).data).toMatchObject({
      isSnapshot: true,
      trades: [{ px: '0.4', sz: '5' }],
    });
    const ledger = { type: 'userNonFundingLedgerUpdates', user: alice.address };
    await socket.subscribe({ ...ledger, accountTypes: 'outcome' });
    const rows = (await socket.next(onChannel(ledger.type))).data;
    expect(rows).toMatchObject({ user: alice.address, isSnapshot: true });
    const from = socket.mark;
    await trade('0.5', '0.5');
    await deployer.resolve(market, '0');
    const close = (frame: Json) => frame.channel === 'candle' && frame.data.c === '0.5';
    expect((await socket.next(close, from)).data).toMatchObject({ o: '0.4', h: '0.5', n: 2 });
    const last = (frame: Json) =>
      frame.channel === 'tickers' && frame.data.tickers[0].lastPx === '0.5';
    expect((await socket.next(last, from)).data).not.toHaveProperty('isSnapshot');
    const more = await socket.next(onChannel('recentTrades'), from);
    expect(more.data.trades.map((each: Json) => each.px)).toEqual(['0.5']);
    const paid = await socket.next(onChannel(ledger.type), from);
    expect(paid.data.nonFundingLedgerUpdates).toMatchObject([
      { delta: { type: 'outcomeSettlement', instrumentId: id, outcome: 'Yes', sz: '10' } },
    ]);
  });
});
