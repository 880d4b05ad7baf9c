import { describe, expect, test } from 'vitest';
import {
  aVenue,
  balanceOf,
  cancelAction,
  cancelByCloidAction,
  cloidOf,
  order,
  orderAction,
  type Actor,
  type OrderOptions,
} from '../support/actors.ts';
import { eventually, type Json, type Reply } from '../support/client.ts';
import {
  absolute,
  dividedUp,
  exact,
  MICRO,
  show,
  times,
  up,
  type Exact,
} from '../support/exact.ts';
import type { Market } from '../support/market.ts';
import { expectShape, listOf, openOrder, orderResult } from '../support/shape.ts';

/** Sections 3.1–3.3 and 11.1 with the rules R-book, R-tif, R-sizes, R-stp, R-reduce and R-cloid. */

const world = aVenue();

const USDC_1000 = exact(1000);

type Loose = Partial<OrderOptions>;

/** A valid resting buy far below the mark; each test changes what it is about. */
function resting(changes: Loose = {}): Json {
  const { btc } = world;
  return order({ market: btc, side: 'buy', price: btc.at(-2000), size: btc.worth(20), ...changes });
}

function results(reply: Reply): Json[] {
  expect(reply.json, reply.text).toMatchObject({ status: 'ok', confirm: 'executed' });
  const { orders } = reply.json.data.data;
  expectShape(orders, listOf(orderResult));
  return orders;
}

function status(reply: Reply): Json {
  expect(reply.json, reply.text).toMatchObject({ status: 'ok', confirm: 'executed' });
  expect(reply.json.data.data.statuses).toHaveLength(1);
  return reply.json.data.data.statuses[0];
}

/** A refusal before consensus: the whole action, with the field that is to blame. */
function expectRefused(reply: Reply, code: number, message: string, field: string): Json {
  expect(reply.status, reply.text).toBe(200);
  expect(reply.json).toMatchObject({ status: 'err', code, message, details: { field } });
  return reply.json.details;
}

async function bookOf(coin: string): Promise<Json> {
  return world.client.data({ type: 'l2Book', coin });
}

/** What a taker and a maker pay for one fill (R-rounding: up, to the micro-USDC). */
function fees(notional: Exact): { taker: Exact; maker: Exact } {
  const { btc } = world;
  return {
    taker: up(times(notional, btc.takerRate), MICRO),
    maker: up(times(notional, btc.makerRate), MICRO),
  };
}

describe('validation before consensus names the order, the fault and what would do', () => {
  async function refuse(changes: Json, code: number, message: string, field: string) {
    const alice = await world.trader('alice');
    const bad = { ...resting(), ...changes };
    const single = await world.client.exchange(await alice.sign(orderAction(bad)));
    const details = expectRefused(single, code, message, `orders[0].${field}`);
    // The same order in a batch takes the good ones down with it and is found by its place.
    const batch = await world.client.exchange(
      await alice.sign(orderAction(resting(), resting(), bad)),
    );
    expectRefused(batch, code, message, `orders[2].${field}`);
    expect(await alice.openOrders()).toEqual([]);
    return details;
  }

  test('an instrument that does not exist', async () => {
    await refuse({ a: 77_777 }, 10404, 'Instrument not found', 'a');
  });

  test('a size finer than the lot, with the nearest sizes', async () => {
    const { btc } = world;
    const fine = `${btc.lots(7)}5`;
    const message = `Size precision does not match the lot size: ${show(btc.lot)}`;
    const details = await refuse({ s: fine }, 10000, message, 's');
    expect(details.got).toBe(fine);
    expect(details.nearest).toEqual([btc.lots(7), btc.lots(8)]);
  });

  test('a size below one lot, which has no nearest size below', async () => {
    const { btc } = world;
    const fine = show(btc.lot / 10n);
    const message = `Size precision does not match the lot size: ${show(btc.lot)}`;
    const details = await refuse({ s: fine }, 10000, message, 's');
    expect(details.nearest).toEqual([null, btc.lots(1)]);
  });

  test('a size of zero', async () => {
    const alice = await world.trader('alice');
    const reply = await world.client.exchange(
      await alice.sign(orderAction(resting({ size: '0' }))),
    );
    expect(reply.json, reply.text).toMatchObject({
      status: 'err',
      code: 10000,
      details: { field: 'orders[0].s' },
    });
    expect(reply.json.message).toMatch(/^Order size is below the minimum: /);
  });

  test('a limit order above maxLimitOrderSize', async () => {
    const { btc } = world;
    const above = show(exact(btc.maxLimitOrderSize) + btc.lot);
    const message = `Order size exceeds the maximum: ${btc.maxLimitOrderSize}`;
    await refuse({ s: above }, 10000, message, 's');
  });

  test('a market order above maxMarketOrderSize', async () => {
    const { btc } = world;
    const above = show(exact(btc.maxMarketOrderSize) + btc.lot);
    const message = `Order size exceeds the maximum: ${btc.maxMarketOrderSize}`;
    for (const tif of ['Ioc', 'FrontendMarket']) {
      await refuse({ s: above, t: { limit: { tif } } }, 10000, message, 's');
    }
  });

  test('a price off the tick, with the nearest prices', async () => {
    const { btc } = world;
    const price = btc.at(-2000);
    const off = show(exact(price) + btc.tick / 10n);
    const message = `Price precision does not match the tick size: ${show(btc.tick)}`;
    const details = await refuse({ p: off }, 10000, message, 'p');
    expect(details.got).toBe(off);
    expect(details.nearest).toEqual([price, btc.ticks(price, 1)]);
  });

  test('a price with more decimals than any price has', async () => {
    const { btc } = world;
    const price = btc.at(-2000);
    const off = `${price.includes('.') ? price : `${price}.0`}00000000000001`;
    const message = `Price precision does not match the tick size: ${show(btc.tick)}`;
    const details = await refuse({ p: off }, 10000, message, 'p');
    expect(details.nearest).toEqual([price, btc.ticks(price, 1)]);
  });

  test('a price of zero', async () => {
    await refuse({ p: '0' }, 10000, 'Price is out of range', 'p');
  });

  test('a price more than 80 % from the oracle (R-sizes)', async () => {
    const { btc } = world;
    const size = btc.lots(Number(exact(btc.worth(20)) / btc.lot) * 10);
    const message = 'Price is too far from the oracle';
    await refuse({ p: btc.at(8100), s: size }, 10000, message, 'p');
    await refuse({ p: btc.at(-8100), s: size }, 10000, message, 'p');
  });

  test('an order worth less than 10 USDC (R-sizes)', async () => {
    const { btc } = world;
    await refuse({ s: btc.lots(1) }, 10000, 'Order must have a minimum value of 10 USDC', 's');
  });

  test('a client order id that is not 16 bytes (R-cloid)', async () => {
    const wrong = ['', '1', 'abc', `0x${'1'.repeat(31)}`, `0x${'1'.repeat(33)}`, '1'.repeat(32)];
    for (const c of wrong) await refuse({ c }, 10011, 'Invalid cloid format', 'c');
  });

  test('an expiry less than 5 s ahead', async () => {
    const expireTime = Date.now() + 1_000;
    const alice = await world.trader('alice');
    const soon = resting({ tif: 'Gtd', expireTime });
    const reply = await world.client.exchange(await alice.sign(orderAction(soon)));
    expect(reply.json).toMatchObject({
      status: 'err',
      code: 10011,
      message: 'Expire time must be at least 5 s ahead',
    });
    expect(reply.json.details.field).toMatch(/^orders\[0\]\.t/);
  });

  test('an order that the account cannot carry (R-initial)', async () => {
    const { btc } = world;
    const alice = await world.trader('alice');
    const large = resting({ price: btc.at(-10), size: btc.worth(1000 * btc.maxLeverage + 1000) });
    const reply = await world.client.exchange(await alice.sign(orderAction(large)));
    expect(reply.json, reply.text).toMatchObject({
      status: 'err',
      code: 10010,
      name: 'MARGIN',
      message: 'Insufficient margin',
    });
  });

  test('a reduce-only order without a position (R-reduce)', async () => {
    const alice = await world.trader('alice');
    const reply = await world.client.exchange(
      await alice.sign(orderAction(resting({ reduceOnly: true }))),
    );
    expect(reply.json, reply.text).toMatchObject({
      status: 'err',
      code: 10011,
      message: 'Reduce only order would increase position',
    });
  });

  test('faults are told in the order of the specification', async () => {
    const { btc } = world;
    const fine = show(btc.lot / 10n);
    const off = show(exact(btc.at(-2000)) + btc.tick / 10n);
    await refuse({ a: 77_777, s: fine, p: off }, 10404, 'Instrument not found', 'a');
    const lot = `Size precision does not match the lot size: ${show(btc.lot)}`;
    await refuse({ s: fine, p: off, c: 'x' }, 10000, lot, 's');
    const tick = `Price precision does not match the tick size: ${show(btc.tick)}`;
    await refuse({ p: off, s: btc.lots(1), c: 'x' }, 10000, tick, 'p');
    const value = 'Order must have a minimum value of 10 USDC';
    await refuse({ s: btc.lots(1), c: 'x' }, 10000, value, 's');
    await refuse({ c: 'x', r: true }, 10011, 'Invalid cloid format', 'c');
  });
});

describe('the bounds themselves are inside', () => {
  test('prices 80 % from the oracle and orders of just 10 USDC are taken', async () => {
    const alice = await world.trader('alice');
    const { sol } = world;
    const low = sol.ticks(sol.at(-8000), 1);
    const lots = Number(up((exact(10) * exact(1)) / exact(low), sol.lot) / sol.lot);
    await alice.placed({ market: sol, side: 'buy', price: low, size: sol.lots(lots) });
    const bob = await world.trader('bob');
    const high = sol.at(8000);
    await bob.placed({ market: sol, side: 'sell', price: high, size: sol.worth(11) });
  });
});

describe('R-tif', () => {
  test('Gtc rests and shows in the open orders and in the book', async () => {
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

  test('Gtd rests until its time and is then cancelled', async () => {
    const alice = await world.trader('alice');
    const expireTime = Date.now() + 8_000;
    await alice.place(resting({ tif: 'Gtd', expireTime }), resting());
    const rows = await alice.openOrders();
    expect(rows.find((row) => row.tif === 'GTD')).toMatchObject({ expireTime });
    await eventually(async () => {
      expect((await alice.openOrders()).map((row) => row.tif)).toEqual(['GTC']);
    }, 15_000);
    expect(Date.now()).toBeGreaterThanOrEqual(expireTime);
  });

  test('Alo rests when it does not cross, and post_only is another word for it', async () => {
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

  test('Alo is rejected whole when any part of it would trade', async () => {
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

  test('Alo is rejected by the account’s own resting order too', async () => {
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

  test('Ioc trades what it can and cancels the rest', async () => {
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

  test('Ioc against an empty book is executed and cancelled', async () => {
    const alice = await world.trader('alice');
    const reply = await alice.place(resting({ tif: 'Ioc' }));
    expect(status(reply)).toBe('success');
    expect(results(reply)).toMatchObject([{ state: 'cancelled', filledSz: '0', avgPx: null }]);
    expect((await alice.state()).assetPositions).toEqual([]);
  });

  test('Ioc does not trade beyond its own price', async () => {
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

  test('FrontendMarket stops 5 % from the mark and says so', async () => {
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
    // The mark may follow the book a little, so the clamp is judged against 5 % of either end.
    expect(exact(warning.details.to)).toBeGreaterThan(exact(near));
    expect(exact(warning.details.to)).toBeLessThan(exact(far));
  });

  test('FrontendMarket with a price inside the 5 % keeps it', async () => {
    const alice = await world.trader('alice');
    const reply = await alice.place(
      resting({ side: 'sell', price: world.btc.at(-100), tif: 'FrontendMarket' }),
    );
    expect(results(reply)).toMatchObject([{ state: 'cancelled', filledSz: '0' }]);
    expect(reply.json).not.toHaveProperty('warnings');
  });

  test('tifs are read in any case', async () => {
    const alice = await world.trader('alice');
    for (const tif of ['gtc', 'GTC', 'alo', 'ALO', 'ioc', 'IOC', 'frontendmarket']) {
      expect(status(await alice.place(resting({ tif }))), tif).toBe('success');
    }
  });
});

describe('R-book', () => {
  test('a trade prints at the resting price: improvement is the taker’s', async () => {
    const [alice, bob] = [await world.trader('alice'), await world.trader('bob')];
    const { btc } = world;
    const size = btc.worth(50);
    await bob.placed({ market: btc, side: 'sell', price: btc.at(0), size });
    const result = await alice.placed({ market: btc, side: 'buy', price: btc.at(100), size });
    expect(result).toMatchObject({ state: 'filled', filledSz: size, avgPx: btc.at(0) });
    expect((await alice.position(btc)).entryPx).toBe(btc.at(0));
  });

  test('the best price goes first, then the earliest order', async () => {
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

  test('a larger order trades through the levels and its rest stays in the book', async () => {
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

  test('the book adds up orders of one price and lists the best first', async () => {
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

describe('money to the micro-USDC', () => {
  test('taker and maker pay their rates on the notional, each rounded up', async () => {
    const [alice, bob] = [await world.trader('alice'), await world.trader('bob')];
    const { btc } = world;
    const [price, size] = [btc.at(0), btc.lots(333)];
    await bob.placed({ market: btc, side: 'sell', price, size });
    await alice.placed({ market: btc, side: 'buy', price, size });
    const { taker, maker } = fees(times(exact(price), exact(size)));
    expect(await alice.balance()).toBe(show(USDC_1000 - taker));
    expect(await bob.balance()).toBe(show(USDC_1000 - maker));
    expect((await alice.position(btc)).cumFee).toBe(show(-taker));
    expect((await bob.position(btc)).cumFee).toBe(show(-maker));
  });

  test('many partial fills of an order cost what one would (R-rounding)', async () => {
    const [alice, bob] = [await world.trader('alice'), await world.trader('bob')];
    const { btc } = world;
    const [price, part] = [btc.at(0), btc.lots(Number(exact(btc.worth(11)) / btc.lot))];
    const parts = 7;
    const size = show(exact(part) * BigInt(parts));
    await bob.placed({ market: btc, side: 'sell', price, size });
    for (let index = 0; index < parts; index++) {
      await alice.placed({ market: btc, side: 'buy', price, size: part });
    }
    const whole = times(exact(price), exact(size));
    const single = times(exact(price), exact(part));
    expect(await bob.balance()).toBe(show(USDC_1000 - fees(whole).maker));
    expect(await alice.balance()).toBe(show(USDC_1000 - fees(single).taker * BigInt(parts)));
  });

  test('a closed position leaves its profit in the balance and nothing else', async () => {
    const [alice, bob] = [await world.trader('alice'), await world.trader('bob')];
    const { btc } = world;
    const size = btc.worth(500);
    const [entry, exit] = [btc.at(-50), btc.at(50)];
    await bob.placed({ market: btc, side: 'sell', price: entry, size });
    await alice.placed({ market: btc, side: 'buy', price: entry, size });
    await bob.placed({ market: btc, side: 'buy', price: exit, size });
    await alice.placed({ market: btc, side: 'sell', price: exit, size });
    const [bought, sold] = [entry, exit].map((price) => times(exact(price), exact(size)));
    const gain = sold! - bought!;
    const paid = (role: 'taker' | 'maker') => fees(bought!)[role] + fees(sold!)[role];
    const [left, right] = [await alice.state(), await bob.state()];
    expect(left.assetPositions).toEqual([]);
    expect(right.assetPositions).toEqual([]);
    expect(left.marginSummary).toEqual({
      accountValue: show(USDC_1000 + gain - paid('taker')),
      totalMarginUsed: '0',
      totalNtlPos: '0',
      totalRawUsd: show(USDC_1000 + gain - paid('taker')),
    });
    expect(left.withdrawable).toBe(show(USDC_1000 + gain - paid('taker')));
    expect(right.marginSummary.accountValue).toBe(show(USDC_1000 - gain - paid('maker')));
  });

  test('reducing realises in proportion, a flip opens the rest at the new price', async () => {
    const [alice, bob] = [await world.trader('alice'), await world.trader('bob')];
    const { btc } = world;
    const unit = exact(btc.worth(100));
    const trade = async (side: 'buy' | 'sell', price: string, size: Exact) => {
      const other = side === 'buy' ? 'sell' : 'buy';
      await bob.placed({ market: btc, side: other, price, size: show(size) });
      await alice.placed({ market: btc, side, price, size: show(size) });
      return times(exact(price), size);
    };
    const [entry, exit] = [btc.at(-20), btc.at(20)];
    let paid = fees(await trade('buy', entry, unit * 3n)).taker;
    paid += fees(await trade('sell', exit, unit)).taker;
    const step = exact(exit) - exact(entry);
    let position = await alice.position(btc);
    expect(position).toMatchObject({ szi: show(unit * 2n), entryPx: entry });
    expect(await alice.balance()).toBe(show(USDC_1000 + times(step, unit) - paid));
    paid += fees(await trade('sell', exit, unit * 5n)).taker;
    position = await alice.position(btc);
    expect(position).toMatchObject({ szi: show(-unit * 3n), entryPx: exit });
    expect(await alice.balance()).toBe(show(USDC_1000 + times(step, unit * 3n) - paid));
    expect((await bob.position(btc)).szi).toBe(show(unit * 3n));
  });

  test('a position’s numbers follow from its size, entry and mark (section 4)', async () => {
    const [alice, bob] = [await world.trader('alice'), await world.trader('bob')];
    const { btc } = world;
    const [price, size] = [btc.at(-100), btc.worth(2000)];
    await bob.placed({ market: btc, side: 'sell', price, size });
    await alice.placed({ market: btc, side: 'buy', price, size });
    for (const actor of [alice, bob]) {
      const state = await actor.state();
      const { position } = state.assetPositions[0];
      const [szi, mark] = [exact(position.szi), exact(position.markPx)];
      const value = times(absolute(szi), mark);
      const profit = times(szi, mark - exact(price));
      const leverage = Math.min(20, btc.maxLeverage);
      expect(position).toMatchObject({
        coin: expect.stringMatching(/^BTC/),
        asset: btc.coin,
        entryPx: price,
        positionValue: show(value),
        unrealizedPnl: show(profit),
        leverage: { type: 'Cross', value: leverage, rawUsd: '' },
        cumFunding: { allTime: '0', sinceChange: '0', sinceOpen: '0' },
      });
      const margin = dividedUp(value, leverage, MICRO);
      expect(absolute(exact(position.marginUsed) - margin)).toBeLessThanOrEqual(MICRO);
      expect(position.marginRatio).toBe(state.crossMarginRatio);
      const balance = exact(balanceOf(state));
      expect(state.marginSummary).toEqual(state.crossMarginSummary);
      expect(state.marginSummary).toMatchObject({
        accountValue: show(balance + profit),
        totalNtlPos: show(value),
        totalRawUsd: show(balance + profit - times(szi, mark)),
        totalMarginUsed: position.marginUsed,
      });
    }
  });

  test('R-ratio and R-withdrawable hold for a leveraged account', async () => {
    const [alice, bob] = [await world.trader('alice'), await world.trader('bob')];
    const { btc } = world;
    const [price, size] = [btc.at(0), btc.worth(5000)];
    await bob.placed({ market: btc, side: 'sell', price, size });
    await alice.placed({ market: btc, side: 'buy', price, size });
    const state = await alice.state();
    const detail = await world.client.data({ type: 'perpMetaDetail', assetName: 'BTC' });
    const [tier] = detail.instruments[0].marginTable.tiers;
    const { position } = state.assetPositions[0];
    const value = exact(position.positionValue);
    const equity = exact(state.marginSummary.accountValue);
    const maintenance = up(times(value, exact(tier.mmr)), MICRO);
    expect(state.crossMaintenanceMarginUsed).toBe(show(maintenance));
    const atRisk = maintenance + up(times(value, exact('0.005')), MICRO);
    const ratio = (equity * 1_000_000n * 2n + atRisk) / (atRisk * 2n);
    const shown = exact(state.crossMarginRatio) / MICRO;
    expect(Number(shown - ratio)).toBeCloseTo(0, -1);
    const initial = dividedUp(value, Math.min(20, btc.maxLeverage), MICRO);
    const tenth = dividedUp(value, 10, MICRO);
    const held = initial > tenth ? initial : tenth;
    const balance = exact(balanceOf(state));
    const free = equity - held < balance ? equity - held : balance;
    expect(state.withdrawable).toBe(show(free));
    expect(exact(position.liquidationPx)).toBeGreaterThan(0n);
    expect(exact(position.liquidationPx)).toBeLessThan(exact(position.markPx));
  });

  test('an account with nothing at risk has the ratio 999999', async () => {
    const alice = await world.trader('alice');
    const state = await alice.state();
    expect(state).toMatchObject({ crossMarginRatio: '999999', withdrawable: '1000' });
  });

  test('resting orders hold initial margin for the larger side only (R-initial)', async () => {
    const alice = await world.trader('alice');
    const { btc } = world;
    const leverage = Math.min(20, btc.maxLeverage);
    const size = btc.worth(600 * leverage);
    const [buy, sell] = [btc.at(-100), btc.at(100)];
    await alice.placed({ market: btc, side: 'buy', price: buy, size });
    await alice.placed({ market: btc, side: 'sell', price: sell, size });
    const more = await alice.place(order({ market: btc, side: 'sell', price: sell, size }));
    const told = more.json.data?.data?.statuses?.[0]?.error ?? more.json.message;
    expect(told, more.text).toBe('Insufficient margin');
    expect(await alice.openOrders()).toHaveLength(2);
  });
});

describe('R-initial: margin is spent once', () => {
  /** An order that takes 60 % of what a fresh account can carry. */
  function most(market: Market) {
    const size = market.worth(600 * Math.min(20, market.maxLeverage));
    return order({ market, side: 'buy', price: market.at(-100), size });
  }

  test('by the orders of one batch', async () => {
    const alice = await world.trader('alice');
    const reply = await alice.place(most(world.btc), most(world.btc));
    const told = reply.json.message ?? status(reply).error;
    expect(told, reply.text).toMatch(/(^|: )Insufficient margin$/);
    expect((await alice.openOrders()).length).toBeLessThanOrEqual(1);
  });

  test('by actions that arrive together', async () => {
    const alice = await world.trader('alice');
    const signed = [];
    for (let index = 0; index < 8; index++)
      signed.push(await alice.sign(orderAction(most(world.btc))));
    const replies = await Promise.all(signed.map((action) => world.client.executed(action)));
    const won = replies.filter((reply) => reply.json.data?.data.statuses[0] === 'success');
    expect(won).toHaveLength(1);
    expect(await alice.openOrders()).toHaveLength(1);
  });

  test('by orders in different instruments', async () => {
    const alice = await world.trader('alice');
    expect(status(await alice.place(most(world.btc)))).toBe('success');
    const reply = await alice.place(most(world.eth));
    expect(reply.json.message ?? status(reply).error, reply.text).toBe('Insufficient margin');
    expect(await alice.openOrders()).toHaveLength(1);
  });

  test('and is free again after a cancel', async () => {
    const alice = await world.trader('alice');
    const [first] = results(await alice.place(most(world.btc)));
    await alice.cancel({ a: world.btc.id, o: first.oid });
    expect(status(await alice.place(most(world.btc)))).toBe('success');
  });
});

describe('R-fill-check: a price far from the mark cannot hand margin to a confederate', () => {
  test('a maker whom the fill would leave short of margin is cancelled, the taker goes on', async () => {
    const [alice, bob] = [await world.trader('alice'), await world.trader('bob')];
    const { btc } = world;
    const [price, size] = [btc.at(7000), btc.worth(5000)];
    await alice.placed({ market: btc, side: 'buy', price, size });
    const result = await bob.placed({ market: btc, side: 'sell', price: btc.at(100), size });
    expect(result).toMatchObject({ state: 'open', filledSz: '0' });
    expect(await alice.openOrders()).toEqual([]);
    expect(await alice.balance()).toBe('1000');
    expect((await bob.state()).assetPositions).toEqual([]);
  });

  test('a taker whom it would leave short loses the rest of the order', async () => {
    const [alice, bob] = [await world.trader('alice'), await world.trader('bob')];
    const { btc } = world;
    const [price, size] = [btc.at(7000), btc.worth(5000)];
    await bob.placed({ market: btc, side: 'sell', price, size });
    const reply = await alice.place(order({ market: btc, side: 'buy', price, size }));
    expect(results(reply)).toMatchObject([{ state: 'cancelled', filledSz: '0' }]);
    expect(await alice.openOrders()).toEqual([]);
    expect(await alice.balance()).toBe('1000');
    expect(await bob.openOrders()).toHaveLength(1);
  });
});

describe('R-stp', () => {
  test('an order never trades with its own account: the resting one goes', async () => {
    const [alice, bob] = [await world.trader('alice'), await world.trader('bob')];
    const { btc } = world;
    const size = btc.worth(20);
    const own = await alice.placed({ market: btc, side: 'sell', price: btc.at(10), size });
    await bob.placed({ market: btc, side: 'sell', price: btc.at(20), size });
    const result = await alice.placed({ market: btc, side: 'buy', price: btc.at(30), size });
    expect(result).toMatchObject({ state: 'filled', avgPx: btc.at(20) });
    expect(await alice.openOrders()).toEqual([]);
    expect((await alice.position(btc)).szi).toBe(size);
    const cancel = await alice.cancel({ a: btc.id, o: own.oid });
    expect(status(cancel).error).toMatch(/^Order was never placed, already canceled, or filled/);
  });

  test('an agent’s order counts as its owner’s', async () => {
    const alice = await world.trader('alice');
    const agent = world.stranger('agent');
    await alice.approveAgent(agent.address);
    const { btc } = world;
    const same = { market: btc, price: btc.at(10), size: btc.worth(20) };
    await alice.placed({ ...same, side: 'sell' });
    const result = await agent.placed({ ...same, side: 'buy' });
    expect(result).toMatchObject({ state: 'open', filledSz: '0' });
    expect((await alice.state()).assetPositions).toEqual([]);
    expect(await alice.balance()).toBe('1000');
  });
});

describe('R-reduce', () => {
  /** Alice long, bob short, by this much. */
  async function opened(size: string): Promise<{ alice: Actor; bob: Actor }> {
    const [alice, bob] = [await world.trader('alice'), await world.trader('bob')];
    const { btc } = world;
    await bob.placed({ market: btc, side: 'sell', price: btc.at(0), size });
    await alice.placed({ market: btc, side: 'buy', price: btc.at(0), size });
    return { alice, bob };
  }

  test('it closes but never flips: what is too much is clipped, with a warning', async () => {
    const { btc } = world;
    const size = btc.worth(100);
    const { alice, bob } = await opened(size);
    const double = show(exact(size) * 2n);
    await bob.placed({ market: btc, side: 'buy', price: btc.at(0), size: double });
    const reply = await alice.place(
      order({ market: btc, side: 'sell', price: btc.at(0), size: double, reduceOnly: true }),
    );
    expect(status(reply)).toBe('success');
    expect(results(reply)).toMatchObject([{ state: 'filled', filledSz: size }]);
    expect(reply.json.warnings).toMatchObject([
      { code: 'REDUCE_ONLY_CLIPPED', details: { i: 0, from: double, to: size } },
    ]);
    expect((await alice.state()).assetPositions).toEqual([]);
  });

  test('in the wrong direction it is refused', async () => {
    const { btc } = world;
    const { alice } = await opened(btc.worth(100));
    const reply = await alice.place(resting({ reduceOnly: true }));
    expect(reply.json).toMatchObject({
      status: 'err',
      code: 10011,
      message: 'Reduce only order would increase position',
    });
  });

  test('resting ones never add up to more than the position', async () => {
    const { btc } = world;
    const size = btc.worth(100);
    const { alice } = await opened(size);
    const part = show((exact(size) / btc.lot / 2n + 1n) * btc.lot);
    const reducing = {
      market: btc,
      side: 'sell',
      price: btc.at(100),
      size: part,
      reduceOnly: true,
    } as const;
    await alice.placed(reducing);
    await alice.placed(reducing);
    const sizes = (await alice.openOrders()).map((row) => exact(row.sz));
    expect(sizes.reduce((total, value) => total + value, 0n)).toBe(exact(size));
    const third = await alice.place(order(reducing));
    expect(third.json.message ?? status(third).error, third.text).toBe(
      'Reduce only order would increase position',
    );
  });

  test('when the position shrinks the newest are cut first', async () => {
    const { btc } = world;
    const size = btc.worth(100);
    const { alice, bob } = await opened(size);
    const half = show((exact(size) / btc.lot / 2n) * btc.lot);
    const rest = show(exact(size) - exact(half));
    const reducing = { market: btc, side: 'sell', price: btc.at(100), reduceOnly: true } as const;
    const first = await alice.placed({ ...reducing, size: half });
    await alice.placed({ ...reducing, size: rest });
    await bob.placed({ market: btc, side: 'buy', price: btc.at(0), size: rest });
    await alice.placed({ market: btc, side: 'sell', price: btc.at(0), size: rest });
    expect(await alice.openOrders()).toMatchObject([{ oid: first.oid, sz: half }]);
  });

  test('it closes a position worth less than 10 USDC whole (R-sizes)', async () => {
    const { btc } = world;
    const size = btc.worth(30);
    const { alice, bob } = await opened(size);
    const most = show(exact(size) - btc.lot);
    await bob.placed({ market: btc, side: 'buy', price: btc.at(0), size });
    await alice.placed({ market: btc, side: 'sell', price: btc.at(0), size: most });
    const dust = order({
      market: btc,
      side: 'sell',
      price: btc.at(0),
      size: btc.lots(1),
      reduceOnly: true,
    });
    expect(status(await alice.place(dust))).toBe('success');
    expect((await alice.state()).assetPositions).toEqual([]);
  });
});

describe('R-cloid', () => {
  test('it is echoed as sent, in both spellings', async () => {
    const alice = await world.trader('alice');
    const hex = `0x${'Ab'.repeat(16)}`;
    const uuid = '3F2504E0-4f89-41d3-9a0c-0305e82c3301';
    const reply = await alice.place(resting({ cloid: hex }), resting({ cloid: uuid }));
    expect(results(reply).map((entry) => entry.cloid)).toEqual([hex, uuid]);
    const cloids = (await alice.openOrders()).map((row) => row.cloid);
    expect(new Set(cloids)).toEqual(new Set([hex, uuid]));
  });

  test('two are equal when their bytes are, and live ones are unique', async () => {
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

  test('twice in one batch, at most one order lives', async () => {
    const alice = await world.trader('alice');
    const cloid = cloidOf('twice');
    const reply = await alice.place(resting({ cloid }), resting({ cloid }));
    const told = reply.json.message ?? status(reply).error;
    expect(told).toMatch(/Duplicate cloid$/);
    expect((await alice.openOrders()).length).toBeLessThanOrEqual(1);
  });
});

describe('batches', () => {
  test('50 orders are one action with one status and 50 results in order', async () => {
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
    // Newest first: by time, and within one block by order id.
    const oids = rows.map((row) => row.oid);
    expect(oids).toEqual(oids.toSorted((a, b) => b - a));
  });

  test('after acceptance each order stands alone: the first failure is told by its place', async () => {
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

  test('without confirm the reply is the bare acceptance, even of what then fails', async () => {
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

describe('cancel and cancelByCloid (3.2, 3.3)', () => {
  test('an order id cancels, as a number or as text', async () => {
    const alice = await world.trader('alice');
    const reply = await alice.place(resting(), resting());
    const [first, second] = results(reply);
    const cancelled = await alice.cancel(
      { a: world.btc.id, o: first.oid },
      { a: world.btc.id, o: String(second.oid) },
    );
    expect(status(cancelled)).toBe('success');
    expect(cancelled.json.data.type).toBe('CancelOrder');
    expect(results(cancelled)).toMatchObject([
      { i: 0, oid: first.oid, state: 'cancelled' },
      { i: 1, oid: second.oid, state: 'cancelled' },
    ]);
    expect(await alice.openOrders()).toEqual([]);
    expect((await alice.state()).withdrawable).toBe('1000');
  });

  test('a client order id cancels', async () => {
    const alice = await world.trader('alice');
    const cloid = cloidOf('mine');
    await alice.place(resting({ cloid }));
    const action = cancelByCloidAction({ asset: world.btc.id, cloid });
    const reply = await world.client.executed(await alice.sign(action));
    expect(status(reply)).toBe('success');
    expect(reply.json.data.type).toBe('CancelOrder');
    expect(await alice.openOrders()).toEqual([]);
  });

  test('missing, foreign and finished orders cannot be cancelled, and are told apart by no one', async () => {
    const [alice, bob] = [await world.trader('alice'), await world.trader('bob')];
    const { btc, eth } = world;
    const foreign = await bob.placed({
      market: btc,
      side: 'buy',
      price: btc.at(-2000),
      size: btc.worth(20),
    });
    const own = await alice.placed({
      market: btc,
      side: 'buy',
      price: btc.at(-2000),
      size: btc.worth(20),
    });
    const gone = (asset: number) =>
      `Order was never placed, already canceled, or filled. asset=${asset}`;
    const cases = [
      { a: btc.id, o: 987_654_321 },
      { a: btc.id, o: foreign.oid },
      { a: eth.id, o: own.oid },
    ];
    for (const entry of cases) {
      const reply = await alice.cancel(entry);
      expect(status(reply)).toMatchObject({ error: gone(entry.a), code: 10011 });
    }
    await alice.cancel({ a: btc.id, o: own.oid });
    expect(status(await alice.cancel({ a: btc.id, o: own.oid })).error).toBe(gone(btc.id));
    expect(await bob.openOrders()).toHaveLength(1);
    const byCloid = cancelByCloidAction({ asset: btc.id, cloid: cloidOf('never used') });
    const reply = await world.client.executed(await alice.sign(byCloid));
    expect(status(reply).error).toBe(gone(btc.id));
  });

  test('every entry is tried: a failing one stops no other and is told by its place', async () => {
    const alice = await world.trader('alice');
    const reply = await alice.place(resting(), resting());
    const [first, second] = results(reply);
    const a = world.btc.id;
    const mixed = await alice.cancel(
      { a, o: first.oid },
      { a, o: 987_654_321 },
      { a, o: second.oid },
    );
    expect(status(mixed).error).toBe(
      `cancels[1]: Order was never placed, already canceled, or filled. asset=${a}`,
    );
    expect(results(mixed).map((entry) => entry.state === 'cancelled')).toEqual([true, false, true]);
    expect(await alice.openOrders()).toEqual([]);
  });

  test('200 entries are taken', async () => {
    const alice = await world.trader('alice');
    const entries = Array.from({ length: 200 }, (_, index) => ({
      a: world.btc.id,
      o: 1e9 + index,
    }));
    const reply = await world.client.exchange(await alice.sign(cancelAction(...entries)));
    expect(reply.json).toMatchObject({ status: 'ok' });
  });
});
