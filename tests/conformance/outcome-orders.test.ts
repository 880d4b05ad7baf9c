import { beforeEach, describe, expect, test } from 'vitest';
import {
  aSharedVenue,
  cancelByCloidAction,
  cloidOf,
  orderAction,
  type Actor,
} from '../support/actors.ts';
import { eventually } from '../support/client.ts';
import { Deployer, shareTrader, type OutcomeMarket } from '../support/deployer.ts';
import {
  bet,
  BetWatch,
  bookOf,
  FEE,
  openBets,
  operate,
  OUTCOMES,
  placed,
  fundsOf,
} from '../support/outcomes.ts';
import { act, succeeded, expectRefusal, groupAction, refusalOf } from '../support/perps.ts';
import type { JsonObject } from '../support/wallet.ts';

const world = aSharedVenue(OUTCOMES);
const deployer = new Deployer(world);

let market: OutcomeMarket;
let alice: Actor;
let bob: Actor;

beforeEach(async () => {
  [alice, bob] = [await shareTrader(world, 'alice'), await shareTrader(world, 'bob')];
  market = await deployer.list(FEE);
});

describe('invalid outcome orders are rejected before they are queued', () => {
  const limit = (fields: object) => ({ t: { limit: fields } });
  const trigger = { t: { trigger: { isMarket: true, triggerPx: '0.5', tpsl: 'tp' } } };
  const tick = 'Price precision does not match the tick size: 0.01';
  const lot = 'Size precision does not match the lot size: 0.01';

  test.each<[string, JsonObject, number, string, object]>([
    ['no market', { a: 999_999 }, 10404, 'Instrument not found', { field: 'orders[1].a' }],
    ['no size', { s: '0' }, 10000, 'Order size is below the minimum: 0.01', { got: '0' }],
    ['part of a lot', { s: '10.005' }, 10000, lot, { nearest: ['10', '10.01'] }],
    ['too few shares', { s: '4.99' }, 10000, 'Order size is below the minimum: 5', { got: '4.99' }],
    ['too many', { s: '100000.01' }, 10000, 'Order size exceeds the maximum: 100000', {}],
    ['a price of 0', { p: '0' }, 10000, 'Price is out of range', { field: 'orders[1].p' }],
    ['a price of 1', { p: '1' }, 10000, 'Price is out of range', { got: '1' }],
    ['a price above 1', { p: '1.01' }, 10000, 'Price is out of range', { got: '1.01' }],
    ['off the tick', { p: '0.405' }, 10000, tick, { got: '0.405', nearest: ['0.4', '0.41'] }],
    ['below the first tick', { p: '0.005' }, 10000, tick, { nearest: [null, '0.01'] }],
    ['above the last tick', { p: '0.995' }, 10000, tick, { nearest: ['0.99', null] }],
    [
      'Ioc',
      limit({ tif: 'Ioc' }),
      10011,
      'Ioc is not supported for outcome markets',
      { field: 'orders[1].t.limit.tif' },
    ],
    [
      'FrontendMarket',
      limit({ tif: 'FrontendMarket' }),
      10011,
      'Ioc is not supported for outcome markets',
      {},
    ],
    [
      'a trigger',
      trigger,
      10011,
      'Trigger orders are not supported for outcome markets',
      { field: 'orders[1].t.trigger' },
    ],
    [
      'an expiry that is near',
      limit({ tif: 'Gtd', expireTime: Date.now() + 1_000 }),
      10011,
      'Expire time must be at least 5 s ahead',
      { field: 'orders[1].t.limit.expireTime' },
    ],
    ['no cloid', { c: 'x' }, 10011, 'Invalid cloid format', { field: 'orders[1].c', got: 'x' }],
    ['a cloid twice', { c: cloidOf('twice') }, 10011, 'Duplicate cloid', {}],
    [
      'more than the balance',
      { s: '2400' },
      10010,
      'Insufficient balance',
      // The second order needs 960 and a fee of 0.07 × 2400 × 0.24. The first order reserves 4 and
      // 0.168.
      { field: 'orders[1]', required: '1000.32', available: '995.832' },
    ],
    [
      'shares that are not held',
      { r: true, b: false },
      10015,
      'Insufficient shares',
      { field: 'orders[1].s', required: '10', available: '0' },
    ],
    [
      'a perp in the same action',
      { a: 1, p: '90000' },
      10000,
      'Orders of one action must belong to one exchange',
      {},
    ],
  ])(
    'one invalid order rejects the whole action: %s',
    async (_, change, code, message, details) => {
      const good = bet(market, 'buy Yes 10 at 0.40', { cloid: cloidOf('twice') });
      const { c: _c, ...rest } = good;
      const signed = await bob.sign(orderAction(good, { ...rest, ...change }));
      const { json } = await world.client.exchange(signed);
      expect(json).toMatchObject({ status: 'err', code, message, details });
      expect(json).not.toHaveProperty('traceId');
      expect(await fundsOf(bob, market)).toBe('1000');
      expect(await openBets(bob)).toEqual([]);
    },
  );

  test('an outcome order with a grouping other than `na` is rejected', async () => {
    for (const grouping of ['normalTpsl', 'positionTpsl']) {
      const action = groupAction(grouping, { ...bet(market, 'buy Yes 10 at 0.40'), ...trigger });
      const refused = refusalOf(await act(bob, action));
      expect(refused.code).toBeGreaterThan(0);
    }
    expect(await openBets(bob)).toEqual([]);
  });

  test('an order may be below the minimum size only if it sells the whole position', async () => {
    succeeded(await operate(bob, 'split', [market, '4']));
    const small = 'Order size is below the minimum: 5';
    expectRefusal(await bob.place(bet(market, 'sell Yes 3.99 at 0.50')), 10000, small);
    await placed(bob, market, 'sell Yes 4 at 0.50');
    await placed(bob, market, 'sell No 4 at 0.60');
    const refused = refusalOf(await bob.place(bet(market, 'sell Yes 5 at 0.50')));
    expect(refused).toMatchObject({ code: 10015, details: { required: '5', available: '0' } });
  });

  test('R-sizes: the whole position means the position at the start of the action', async () => {
    succeeded(await operate(bob, 'split', [market, '0.5']));
    await placed(alice, market, 'buy Yes 80 at 0.60');
    const orders = [bet(market, 'buy No 68.14 at 0.40'), bet(market, 'sell No 0.5 at 0.50')];
    const action = orderAction(...orders);
    const simulated = await world.client.data({ type: 'simulate', user: bob.address, action });
    const { orders: results } = succeeded(await act(bob, action));
    expect(results).toMatchObject([
      { state: 'filled', filledSz: '68.14', error: null },
      { state: 'open', filledSz: '0', error: null },
    ]);
    expect(simulated.orders).toMatchObject([{ state: 'filled' }, { state: 'open', error: null }]);
  });

  test("a market's tick may be a tenth of a cent, and its shares may be whole only", async () => {
    const fine = await deployer.list({ priceTick: '0.001', sizeDecimals: 0, minOrderSize: '1' });
    await placed(bob, fine, 'buy Yes 3 at 0.007');
    expect(await bookOf(world, fine)).toBe('3 at 0.007 | ');
    const half = refusalOf(await bob.place(bet(fine, 'buy Yes 1.5 at 0.5')));
    expect(half.message).toBe('Size precision does not match the lot size: 1');
  });
});

describe('outcome orders can be cancelled', () => {
  const cloid = cloidOf('mine');

  test('outcome orders can be cancelled by id and by cloid, except foreign, ended and unknown ones', async () => {
    const first = await placed(bob, market, 'buy Yes 10 at 0.30');
    await placed(bob, market, 'buy No 10 at 0.30', { cloid });
    const notFound = `Order was never placed, already canceled, or filled. asset=${market.id}`;
    const foreign = await alice.cancel({ a: market.id, o: first.oid });
    expect(refusalOf(foreign).message).toBe(notFound);
    succeeded(await bob.cancel({ a: market.id, o: first.oid }));
    expect(refusalOf(await bob.cancel({ a: market.id, o: first.oid })).message).toBe(notFound);
    const byCloid = cancelByCloidAction({ asset: market.id, cloid });
    succeeded(await act(bob, byCloid));
    expect(refusalOf(await act(bob, byCloid)).message).toBe(notFound);
    expect(await fundsOf(bob, market)).toBe('1000');
  });

  test('cancelAll for one sub-account does not affect the other', async () => {
    const carol = await world.trader('carol');
    await world.client.post('/request-fund', { user: carol.address, accountType: 'outcome' });
    const { btc } = world;
    await carol.placed({ market: btc, side: 'buy', price: btc.at(-500), size: btc.worth(20) });
    succeeded(await bob.place(bet(market, 'buy Yes 10 at 0.30')));
    const cancelAll = (fields: object) => act(bob, { type: 'cancelAll', ...fields });
    expect(succeeded(await cancelAll({ accountType: 'perp' })).orders).toEqual([]);
    const outcome = succeeded(await cancelAll({ accountType: 'outcome' })).orders;
    expect(outcome).toMatchObject([{ state: 'cancelled' }]);
    expect(succeeded(await cancelAll({ accountType: 'outcome' })).orders).toEqual([]);
    expect(await carol.openOrders()).toHaveLength(1);
  });

  test('cancelAll for one market does not affect other markets', async () => {
    const other = await deployer.list();
    await placed(bob, market, 'buy Yes 10 at 0.30');
    await placed(bob, other, 'buy Yes 10 at 0.30');
    expect(succeeded(await act(bob, { type: 'cancelAll', asset: other.id })).orders).toHaveLength(
      1,
    );
    expect((await openBets(bob)).map((row) => row.instrumentId)).toEqual([market.id]);
  });
});

describe('modify2 amends an outcome order', () => {
  const amend = (o: number, p: string, s: string) => ({ type: 'modify2', a: market.id, o, p, s });

  test('an amended order keeps its queue position at the same price and its rank at a new price', async () => {
    const first = await placed(alice, market, 'buy No 10 at 0.40');
    await placed(bob, market, 'buy No 10 at 0.40');
    succeeded(await act(alice, amend(first.oid, '0.40', '20')));
    const carol = await shareTrader(world, 'carol');
    await placed(carol, market, 'buy Yes 15 at 0.60');
    expect((await openBets(alice, market)).map((row) => row.sz)).toEqual(['5']);
    expect((await openBets(bob, market)).map((row) => row.sz)).toEqual(['10']);
    // After its price changes and changes back, the order still ranks ahead of Bob's newer order.
    succeeded(await act(alice, amend(first.oid, '0.30', '20')));
    expect(await bookOf(world, market)).toBe(' | 10 at 0.6, 5 at 0.7');
    succeeded(await act(alice, amend(first.oid, '0.40', '20')));
    await placed(carol, market, 'buy Yes 5 at 0.60');
    expect(await openBets(alice, market)).toEqual([]);
    expect((await openBets(bob, market)).map((row) => row.sz)).toEqual(['10']);
  });

  test('an amend adjusts the reserve, and an unaffordable amend changes nothing', async () => {
    const { oid } = await placed(bob, market, 'buy Yes 1000 at 0.50');
    expect(await fundsOf(bob, market)).toBe('482.5 + 517.5 reserved');
    succeeded(await act(bob, amend(oid, '0.40', '500')));
    expect(await fundsOf(bob, market)).toBe('791.6 + 208.4 reserved');
    const refused = refusalOf(await act(bob, amend(oid, '0.90', '1200')));
    expect(refused).toMatchObject({
      code: 10010,
      message: 'Insufficient balance',
      // The amend needs 1080 and a fee of 0.07 × 1200 × 0.09, taken from the free balance and the
      // order's reserve.
      details: { required: '1087.56', available: '1000' },
    });
    expect(await fundsOf(bob, market)).toBe('791.6 + 208.4 reserved');
    expect(await openBets(bob, market)).toMatchObject([{ oid, sz: '500', limitPx: '0.4' }]);
  });

  test('amending a sell adjusts the reserved shares', async () => {
    succeeded(await operate(bob, 'split', [market, '20']));
    const { oid } = await placed(bob, market, 'sell No 10 at 0.50');
    succeeded(await act(bob, amend(oid, '0.50', '20')));
    const refused = refusalOf(await act(bob, amend(oid, '0.50', '20.01')));
    expect(refused).toMatchObject({ code: 10015, message: 'Insufficient shares' });
    expect(await openBets(bob, market)).toMatchObject([{ sz: '20' }]);
  });

  test("an amend to a crossing price executes as taker at the resting order's price", async () => {
    await placed(alice, market, 'buy Yes 10 at 0.60');
    const { oid } = await placed(bob, market, 'buy No 10 at 0.30');
    const { orders } = succeeded(await act(bob, amend(oid, '0.45', '10')));
    expect(orders).toMatchObject([{ oid, state: 'filled', avgPx: '0.4' }]);
    expect(await fundsOf(bob, market)).toBe('995.832, 10 No');
  });

  test('an amended post-only order is still post-only', async () => {
    await placed(alice, market, 'buy Yes 10 at 0.60');
    const { oid } = await placed(bob, market, 'buy No 10 at 0.30', { tif: 'Alo' });
    const message = 'Post only order would have immediately matched';
    expectRefusal(await act(bob, amend(oid, '0.40', '10')), 10011, message);
    expect(await openBets(bob, market)).toMatchObject([{ limitPx: '0.3' }]);
  });

  test('R-delay: an amend that would cross is rejected on a delayed market', async () => {
    const slow = await deployer.list({ orderDelayMs: 5_000 });
    await placed(alice, slow, 'buy Yes 10 at 0.60');
    const { oid } = await placed(bob, slow, 'buy No 10 at 0.30');
    const change = (p: string) => ({ ...amend(oid, p, '10'), a: slow.id });
    const message = 'Amend would take liquidity on a delayed market';
    expectRefusal(await act(bob, change('0.40')), 10011, message);
    succeeded(await act(bob, change('0.39')));
    expect(await bookOf(world, slow)).toBe('10 at 0.6 | 10 at 0.61');
  });

  test('an amend to a size at or below the filled size cancels the remainder', async () => {
    await placed(alice, market, 'buy Yes 20 at 0.60');
    await placed(bob, market, 'buy No 12 at 0.40');
    const watch = await BetWatch.of(world, alice);
    const [{ oid }] = (await openBets(alice, market)) as [{ oid: number }];
    succeeded(await act(alice, amend(oid, '0.60', '12')));
    await eventually(() =>
      expect(watch.updates.at(-1)).toMatchObject({
        status: 'cancelled',
        reason: 'amendedBelowFilled',
        order: { oid, filledSz: '12' },
      }),
    );
    expect(await fundsOf(alice, market)).toBe('992.8, 12 Yes');
  });
});
