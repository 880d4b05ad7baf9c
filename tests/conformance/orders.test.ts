import { describe, expect, test } from 'vitest';
import {
  type Actor,
  type OrderOptions,
  sharedVenueWithHeldClock,
  cancelAction,
  cancelByCloidAction,
  cloidOf,
  farBid,
  order,
  orderAction,
} from '../support/actors.ts';
import type { Json } from '../support/client.ts';
import { exact, show } from '../support/exact.ts';
import { results, status } from '../support/replies.ts';
import { expectShape, listOf, openOrder } from '../support/shape.ts';

const world = sharedVenueWithHeldClock();

/** Returns a valid resting buy order far below the mark. Each test changes one property of it. */
const resting = (changes?: Partial<OrderOptions>) => farBid(world.btc, changes);

async function bookOf(coin: string): Promise<Json> {
  return world.client.data({ type: 'l2Book', coin });
}

describe('R-tif: the time in force determines how long an order rests', () => {
  test('a Gtc order rests and is shown in the open orders and in the book', async () => {
    const alice = await world.trader('alice');
    const { btc } = world;
    const [price, size] = [btc.at(-100), btc.worth(50)];
    const result = await alice.placed({ market: btc, side: 'buy', price, size });
    expect(result).toMatchObject({ i: 0, state: 'open', filledSz: '0', avgPx: null, error: null });
    const rows = await alice.openOrders();
    expectShape(rows, listOf(openOrder));
    expect(rows).toMatchObject([
      {
        coin: 'BTC',
        symbol: 'BTC-USDC',
        side: 'B',
        limitPx: price,
        sz: size,
        origSz: size,
        oid: result.oid,
        triggerCondition: 'N/A',
        isTrigger: false,
        triggerPx: '0',
        children: [],
        isPositionTpsl: false,
        reduceOnly: false,
        dir: 'Buy',
        orderType: 'Limit',
        tif: 'GTC',
        cloid: null,
        avgFillPrice: null,
        positionMode: 'OneWay',
        marginMode: 'Cross',
        instrumentId: btc.id,
        status: 'open',
      },
    ]);
    const { levels } = await bookOf(btc.coin);
    expect(levels).toEqual([[{ px: price, sz: size, n: 1 }], []]);
  });

  test('a Gtd order rests until it expires and is then cancelled', async () => {
    const alice = await world.trader('alice');
    const expireTime = world.nowMs() + 8_000;
    await alice.place(resting({ tif: 'Gtd', expireTime }), resting());
    const rows = await alice.openOrders();
    expect(rows.find((row) => row.tif === 'GTD')).toMatchObject({ expireTime });
    await world.passTime(7_999);
    expect(await alice.openOrders()).toHaveLength(2);
    await world.passTime(1_000);
    expect((await alice.openOrders()).map((row) => row.tif)).toEqual(['GTC']);
  });

  test('an Alo order rests if it does not cross, and post_only is a synonym', async () => {
    const alice = await world.trader('alice');
    const result = await alice.placed({
      market: world.btc,
      side: 'sell',
      price: world.btc.at(100),
      size: world.btc.worth(20),
      tif: 'Alo',
    });
    expect(result.state).toBe('open');
    await alice.place(resting({ tif: 'post_only' }));
    const tifs = (await alice.openOrders()).map((row) => row.tif);
    expect(tifs).toEqual(['ALO', 'ALO']);
  });

  test('an Alo order is rejected in full if any part of it would trade', async () => {
    const [alice, bob] = [await world.trader('alice'), await world.trader('bob')];
    const { btc } = world;
    const price = btc.at(10);
    const small = { market: btc, price, size: btc.worth(20) };
    await bob.placed({ ...small, side: 'sell' });
    const reply = await alice.place(
      order({ ...small, side: 'buy', size: btc.worth(60), tif: 'Alo' }),
    );
    expect(status(reply)).toMatchObject({
      error: 'Post only order would have immediately matched',
      code: 10011,
    });
    expect(results(reply)).toMatchObject([{ i: 0, state: 'rejected', filledSz: '0' }]);
    expect(await alice.openOrders()).toEqual([]);
    expect((await bookOf(btc.coin)).levels).toEqual([[], [{ px: price, sz: btc.worth(20), n: 1 }]]);
  });

  test("an Alo order that crosses the account's own resting order is rejected", async () => {
    const alice = await world.trader('alice');
    const { btc } = world;
    const own = { market: btc, price: btc.at(10), size: btc.worth(20) };
    await alice.placed({ ...own, side: 'sell' });
    const reply = await alice.place(order({ ...own, side: 'buy', tif: 'Alo' }));
    expect(status(reply)).toMatchObject({
      error: 'Post only order would have immediately matched',
    });
    expect(await alice.openOrders()).toHaveLength(1);
  });

  test('an Ioc order fills as much as possible and cancels the remainder', async () => {
    const [alice, bob] = [await world.trader('alice'), await world.trader('bob')];
    const { btc } = world;
    const price = btc.at(10);
    await bob.placed({ market: btc, side: 'sell', price, size: btc.worth(20) });
    const reply = await alice.place(
      order({ market: btc, side: 'buy', price, size: btc.worth(60), tif: 'Ioc' }),
    );
    expect(status(reply)).toBe('success');
    expect(results(reply)).toMatchObject([
      { state: 'cancelled', filledSz: btc.worth(20), avgPx: price, error: null },
    ]);
    expect(await alice.openOrders()).toEqual([]);
    expect((await alice.position(btc)).szi).toBe(btc.worth(20));
  });

  test('an Ioc order against an empty book is cancelled', async () => {
    const alice = await world.trader('alice');
    const reply = await alice.place(resting({ tif: 'Ioc' }));
    expect(status(reply)).toBe('success');
    expect(results(reply)).toMatchObject([{ state: 'cancelled', filledSz: '0', avgPx: null }]);
    expect((await alice.state()).assetPositions).toEqual([]);
  });

  test('an Ioc order does not trade beyond its limit price', async () => {
    const [alice, bob] = [await world.trader('alice'), await world.trader('bob')];
    const { btc } = world;
    const price = btc.at(10);
    await bob.placed({ market: btc, side: 'sell', price, size: btc.worth(20) });
    const below = btc.ticks(price, -1);
    const reply = await alice.place(
      order({ market: btc, side: 'buy', price: below, size: btc.worth(20), tif: 'Ioc' }),
    );
    expect(results(reply)).toMatchObject([{ state: 'cancelled', filledSz: '0' }]);
  });

  test('a FrontendMarket order stops 5 % from the mark and gives a warning', async () => {
    const [alice, bob] = [await world.trader('alice'), await world.trader('bob')];
    const { btc } = world;
    const [near, far] = [btc.at(400), btc.at(600)];
    const size = btc.worth(20);
    await bob.placed({ market: btc, side: 'sell', price: near, size });
    await bob.placed({ market: btc, side: 'sell', price: far, size });
    const reply = await alice.place(
      order({
        market: btc,
        side: 'buy',
        price: btc.at(1000),
        size: btc.worth(60),
        tif: 'FrontendMarket',
      }),
    );
    expect(results(reply)).toMatchObject([{ state: 'cancelled', filledSz: size, avgPx: near }]);
    const warning = reply.json.warnings?.find((entry: Json) => entry.code === 'PRICE_CLAMPED');
    expect(warning?.details).toMatchObject({ i: 0, from: btc.at(1000) });
    // The mark may follow the book slightly, so the limit is compared with 5 % from both values.
    expect(exact(warning.details.to)).toBeGreaterThan(exact(near));
    expect(exact(warning.details.to)).toBeLessThan(exact(far));
  });

  test.each(['9999999', '99999999999999999999'])(
    'a FrontendMarket buy at %s is a market order',
    async (price) => {
      const [alice, bob] = [await world.trader('alice'), await world.trader('bob')];
      const { btc } = world;
      const [offer, size] = [btc.at(10), btc.worth(20)];
      await bob.placed({ market: btc, side: 'sell', price: offer, size });
      const action = order({ market: btc, side: 'buy', price, size, tif: 'FrontendMarket' });
      const simulated = await world.client.data({
        type: 'simulate',
        user: alice.address,
        action: orderAction(action),
      });
      expect(simulated).toMatchObject({ accepted: true, orders: [{ state: 'filled' }] });
      const reply = await alice.place(action);
      expect(results(reply)).toMatchObject([{ state: 'filled', avgPx: offer }]);
      expect(reply.json.warnings).toMatchObject([{ code: 'PRICE_CLAMPED', details: { i: 0 } }]);
      // The sell order's price is nominal, because a market order ignores it.
      await bob.placed({ market: btc, side: 'buy', price: btc.at(-10), size });
      const back = { side: 'sell' as const, price: show(btc.tick), tif: 'FrontendMarket' };
      const closed = await alice.place(order({ market: btc, size, ...back }));
      expect(results(closed)).toMatchObject([{ state: 'filled', avgPx: btc.at(-10) }]);
    },
  );

  test('a FrontendMarket order priced within the 5 % keeps its price', async () => {
    const alice = await world.trader('alice');
    const reply = await alice.place(
      resting({ side: 'sell', price: world.btc.at(-100), tif: 'FrontendMarket' }),
    );
    expect(results(reply)).toMatchObject([{ state: 'cancelled', filledSz: '0' }]);
    expect(reply.json).not.toHaveProperty('warnings');
  });

  test('the capitalisation of tif is ignored', async () => {
    const alice = await world.trader('alice');
    for (const tif of ['gtc', 'GTC', 'alo', 'ALO', 'ioc', 'IOC', 'frontendmarket']) {
      expect(status(await alice.place(resting({ tif }))), tif).toBe('success');
    }
  });
});

describe('R-book: orders match by price, then by time', () => {
  test('a trade takes place at the resting price, so any price improvement benefits the taker', async () => {
    const [alice, bob] = [await world.trader('alice'), await world.trader('bob')];
    const { btc } = world;
    const size = btc.worth(50);
    await bob.placed({ market: btc, side: 'sell', price: btc.at(0), size });
    const result = await alice.placed({ market: btc, side: 'buy', price: btc.at(100), size });
    expect(result).toMatchObject({ state: 'filled', filledSz: size, avgPx: btc.at(0) });
    expect((await alice.position(btc)).entryPx).toBe(btc.at(0));
  });

  test('an order fills the best price first and, at the same price, the earliest order first', async () => {
    const makers = [];
    for (const name of ['bob', 'carol', 'dave']) makers.push(await world.trader(name));
    const [bob, carol, dave] = makers as [Actor, Actor, Actor];
    const alice = await world.trader('alice');
    const { btc } = world;
    const size = btc.worth(20);
    const worse = { market: btc, side: 'sell', price: btc.at(20), size } as const;
    await bob.placed(worse);
    await carol.placed(worse);
    await dave.placed({ ...worse, price: btc.at(10) });
    const two = show(exact(size) * 2n);
    await alice.placed({ ...worse, side: 'buy', size: two });
    expect(await dave.openOrders()).toEqual([]);
    expect(await bob.openOrders()).toEqual([]);
    expect(await carol.openOrders()).toHaveLength(1);
  });

  test('a larger order trades through several levels, and the remainder rests in the book', async () => {
    const [alice, bob] = [await world.trader('alice'), await world.trader('bob')];
    const { btc } = world;
    const size = btc.worth(20);
    await bob.place(
      order({ market: btc, side: 'sell', price: btc.at(0), size }),
      order({ market: btc, side: 'sell', price: btc.ticks(btc.at(0), 2), size }),
    );
    const price = btc.ticks(btc.at(0), 5);
    const triple = show(exact(size) * 3n);
    const result = await alice.placed({ market: btc, side: 'buy', price, size: triple });
    expect(result).toMatchObject({ state: 'open', filledSz: show(exact(size) * 2n) });
    expect(exact(result.avgPx)).toBe(exact(btc.ticks(btc.at(0), 1)));
    expect(await alice.openOrders()).toMatchObject([{ sz: size, origSz: triple, limitPx: price }]);
    expect((await bookOf(btc.coin)).levels).toEqual([[{ px: price, sz: size, n: 1 }], []]);
  });

  test('the book aggregates orders at the same price and lists the best price first', async () => {
    const [alice, bob] = [await world.trader('alice'), await world.trader('bob')];
    const { eth } = world;
    const size = eth.worth(20);
    for (const actor of [alice, bob]) {
      await actor.place(
        order({ market: eth, side: 'buy', price: eth.at(-200), size }),
        order({ market: eth, side: 'buy', price: eth.at(-100), size }),
        order({ market: eth, side: 'sell', price: eth.at(200), size }),
        order({ market: eth, side: 'sell', price: eth.at(100), size }),
      );
    }
    const sz = show(exact(size) * 2n);
    const at = (basisPoints: number) => ({ px: eth.at(basisPoints), sz, n: 2 });
    const book = await bookOf(eth.coin);
    expect(book.coin).toBe('ETH-USDC');
    expect(book.levels).toEqual([
      [at(-100), at(-200)],
      [at(100), at(200)],
    ]);
  });
});

describe('R-cloid: a client order id identifies a live order', () => {
  test('the client order id is returned as sent, in both fields', async () => {
    const alice = await world.trader('alice');
    const hex = `0x${'Ab'.repeat(16)}`;
    const uuid = '3F2504E0-4f89-41d3-9a0c-0305e82c3301';
    const reply = await alice.place(resting({ cloid: hex }), resting({ cloid: uuid }));
    expect(results(reply).map((entry) => entry.cloid)).toEqual([hex, uuid]);
    const cloids = (await alice.openOrders()).map((row) => row.cloid);
    expect(new Set(cloids)).toEqual(new Set([hex, uuid]));
  });

  test('client order ids are compared by their bytes, and duplicates of live ones are rejected', async () => {
    const [alice, bob] = [await world.trader('alice'), await world.trader('bob')];
    const hex = cloidOf('shared');
    const digits = hex.slice(2).toUpperCase();
    const uuid = digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
    await alice.place(resting({ cloid: hex }));
    for (const cloid of [hex, uuid, `0x${digits}`]) {
      const reply = await world.client.exchange(await alice.sign(orderAction(resting({ cloid }))));
      expect(reply.json).toMatchObject({ status: 'err', code: 10011, message: 'Duplicate cloid' });
    }
    expect(status(await bob.place(resting({ cloid: hex })))).toBe('success');
    const byOther = cancelByCloidAction({ asset: world.btc.id, cloid: uuid });
    expect(status(await world.client.executed(await alice.sign(byOther)))).toBe('success');
    expect(status(await alice.place(resting({ cloid: uuid })))).toBe('success');
  });

  test('at most one of several orders with the same client order id in a batch is accepted', async () => {
    const alice = await world.trader('alice');
    const cloid = cloidOf('twice');
    const reply = await alice.place(resting({ cloid }), resting({ cloid }));
    const errorText = reply.json.message ?? status(reply).error;
    expect(errorText).toMatch(/Duplicate cloid$/);
    expect((await alice.openOrders()).length).toBeLessThanOrEqual(1);
  });
});

describe('a batch has several orders', () => {
  test('50 orders are one action, with one status and 50 results in order', async () => {
    const alice = await world.trader('alice');
    const { btc } = world;
    const batch = Array.from({ length: 50 }, (_, index) =>
      resting({ price: btc.ticks(btc.at(-2000), -index), cloid: cloidOf(`batch ${index}`) }),
    );
    const reply = await alice.place(...batch);
    expect(status(reply)).toBe('success');
    const orders = results(reply);
    expect(orders.map((entry) => entry.i)).toEqual(batch.map((_, index) => index));
    expect(orders.map((entry) => entry.cloid)).toEqual(batch.map((entry) => entry.c));
    expect(new Set(orders.map((entry) => entry.oid)).size).toBe(50);
    const rows = await alice.openOrders();
    expect(rows).toHaveLength(50);
    // Rows are sorted newest first, and within a block by descending order id.
    const oids = rows.map((row) => row.oid);
    expect(oids).toEqual(oids.toSorted((a, b) => b - a));
  });

  test('a batch reports the first failure at its index and executes the other orders', async () => {
    const [alice, bob] = [await world.trader('alice'), await world.trader('bob')];
    const { btc } = world;
    await bob.placed({ market: btc, side: 'sell', price: btc.at(10), size: btc.worth(20) });
    const crossing = resting({ price: btc.at(20), tif: 'Alo' });
    const reply = await alice.place(resting(), crossing, resting(), crossing);
    expect(status(reply)).toMatchObject({
      error: 'orders[1]: Post only order would have immediately matched',
    });
    expect(results(reply)).toMatchObject([
      { i: 0, state: 'open', error: null },
      { i: 1, state: 'rejected', error: 'Post only order would have immediately matched' },
      { i: 2, state: 'open', error: null },
      { i: 3, state: 'rejected' },
    ]);
    expect(await alice.openOrders()).toHaveLength(2);
  });

  test('an unconfirmed reply reports only the acceptance, even if orders fail later', async () => {
    const [alice, bob] = [await world.trader('alice'), await world.trader('bob')];
    const { btc } = world;
    await bob.placed({ market: btc, side: 'sell', price: btc.at(10), size: btc.worth(20) });
    for (const action of [orderAction(resting()), cancelAction({ a: btc.id, o: 999_999_999 })]) {
      const reply = await world.client.exchange(await alice.sign(action));
      expect(reply.status).toBe(200);
      expect(reply.json).toEqual({
        status: 'ok',
        code: 0,
        data: {
          type: action['type'] === 'order' ? 'PlaceOrder' : 'CancelOrder',
          data: { statuses: ['success'] },
        },
      });
    }
  });
});
