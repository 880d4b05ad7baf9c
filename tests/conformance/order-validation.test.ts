import { describe, expect, test } from 'vitest';
import { type OrderOptions, aSharedVenue, farBid, orderAction } from '../support/actors.ts';
import type { Json, Reply } from '../support/client.ts';
import { exact, show, roundedUp } from '../support/exact.ts';

const world = aSharedVenue();

/** Returns a valid resting buy order far below the mark. Each test changes one property of it. */
const resting = (changes?: Partial<OrderOptions>) => farBid(world.btc, changes);

/** Expects the whole action to be rejected before consensus, and returns the error details. */
function expectRefused(reply: Reply, code: number, message: string, field: string): Json {
  expect(reply.status, reply.text).toBe(200);
  expect(reply.json).toMatchObject({ status: 'err', code, message, details: { field } });
  return reply.json.details;
}

describe('an error before consensus names the order, the reason and valid values', () => {
  async function refuse(changes: Json, code: number, message: string, field: string) {
    const alice = await world.trader('alice');
    const bad = { ...resting(), ...changes };
    const single = await world.client.exchange(await alice.sign(orderAction(bad)));
    const details = expectRefused(single, code, message, `orders[0].${field}`);
    // If one order in a batch is invalid, the valid ones are rejected too. The error gives the
    // index of the invalid order.
    const batch = await world.client.exchange(
      await alice.sign(orderAction(resting(), resting(), bad)),
    );
    expectRefused(batch, code, message, `orders[2].${field}`);
    expect(await alice.openOrders()).toEqual([]);
    return details;
  }

  test('an order for an unknown instrument is rejected', async () => {
    await refuse({ a: 77_777 }, 10404, 'Instrument not found', 'a');
  });

  test('a size finer than the lot is rejected, and the nearest valid sizes are given', async () => {
    const { btc } = world;
    const fine = `${btc.lots(7)}5`;
    const message = `Size precision does not match the lot size: ${show(btc.lot)}`;
    const details = await refuse({ s: fine }, 10000, message, 's');
    expect(details.got).toBe(fine);
    expect(details.nearest).toEqual([btc.lots(7), btc.lots(8)]);
  });

  test('a size below one lot is rejected, and only the nearest larger size is given', async () => {
    const { btc } = world;
    const fine = show(btc.lot / 10n);
    const message = `Size precision does not match the lot size: ${show(btc.lot)}`;
    const details = await refuse({ s: fine }, 10000, message, 's');
    expect(details.nearest).toEqual([null, btc.lots(1)]);
  });

  test('a size of zero is rejected', async () => {
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

  test('a limit order above maxLimitOrderSize is rejected', async () => {
    const { btc } = world;
    const above = show(exact(btc.maxLimitOrderSize) + btc.lot);
    const message = `Order size exceeds the maximum: ${btc.maxLimitOrderSize}`;
    await refuse({ s: above }, 10000, message, 's');
  });

  test('a market order above maxMarketOrderSize is rejected', async () => {
    const { btc } = world;
    const above = show(exact(btc.maxMarketOrderSize) + btc.lot);
    const message = `Order size exceeds the maximum: ${btc.maxMarketOrderSize}`;
    for (const tif of ['Ioc', 'FrontendMarket']) {
      await refuse({ s: above, t: { limit: { tif } } }, 10000, message, 's');
    }
  });

  test('a price off the tick is rejected, and the nearest valid prices are given', async () => {
    const { btc } = world;
    const price = btc.at(-2000);
    const off = show(exact(price) + btc.tick / 10n);
    const message = `Price precision does not match the tick size: ${show(btc.tick)}`;
    const details = await refuse({ p: off }, 10000, message, 'p');
    expect(details.got).toBe(off);
    expect(details.nearest).toEqual([price, btc.ticks(price, 1)]);
  });

  test('a price with more decimals than any price can have is rejected', async () => {
    const { btc } = world;
    const price = btc.at(-2000);
    const off = `${price.includes('.') ? price : `${price}.0`}00000000000001`;
    const message = `Price precision does not match the tick size: ${show(btc.tick)}`;
    const details = await refuse({ p: off }, 10000, message, 'p');
    expect(details.nearest).toEqual([price, btc.ticks(price, 1)]);
  });

  test('a price of zero is rejected', async () => {
    await refuse({ p: '0' }, 10000, 'Price is out of range', 'p');
  });

  test('R-sizes: a price more than 80 % away from the oracle price is rejected', async () => {
    const { btc } = world;
    const size = btc.lots(Number(exact(btc.worth(20)) / btc.lot) * 10);
    const message = 'Price is too far from the oracle';
    await refuse({ p: btc.at(8100), s: size }, 10000, message, 'p');
    await refuse({ p: btc.at(-8100), s: size }, 10000, message, 'p');
  });

  test('R-sizes: an order worth less than 10 USDC is rejected', async () => {
    const { btc } = world;
    await refuse({ s: btc.lots(1) }, 10000, 'Order must have a minimum value of 10 USDC', 's');
  });

  test('R-cloid: a client order id that is not 16 bytes is rejected', async () => {
    const wrong = ['', '1', 'abc', `0x${'1'.repeat(31)}`, `0x${'1'.repeat(33)}`, '1'.repeat(32)];
    for (const c of wrong) await refuse({ c }, 10011, 'Invalid cloid format', 'c');
  });

  test('an expiry less than 5 s away is rejected', async () => {
    const expireTime = Date.now() + 1_000;
    const alice = await world.trader('alice');
    const expiring = resting({ tif: 'Gtd', expireTime });
    const reply = await world.client.exchange(await alice.sign(orderAction(expiring)));
    expect(reply.json).toMatchObject({
      status: 'err',
      code: 10011,
      message: 'Expire time must be at least 5 s ahead',
    });
    expect(reply.json.details.field).toMatch(/^orders\[0\]\.t/);
  });

  test("R-initial: an order that exceeds the account's available margin is rejected", async () => {
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

  test('R-reduce: a reduce-only order without a position is rejected', async () => {
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

  test('validation errors are reported in a fixed order', async () => {
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

describe('R-sizes: values exactly at the limits are allowed', () => {
  test('prices exactly 80 % from the oracle price and orders of exactly 10 USDC are accepted', async () => {
    const alice = await world.trader('alice');
    const { sol } = world;
    const low = sol.ticks(sol.at(-8000), 1);
    const lots = Number(roundedUp((exact(10) * exact(1)) / exact(low), sol.lot) / sol.lot);
    await alice.placed({ market: sol, side: 'buy', price: low, size: sol.lots(lots) });
    const bob = await world.trader('bob');
    const high = sol.at(8000);
    await bob.placed({ market: sol, side: 'sell', price: high, size: sol.worth(11) });
  });
});
