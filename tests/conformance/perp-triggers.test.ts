import { beforeEach, describe, expect, test } from 'vitest';
import { sharedVenueWithHeldClock, cloidOf, type Actor } from '../support/actors.ts';
import type { Json } from '../support/client.ts';
import {
  act,
  succeeded,
  expectRefusal,
  newScene,
  Operator,
  OPERATED,
  OrderWatch,
  perpOrder,
  put,
  recordOf,
  recordsOf,
  trade,
  triggerOrder,
  triggersOf,
  type OwnPerp,
  type TriggerOptions,
} from '../support/perps.ts';
import {
  exactly,
  expectShape,
  flag,
  integer,
  nullable,
  price,
  record,
  text,
  time,
} from '../support/shape.ts';

const world = sharedVenueWithHeldClock(OPERATED);
const operator = new Operator(world);

let perp: OwnPerp;
let alice: Actor;
let bob: Actor;
let watch: OrderWatch;

beforeEach(async () => {
  ({ perp, alice, bob } = await newScene(world, operator));
  watch = await OrderWatch.of(world, alice);
});

type Loose = Partial<Omit<TriggerOptions, 'market'>>;

/** Returns a stop order that opens a long when the mark is at or above 110. */
const trigger = (changes: Loose = {}) =>
  triggerOrder({
    market: perp,
    side: 'buy',
    kind: 'sl',
    at: '110',
    size: '1',
    reduceOnly: false,
    ...changes,
  });

async function wait(changes: Loose = {}): Promise<number> {
  const [result] = succeeded(await alice.place(trigger(changes))).orders;
  expect(result).toMatchObject({ state: 'open', filledSz: '0', avgPx: null, error: null });
  return result.oid;
}

const quote = (side: 'buy' | 'sell', at: string, size = '5') =>
  put(bob, { market: perp, side, price: at, size });

describe('an untriggered order is listed and can be cancelled', () => {
  test('an untriggered order is listed in triggerOrders with every field', async () => {
    const cloid = cloidOf('waiting');
    const before = world.nowMs();
    const oid = await wait({ cloid, limit: '111.5', size: '1.5' });
    const rows = await triggersOf(alice);
    expect(rows).toHaveLength(1);
    expectShape(
      rows[0],
      record({
        asset: exactly(perp.coin),
        coin: text,
        createTime: time,
        leverage: integer,
        limitPx: price,
        marginMode: exactly('Cross'),
        oid: exactly(oid),
        orderType: exactly('Limit'),
        positionMode: exactly('OneWay'),
        reduceOnly: flag,
        side: exactly('B'),
        sz: price,
        triggerPx: price,
        triggerState: exactly('Pending'),
        cloid: nullable(text),
      }),
    );
    const [row] = rows;
    expect(row).toMatchObject({
      leverage: 20,
      limitPx: '111.5',
      reduceOnly: false,
      sz: '1.5',
      triggerPx: '110',
      cloid,
    });
    expect(row).toHaveProperty('tpslChildren');
    expect(row.tpslChildren ?? []).toEqual([]);
    expect(Math.abs(row.createTime - before)).toBeLessThan(10_000);
  });

  test('an untriggered order is listed with its market type, side and margin mode, and without a cloid', async () => {
    await wait({ side: 'sell', kind: 'tp', margin: 'isolated' });
    expect(await triggersOf(alice)).toMatchObject([
      { orderType: 'Market', side: 'A', cloid: null, marginMode: 'Isolated', reduceOnly: false },
    ]);
  });

  test('untriggered orders can be filtered by asset, and a null filter returns all of them', async () => {
    await wait();
    const other = await operator.list();
    expect(await triggersOf(alice, perp)).toHaveLength(1);
    expect(await triggersOf(alice, other)).toEqual([]);
    const query = { type: 'triggerOrders', user: alice.address, asset: null };
    expect(await world.client.data(query)).toHaveLength(1);
    expect(await triggersOf(bob)).toEqual([]);
  });

  test('R-trigger: an untriggered order reserves no margin and is neither in the book nor in the open orders', async () => {
    await wait({ size: '900' });
    expect((await alice.state()).withdrawable).toBe('1000');
    const book = await world.client.data({ type: 'l2Book', coin: perp.coin });
    expect(book.levels).toEqual([[], []]);
    expect(await alice.openOrders()).toEqual([]);
  });

  test('an untriggered order is sent on orderUpdates as open, with its trigger', async () => {
    const oid = await wait({ cloid: cloidOf('told') });
    const update = await watch.last(oid, 'open');
    expect(update.order).toMatchObject({
      coin: perp.name.split('-')[0],
      symbol: perp.name,
      instrumentId: perp.id,
      side: 'B',
      sz: '1',
      origSz: '1',
      filledSz: '0',
      avgPx: null,
      reduceOnly: false,
      orderType: 'Market',
      isTrigger: true,
      triggerPx: '110',
      cloid: cloidOf('told'),
    });
    expect(update.statusTimestamp).toBeTypeOf('number');
  });

  test('an untriggered order can be cancelled by order id, with or without grouping', async () => {
    for (const extra of [{}, { grouping: 'tpsl' }]) {
      const oid = await wait();
      const action = { type: 'cancel', cancels: [{ a: perp.id, o: oid, ...extra }] };
      expect(succeeded(await act(alice, action)).orders[0]).toMatchObject({
        oid,
        state: 'cancelled',
      });
      expect(await triggersOf(alice)).toEqual([]);
      expect(await watch.last(oid, 'cancelled')).toMatchObject({ reason: 'userCanceled' });
      expectRefusal(
        await act(alice, action),
        10011,
        `Order was never placed, already canceled, or filled. asset=${perp.id}`,
      );
    }
  });

  test('an untriggered order can be cancelled by client order id, which can then be reused', async () => {
    const cloid = cloidOf('again');
    const oid = await wait({ cloid });
    expectRefusal(await alice.place(trigger({ cloid })), 10011, 'Duplicate cloid');
    const limit = perpOrder({ market: perp, side: 'buy', price: '90', size: '1', cloid });
    expectRefusal(await alice.place(limit), 10011, 'Duplicate cloid');
    succeeded(await act(alice, { type: 'cancelByCloid', cancels: [{ asset: perp.id, cloid }] }));
    await watch.last(oid, 'cancelled');
    await wait({ cloid });
  });

  test('an untriggered order cannot be amended', async () => {
    const oid = await wait();
    const amend = { type: 'modify2', a: perp.id, o: oid, p: '111', s: '2' };
    expectRefusal(await act(alice, amend), 10011, 'Order not found');
  });

  test('R-limits-of-state: the 101st trigger order for an instrument is rejected', async () => {
    for (const _ of [1, 2]) {
      succeeded(await alice.place(...Array.from({ length: 50 }, () => trigger())));
    }
    const refused = await alice.place(trigger());
    expectRefusal(refused, 10011, 'Too many open orders: 100');
    succeeded(await act(alice, { type: 'cancelAll' }));
    expect(await triggersOf(alice)).toEqual([]);
  });
});

describe('a trigger order is validated when it is placed', () => {
  const tick = 'Price precision does not match the tick size: 0.01';
  test.each<[string, Loose, number, string, string]>([
    [
      'the trigger price off the tick',
      { at: '110.001', limit: '110' },
      10000,
      tick,
      't.trigger.triggerPx',
    ],
    ['the limit off the tick', { limit: '110.001' }, 10000, tick, 'p'],
    [
      'a trigger price of zero',
      { at: '0', limit: '1' },
      10000,
      'Price is out of range',
      't.trigger.triggerPx',
    ],
    [
      'a fine size',
      { size: '1.0001' },
      10000,
      'Size precision does not match the lot size: 0.001',
      's',
    ],
    [
      'too much for a limit',
      { size: '2000.001', limit: '110' },
      10000,
      'Order size exceeds the maximum: 2000',
      's',
    ],
  ])('a trigger order is rejected because of %s', async (_, changes, code, message, field) => {
    const reply = await world.client.exchange(
      await alice.sign({ type: 'order', grouping: 'na', orders: [trigger(changes)] }),
    );
    const refused = expectRefusal(reply, code, message);
    expect(refused.details.field).toBe(`orders[0].${field}`);
    expect(await triggersOf(alice)).toEqual([]);
  });

  test('R-trigger: a market trigger order may exceed the market order limit', async () => {
    const order = trigger({ size: '1000.001' });
    const action = { type: 'order', grouping: 'na', orders: [order] };
    const query = { type: 'simulate', user: alice.address, action };
    const simulated = await world.client.data(query);
    expect(simulated).toMatchObject({ accepted: true, orders: [{ state: 'open', error: null }] });
    expect(succeeded(await alice.place(order)).orders[0]).toMatchObject({ state: 'open' });
  });

  test('R-sizes: triggerPx has no band, and a limit price is checked only when the order triggers', async () => {
    await wait({ at: '5000' });
    await wait({ at: '5000', limit: '5000' });
    await wait({ side: 'sell', at: '0.01', limit: '0.01', size: '2000' });
  });

  test('kinds other than tp and sl are rejected, and so is an order with both a limit and a trigger', async () => {
    const good = trigger() as Json;
    for (const t of [
      { trigger: { ...good.t.trigger, tpsl: 'stop' } },
      { trigger: { isMarket: true, tpsl: 'tp' } },
      { ...good.t, limit: { tif: 'Gtc' } },
      {},
    ]) {
      const reply = await alice.place({ ...good, t });
      expect(reply.status, reply.text).toBe(400);
      expect(reply.json).toMatchObject({ status: 'err', code: 10002 });
    }
  });
});

describe('R-trigger: an order triggers when the mark reaches its price', () => {
  test.each([
    ['tp sell', 'sell', 'tp', '109.99', '110'],
    ['sl buy', 'buy', 'sl', '109.99', '110'],
    ['tp buy', 'buy', 'tp', '90.01', '90'],
    ['sl sell', 'sell', 'sl', '90.01', '90'],
  ] as const)(
    'a %s triggers at its price and not one tick before',
    async (_, side, kind, before, at) => {
      const oid = await wait({ side, kind, at });
      await quote(side === 'buy' ? 'sell' : 'buy', at);
      await perp.push(before);
      expect(await triggersOf(alice)).toHaveLength(1);
      await perp.push(at);
      expect(await triggersOf(alice)).toEqual([]);
      const { position } = await recordOf(alice, perp);
      expect(position).toMatchObject({ szi: side === 'buy' ? '1' : '-1', entryPx: at });
      const { order } = await watch.last(oid, 'filled');
      expect(order).toMatchObject({ filledSz: '1', sz: '0', avgPx: at, isTrigger: true });
      // The mark may cross the trigger price again, but the order triggers only once.
      await perp.push('100');
      await perp.push(at);
      expect((await recordOf(alice, perp)).position.szi).toBe(side === 'buy' ? '1' : '-1');
    },
  );

  test('an order triggers at the next check if the mark is already past its price', async () => {
    await quote('sell', '100');
    const oid = await wait({ at: '95' });
    await world.passTime(1_000);
    await watch.last(oid, 'filled');
    expect((await recordOf(alice, perp)).position.szi).toBe('1');
  });

  test('after a jump over the trigger price, an order executes within 5 % of the new mark', async () => {
    await quote('sell', '125.99', '0.4');
    await quote('sell', '126', '0.3');
    await quote('sell', '126.01', '5');
    const oid = await wait();
    await perp.push('120');
    // The range ends at 1.05 × 120 = 126. Two quotes are within it, and the rest of the order is
    // cancelled.
    const { order, reason } = await watch.last(oid, 'cancelled');
    expect(reason).toBe('iocRemainder');
    expect(order).toMatchObject({ filledSz: '0.7', orderType: 'Market', isTrigger: true });
    expect((await recordOf(alice, perp)).position.szi).toBe('0.7');
  });

  test('a triggered limit order is placed as Gtc at p, under its own order id', async () => {
    const cloid = cloidOf('limit');
    const oid = await wait({ limit: '110.5', cloid });
    await quote('sell', '110.51');
    await perp.push('110');
    const [row] = await alice.openOrders();
    expect(row).toMatchObject({
      oid,
      limitPx: '110.5',
      sz: '1',
      tif: 'GTC',
      status: 'open',
      cloid,
    });
    expect(row).toMatchObject({ orderType: 'Limit', triggerPx: '110' });
    expect(await triggersOf(alice, perp)).toEqual([]);
    const book = await world.client.data({ type: 'l2Book', coin: perp.coin });
    expect(book.levels[0]).toEqual([{ px: '110.5', sz: '1', n: 1 }]);
    const { order } = await watch.last(oid, 'open');
    expect(order).toMatchObject({ limitPx: '110.5', sz: '1' });
    // Once triggered, a limit order is an ordinary order and can be amended.
    const amend = { type: 'modify2', a: perp.id, o: oid, p: '110', s: '2' };
    expect(succeeded(await act(alice, amend)).orders[0]).toMatchObject({ oid, state: 'open' });
  });

  test('p of a market trigger order does not affect its pricing', async () => {
    await quote('sell', '110');
    const oid = await wait();
    const low = { ...trigger(), p: '50' };
    const other = succeeded(await alice.place(low)).orders[0].oid;
    await perp.push('110');
    await watch.last(oid, 'filled');
    await watch.last(other, 'filled');
  });

  test('R-halt: no order triggers while its market is halted', async () => {
    await quote('sell', '110');
    const oid = await wait();
    await operator.set(perp, { haltTrading: true });
    await perp.push('110');
    expect(await triggersOf(alice)).toHaveLength(1);
    expect(await recordsOf(alice, perp)).toEqual([]);
    await operator.set(perp, { haltTrading: false });
    await watch.last(oid, 'filled');
  });
});

describe('R-trigger: an order can still fail when it triggers', () => {
  const rejection = async (oid: number) => (await watch.last(oid, 'rejected')).reason;

  test('a reduce-only order that triggers without a position is rejected', async () => {
    const oid = await wait({ reduceOnly: true });
    await quote('sell', '110');
    await perp.push('110');
    expect(await rejection(oid)).toBe('Reduce only order would increase position');
    expect(await triggersOf(alice)).toEqual([]);
  });

  test('an order that triggers without sufficient margin is rejected', async () => {
    const oid = await wait({ size: '500' });
    await perp.push('110');
    expect(await rejection(oid)).toBe('Insufficient margin');
  });

  test('R-sizes: an order is rejected when it triggers if its limit price is too far from the oracle price', async () => {
    const oid = await wait({ limit: '300' });
    await perp.push('110');
    expect(await rejection(oid)).toBe('Price is too far from the oracle');
  });

  test('R-reduce: a reduce-only trigger order is clipped to the position when it triggers', async () => {
    await trade(alice, bob, { market: perp, price: '100', size: '2' });
    const oid = await wait({ side: 'sell', kind: 'sl', at: '90', size: '5', reduceOnly: true });
    await quote('buy', '90', '10');
    await perp.push('90');
    expect((await watch.last(oid, 'filled')).order.filledSz).toBe('2');
    expect(await recordsOf(alice, perp)).toEqual([]);
  });
});
