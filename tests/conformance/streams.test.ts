import { describe, expect, test } from 'vitest';
import { aSharedVenue, cloidOf, order } from '../support/actors.ts';
import { type Json, eventually } from '../support/client.ts';
import { exact, show } from '../support/exact.ts';
import { expectUnbroken, onChannel, orderUpdate, untilStatus, updates } from '../support/frames.ts';
import {
  address,
  book,
  clearinghouseState,
  decimal,
  decimalOrUnset,
  exactly,
  expectShape,
  hash,
  integer,
  listOf,
  nullable,
  pairOf,
  price,
  record,
  text,
  time,
} from '../support/shape.ts';

const world = aSharedVenue();

describe('l2Book sends the book', () => {
  test('l2Book sends a snapshot immediately and then the whole book after each change', async () => {
    const alice = await world.trader('alice');
    const { eth } = world;
    const socket = await world.socket();
    const response = await socket.subscribe({ type: 'l2Book', coin: eth.coin });
    const first = await socket.next(onChannel('l2Book'));
    expectShape(first.data, book);
    expect(first.data).toMatchObject({ coin: 'ETH-USDC', levels: [[], []] });
    expect(first.sub).toBe(response.sub);
    const level = { px: eth.at(-100), sz: eth.worth(20), n: 1 };
    await alice.placed({ market: eth, side: 'buy', price: level.px, size: level.sz });
    const changed = await socket.next(
      (frame) => frame.channel === 'l2Book' && frame.data.levels[0].length === 1,
    );
    expect(changed.data.levels).toEqual([[level], []]);
    await alice.placed({ market: eth, side: 'sell', price: eth.at(100), size: level.sz });
    const both = await socket.next(
      (frame) => frame.channel === 'l2Book' && frame.data.levels[1].length === 1,
    );
    expect(both.data.levels).toEqual([[level], [{ ...level, px: eth.at(100) }]]);
    expectUnbroken(socket.of('l2Book'));
    const asked = await world.client.data({ type: 'l2Book', coin: eth.coin });
    expect(asked.levels).toEqual(both.data.levels);
  });

  test('a coarser tick is a separate subscription', async () => {
    const { universe } = await world.client.data({ type: 'perpMeta' });
    const { bookTicks } = universe.find((perp: Json) => perp.index === world.sol.id);
    const socket = await world.socket();
    const fine = await socket.subscribe({ type: 'l2Book', coin: world.sol.coin });
    const tick = bookTicks.at(-1);
    const coarse = await socket.subscribe({ type: 'l2Book', coin: world.sol.coin, tick });
    expect(coarse.sub).not.toBe(fine.sub);
    await socket.next((frame) => frame.channel === 'l2Book' && frame.sub === coarse.sub);
  });
});

describe('trades sends every trade', () => {
  const trade = record({
    coin: text,
    instrumentId: integer,
    side: exactly('B', 'A'),
    px: price,
    sz: price,
    time,
    hash,
    tid: integer,
    users: pairOf(address),
  });

  test('both parties and all other subscribers see the same trade', async () => {
    const [alice, bob] = [await world.trader('alice'), await world.trader('bob')];
    const { sol } = world;
    const sockets = [await world.socket(), await world.socket()] as const;
    for (const socket of sockets) await socket.subscribe({ type: 'trades', coin: sol.coin });
    expect(sockets[0].of('trades')).toEqual([]);
    const [px, sz] = [sol.at(0), sol.worth(30)];
    await bob.placed({ market: sol, side: 'buy', price: px, size: sz });
    const taker = await alice.place(order({ market: sol, side: 'sell', price: px, size: sz }));
    const seen = [];
    for (const socket of sockets) seen.push(await socket.next(onChannel('trades')));
    expectShape(seen[0].data, listOf(trade));
    expect(seen[0].data).toMatchObject([
      {
        coin: expect.stringMatching(/^SOL/),
        instrumentId: sol.id,
        side: 'A',
        px,
        sz,
        hash: taker.json.txHash,
        users: [bob.address, alice.address],
      },
    ]);
    expect(seen[1].data).toEqual(seen[0].data);
    expect(seen[1].seq).toBe(seen[0].seq);
  });

  test('an order that fills several makers causes several trades, best price first', async () => {
    const [alice, bob] = [await world.trader('alice'), await world.trader('bob')];
    const { sol } = world;
    const socket = await world.socket();
    await socket.subscribe({ type: 'trades', coin: sol.coin });
    const sz = sol.worth(20);
    const prices = [0, 1, 2].map((step) => sol.ticks(sol.at(10), step));
    await bob.place(
      ...prices.map((px) => order({ market: sol, side: 'sell', price: px, size: sz })),
    );
    const size = show(exact(sz) * 3n);
    await alice.placed({ market: sol, side: 'buy', price: prices[2]!, size });
    const rows = await eventually(() => {
      const all = socket.of('trades').flatMap((frame) => frame.data);
      expect(all).toHaveLength(3);
      return all;
    });
    expect(rows.map((row) => row.px)).toEqual(prices);
    expect(new Set(rows.map((row) => row.tid)).size).toBe(3);
    expect(rows.map((row) => row.side)).toEqual(['B', 'B', 'B']);
  });
});

describe("orderUpdates sends changes to an account's orders", () => {
  test('orderUpdates sends an order as open, partly filled and filled', async () => {
    const [alice, bob] = [await world.trader('alice'), await world.trader('bob')];
    const { btc } = world;
    const socket = await world.socket();
    await socket.subscribe({ type: 'orderUpdates', user: bob.address });
    const half = btc.worth(30);
    const size = show(exact(half) * 2n);
    const cloid = cloidOf('life');
    const px = btc.at(0);
    const { oid } = await bob.placed({ market: btc, side: 'sell', price: px, size, cloid });
    const open = await untilStatus(socket, oid, 'open');
    expectShape(open, orderUpdate);
    expect(open.order).toMatchObject({
      coin: 'BTC',
      symbol: 'BTC-USDC',
      instrumentId: btc.id,
      side: 'A',
      limitPx: px,
      sz: size,
      origSz: size,
      filledSz: '0',
      avgPx: null,
      reduceOnly: false,
      orderType: 'Limit',
      tif: 'GTC',
      cloid,
    });
    await alice.placed({ market: btc, side: 'buy', price: px, size: half });
    await alice.placed({ market: btc, side: 'buy', price: px, size: half });
    const filled = await untilStatus(socket, oid, 'filled');
    expect(filled.order).toMatchObject({ sz: '0', origSz: size, filledSz: size, avgPx: px });
    expect(filled).not.toHaveProperty('reason');
    const life = updates(socket).map((row) => [row.status, row.order.sz]);
    expect(life).toEqual([
      ['open', size],
      ['open', half],
      ['filled', '0'],
    ]);
    const frames = socket.of('orderUpdates');
    expectUnbroken(frames);
    for (const frame of frames) expect(Number.isInteger(frame.height)).toBe(true);
  });

  test('orderUpdates sends the reason for every cancel and reject', async () => {
    const [alice, bob] = [await world.trader('alice'), await world.trader('bob')];
    const { btc } = world;
    const socket = await world.socket();
    await socket.subscribe({ type: 'orderUpdates', user: alice.address });
    const size = btc.worth(20);
    const buy = { market: btc, side: 'buy', price: btc.at(-500), size } as const;

    const cancelled = await alice.placed(buy);
    await alice.cancel({ a: btc.id, o: cancelled.oid });
    expect(await untilStatus(socket, cancelled.oid, 'cancelled')).toMatchObject({
      reason: 'userCanceled',
      order: { sz: size, filledSz: '0' },
    });

    const immediate = await alice.placed({ ...buy, tif: 'Ioc' });
    expect((await untilStatus(socket, immediate.oid, 'cancelled')).reason).toBe('iocRemainder');

    const own = await alice.placed({ ...buy, side: 'sell', price: btc.at(10) });
    await alice.placed({ ...buy, price: btc.at(10) });
    expect((await untilStatus(socket, own.oid, 'cancelled')).reason).toBe('selfTrade');

    await bob.placed({ ...buy, side: 'sell', price: btc.at(20) });
    const cloid = cloidOf('rejected');
    await alice.place(order({ ...buy, price: btc.at(30), tif: 'Alo', cloid }));
    const rejected = await eventually(() => {
      const found = updates(socket).find((row) => row.status === 'rejected');
      if (!found) throw new Error('No rejection yet');
      return found;
    });
    expect(rejected.reason).toBe('Post only order would have immediately matched');
    expect(rejected.order.cloid).toBe(cloid);
  });

  test('R-fill-check: orderUpdates sends the reason to a maker that lacks margin', async () => {
    const [alice, bob] = [await world.trader('alice'), await world.trader('bob')];
    const { btc } = world;
    const socket = await world.socket();
    await socket.subscribe({ type: 'orderUpdates', user: alice.address });
    const far = { market: btc, price: btc.at(7000), size: btc.worth(5000) };
    const { oid } = await alice.placed({ ...far, side: 'buy' });
    await bob.placed({ ...far, side: 'sell', tif: 'Ioc' });
    expect((await untilStatus(socket, oid, 'cancelled')).reason).toBe('marginCanceled');
  });

  test('orderUpdates sends an account only its own orders', async () => {
    const [alice, bob] = [await world.trader('alice'), await world.trader('bob')];
    const { btc } = world;
    const socket = await world.socket();
    await socket.subscribe({ type: 'orderUpdates', user: alice.address });
    const far = { market: btc, side: 'buy', price: btc.at(-500), size: btc.worth(20) } as const;
    await bob.placed(far);
    const { oid } = await alice.placed(far);
    await untilStatus(socket, oid, 'open');
    expect(updates(socket).map((row) => row.order.oid)).toEqual([oid]);
  });
});

describe("clearinghouseState sends an account's state", () => {
  test('clearinghouseState sends a snapshot immediately, and the position and margin after each fill', async () => {
    const [alice, bob] = [await world.trader('alice'), await world.trader('bob')];
    const { btc } = world;
    const socket = await world.socket();
    await socket.subscribe({ type: 'clearinghouseState', user: alice.address });
    const first = await socket.next(onChannel('clearinghouseState'));
    expectShape(first.data, record({ user: address, accountType: text, clearinghouseState }));
    expect(first.data).toMatchObject({
      user: alice.address,
      accountType: 'perp',
      clearinghouseState: { assetPositions: [], withdrawable: '1000' },
    });
    const size = btc.worth(100);
    await bob.placed({ market: btc, side: 'sell', price: btc.at(0), size });
    await alice.placed({ market: btc, side: 'buy', price: btc.at(0), size });
    const after = await socket.next(
      (frame) =>
        frame.channel === 'clearinghouseState' &&
        frame.data.clearinghouseState.assetPositions.length === 1,
    );
    expectShape(after.data.clearinghouseState, clearinghouseState);
    const { position } = after.data.clearinghouseState.assetPositions[0];
    expect(position).toMatchObject({ szi: size, entryPx: btc.at(0) });
    expect(Number.isInteger(after.height)).toBe(true);
    expectUnbroken(socket.of('clearinghouseState'));
  });
});

describe("activeAssetCtx sends a market's prices", () => {
  test('activeAssetCtx sends a snapshot immediately, with the mark and the oracle price', async () => {
    const { eth } = world;
    const socket = await world.socket();
    await socket.subscribe({ type: 'activeAssetCtx', coin: eth.coin });
    const { data } = await socket.next(onChannel('activeAssetCtx'));
    expectShape(
      data,
      record({
        coin: text,
        instrumentId: exactly(eth.id),
        ctx: record({
          dayNtlVlm: decimal,
          dayBaseVlm: decimal,
          prevDayPx: decimalOrUnset,
          markPx: price,
          midPx: nullable(price),
          oraclePx: price,
          openInterest: price,
          funding: decimal,
          premium: nullable(decimal),
          impactPxs: nullable(pairOf(decimal)),
          nextFundingTime: time,
        }),
      }),
    );
    expect(data.ctx.oraclePx).toBe(show(eth.mark));
  });

  test('open interest changes with trades', async () => {
    const [alice, bob] = [await world.trader('alice'), await world.trader('bob')];
    const { eth } = world;
    const socket = await world.socket();
    await socket.subscribe({ type: 'activeAssetCtx', coin: eth.coin });
    const first = await socket.next(onChannel('activeAssetCtx'));
    const size = eth.worth(100);
    await bob.placed({ market: eth, side: 'sell', price: eth.at(0), size });
    await alice.placed({ market: eth, side: 'buy', price: eth.at(0), size });
    const expected = show(exact(first.data.ctx.openInterest) + exact(size));
    await socket.next(
      (frame) => frame.channel === 'activeAssetCtx' && frame.data.ctx.openInterest === expected,
    );
  });
});
