import { beforeEach, describe, expect, test } from 'vitest';
import { sharedVenueWithHeldClock, type Actor } from '../support/actors.ts';
import { eventually, type Json } from '../support/client.ts';
import {
  act,
  succeeded,
  expectRefusal,
  groupAction,
  newScene,
  Operator,
  OPERATED,
  OrderWatch,
  perpOrder,
  put,
  recordOf,
  recordsOf,
  refusalOf,
  trade,
  triggerOrder,
  triggersOf,
  type OwnPerp,
} from '../support/perps.ts';
import { exactly, expectShape, record, text, time } from '../support/shape.ts';

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

const parent = (price = '100', size = '4') => perpOrder({ market: perp, side: 'buy', price, size });
const takeProfit = (size = '4', changes: object = {}) =>
  triggerOrder({ market: perp, side: 'sell', kind: 'tp', at: '110', size, ...changes });
const stopLoss = (size = '4', changes: object = {}) =>
  triggerOrder({ market: perp, side: 'sell', kind: 'sl', at: '90', size, ...changes });
const normal = (...orders: Json[]) => groupAction('normalTpsl', ...orders);
const onPosition = (...orders: Json[]) => groupAction('positionTpsl', ...orders);

const quote = (side: 'buy' | 'sell', price: string, size: string) =>
  put(bob, { market: perp, side, price, size });

/** Places a parent with a take-profit and a stop-loss, and returns their ids in that order. */
async function family(first = parent()): Promise<[number, number, number]> {
  const { orders } = succeeded(await act(alice, normal(first, takeProfit(), stopLoss())));
  expect(orders.map((order: Json) => order.error)).toEqual([null, null, null]);
  return orders.map((order: Json) => order.oid);
}

describe('normalTpsl: a family must have a parent and matching children', () => {
  test.each<[string, () => Json[]]>([
    ['a parent alone', () => [parent()]],
    ['three children', () => [parent(), takeProfit(), stopLoss(), stopLoss()]],
    [
      'a child that is not a trigger',
      () => [
        parent(),
        perpOrder({ market: perp, side: 'sell', price: '110', size: '4', reduceOnly: true }),
      ],
    ],
    ['a child that is not reduce-only', () => [parent(), takeProfit('4', { reduceOnly: false })]],
    ['a child of the same side', () => [parent(), takeProfit('4', { side: 'buy' })]],
  ])('normalTpsl rejects a malformed family: %s', async (_, orders) => {
    const reply = await act(alice, normal(...orders()));
    expect(reply.status, reply.text).toBe(400);
    expect(reply.json).toMatchObject({ status: 'err', code: 10002 });
    expect(await alice.openOrders()).toEqual([]);
    expect(await triggersOf(alice)).toEqual([]);
  });

  test('a family whose children have another instrument is malformed', async () => {
    const other = await operator.list();
    const reply = await act(alice, normal(parent(), takeProfit('4', { market: other })));
    expect(reply.json, reply.text).toMatchObject({ status: 'err', code: 10002 });
  });

  test('an unknown grouping is malformed', async () => {
    const reply = await act(alice, groupAction('family', parent(), takeProfit()));
    expect(reply.json, reply.text).toMatchObject({ code: 10002, details: { field: 'grouping' } });
  });
});

describe("normalTpsl: the children follow their parent's state", () => {
  test('children are listed with their parent, not among the trigger orders', async () => {
    const [oid, tp, sl] = await family(parent('95'));
    const rows = await alice.openOrders();
    expect(rows.map((row) => row.oid)).toEqual([oid]);
    expect(rows[0]).toMatchObject({ isTrigger: false, triggerCondition: 'N/A', triggerPx: '0' });
    expect(rows[0].children).toMatchObject([
      { oid: tp, isTrigger: true, triggerPx: '110', triggerCondition: 'Price above 110', sz: '4' },
      { oid: sl, isTrigger: true, triggerPx: '90', triggerCondition: 'Price below 90', sz: '4' },
    ]);
    for (const child of rows[0].children) {
      expect(child).toMatchObject({ side: 'A', reduceOnly: true, orderType: 'Market' });
      expect(child.children).toEqual([]);
    }
    expect(await triggersOf(alice)).toEqual([]);
    // Children do not trigger until they are active. The mark passes the stop while the parent is
    // still resting.
    await perp.push('89');
    expect((await alice.openOrders())[0].children).toHaveLength(2);
  });

  test('cancelling an unfilled parent cancels its children', async () => {
    const [oid, tp, sl] = await family(parent('95'));
    succeeded(await alice.cancel({ a: perp.id, o: oid }));
    for (const child of [tp, sl]) {
      expect(await watch.last(child, 'cancelled')).toMatchObject({ reason: 'parentCanceled' });
    }
    expect(await triggersOf(alice)).toEqual([]);
  });

  test("R-grouping: children become active with their parent's first fill and grow with it", async () => {
    const [oid, tp, sl] = await family(parent('100'));
    await quote('sell', '100', '1');
    const sizes = async () => (await triggersOf(alice)).map((row) => [row.oid, row.sz]);
    expect(await sizes()).toEqual([
      [sl, '1'],
      [tp, '1'],
    ]);
    const [row] = await alice.openOrders();
    expect(row).toMatchObject({ oid, sz: '3', children: [] });
    // An earlier update also had the state `open`, so the test polls for the new size.
    await eventually(async () =>
      expect(await watch.last(tp, 'open')).toMatchObject({ order: { sz: '1', origSz: '1' } }),
    );
    await quote('sell', '100', '2');
    expect(await sizes()).toEqual([
      [sl, '3'],
      [tp, '3'],
    ]);
    await quote('sell', '100', '1');
    expect(await triggersOf(alice)).toMatchObject([
      { oid: sl, triggerState: 'Pending', sz: '4', reduceOnly: true },
      { oid: tp, triggerState: 'Pending', sz: '4', reduceOnly: true },
    ]);
    expect(await alice.openOrders()).toEqual([]);
  });

  test('R-grouping: if a parent ends partly filled, its children keep the filled size', async () => {
    const [oid, tp, sl] = await family(parent('100'));
    await quote('sell', '100', '1');
    succeeded(await alice.cancel({ a: perp.id, o: oid }));
    expect(await triggersOf(alice)).toMatchObject([
      { oid: sl, sz: '1' },
      { oid: tp, sz: '1' },
    ]);
    await quote('buy', '90', '4');
    await perp.push('90');
    expect((await watch.last(sl, 'filled')).order.filledSz).toBe('1');
    expect(await watch.last(tp, 'cancelled')).toMatchObject({ reason: 'siblingFilled' });
  });

  test('R-grouping: a child that triggers first cancels the rest of its parent', async () => {
    const [oid, , sl] = await family(parent('100'));
    await quote('sell', '100', '1');
    await quote('buy', '89.9', '4');
    await perp.push('90');
    expect((await watch.last(oid, 'cancelled')).order).toMatchObject({ filledSz: '1', sz: '3' });
    expect((await watch.last(sl, 'filled')).order.filledSz).toBe('1');
    expect(await recordsOf(alice, perp)).toEqual([]);
    expect(await alice.openOrders()).toEqual([]);
  });

  test('a parent that fills immediately has active children right away', async () => {
    await quote('sell', '100', '4');
    const { orders } = succeeded(await act(alice, normal(parent(), takeProfit(), stopLoss())));
    expect(orders.map((order: Json) => order.state)).toEqual(['filled', 'open', 'open']);
    expect(await triggersOf(alice)).toHaveLength(2);
  });

  test('R-grouping: the children of a partly filled Ioc parent keep the filled size', async () => {
    await quote('sell', '100', '1');
    const ioc = perpOrder({ market: perp, side: 'buy', price: '100', size: '4', tif: 'Ioc' });
    const action = normal(ioc, takeProfit(), stopLoss());
    const simulated = await world.client.data({ type: 'simulate', user: alice.address, action });
    const { orders } = succeeded(await act(alice, action));
    expect(orders[0]).toMatchObject({ state: 'cancelled', filledSz: '1' });
    expect(orders.map(({ state }: Json) => state)).toEqual(
      simulated.orders.map(({ state }: Json) => state),
    );
    expect(await triggersOf(alice)).toMatchObject([
      { oid: orders[2].oid, sz: '1' },
      { oid: orders[1].oid, sz: '1' },
    ]);
  });

  test.each([
    ['tp', '110'],
    ['sl', '90'],
  ] as const)('OCO: a complete fill of the %s cancels the sibling', async (kind, at) => {
    await quote('sell', '100', '4');
    const [, tp, sl] = await family();
    await quote('buy', at, '4');
    await perp.push(at);
    const [fired, sibling] = kind === 'tp' ? [tp, sl] : [sl, tp];
    await watch.last(fired, 'filled');
    expect(await watch.last(sibling, 'cancelled')).toMatchObject({ reason: 'siblingFilled' });
    expect(await recordsOf(alice, perp)).toEqual([]);
    expect(await triggersOf(alice)).toEqual([]);
  });

  test('OCO: after a partial fill, the sibling stays open and is clipped to the position when it triggers', async () => {
    await quote('sell', '100', '4');
    const [, tp, sl] = await family();
    await quote('buy', '110', '3');
    await perp.push('110');
    expect((await recordOf(alice, perp)).position.szi).toBe('1');
    // The stop retries its unfilled part for as long as the mark is beyond the trigger price.
    expect(await triggersOf(alice)).toMatchObject([
      { oid: sl, triggerState: 'Pending' },
      { oid: tp, triggerState: 'Triggered', sz: '1' },
    ]);
    await quote('buy', '90', '9');
    await perp.push('90');
    expect((await watch.last(sl, 'filled')).order.filledSz).toBe('1');
    expect(await watch.last(tp, 'cancelled')).toMatchObject({ reason: 'siblingFilled' });
    expect(await recordsOf(alice, perp)).toEqual([]);
  });

  test('tpslChildren shows the children of a parent that is itself a trigger order', async () => {
    const waiting = triggerOrder({
      market: perp,
      side: 'buy',
      kind: 'sl',
      at: '105',
      size: '4',
      reduceOnly: false,
    });
    const limited = stopLoss('4', { limit: '89.5' });
    const { orders } = succeeded(await act(alice, normal(waiting, takeProfit(), limited)));
    const rows = await triggersOf(alice);
    expect(rows).toHaveLength(1);
    expect(rows[0].tpslChildren).toEqual([
      {
        limitPx: '110',
        orderType: 'Market',
        reduceOnly: true,
        side: 'A',
        sz: '4',
        triggerPx: '110',
        triggerType: 'tp',
      },
      {
        limitPx: '89.5',
        orderType: 'Limit',
        reduceOnly: true,
        side: 'A',
        sz: '4',
        triggerPx: '90',
        triggerType: 'sl',
      },
    ]);
    await quote('sell', '105', '4');
    await perp.push('105');
    await watch.last(orders[0].oid, 'filled');
    expect((await triggersOf(alice)).map((row) => row.oid).sort((a, b) => a - b)).toEqual([
      orders[1].oid,
      orders[2].oid,
    ]);
  });

  test('the children of a rejected parent are not placed', async () => {
    const big = parent('100', '500');
    const children = [takeProfit('500'), stopLoss('500')];
    expectRefusal(await act(alice, normal(big, ...children)), 10010, 'Insufficient margin');
    expect(await triggersOf(alice)).toEqual([]);
  });
});

describe('positionTpsl attaches TP/SL orders to a position', () => {
  beforeEach(async () => {
    await trade(alice, bob, { market: perp, price: '100', size: '4' });
  });

  test.each<[string, () => Json[]]>([
    ['a limit order', () => [parent()]],
    ['two take-profits', () => [takeProfit('0'), takeProfit('0')]],
    ['three orders', () => [takeProfit('0'), stopLoss('0'), stopLoss('0')]],
    ['orders that are not reduce-only', () => [takeProfit('0', { reduceOnly: false })]],
  ])('positionTpsl rejects %s as malformed', async (_, orders) => {
    const reply = await act(alice, onPosition(...orders()));
    expect(reply.status, reply.text).toBe(400);
    expect(reply.json).toMatchObject({ status: 'err', code: 10002 });
  });

  test('positionTpsl is listed as one entry per action with all fields, where an unset side is empty', async () => {
    const both = succeeded(
      await act(alice, onPosition(takeProfit('0'), stopLoss('0', { limit: '89.5' }))),
    ).orders;
    const single = succeeded(await act(alice, onPosition(stopLoss('1.5', { at: '80' })))).orders;
    const { tpsl } = await recordOf(alice, perp);
    expect(tpsl).toHaveLength(2);
    expectShape(
      tpsl[0],
      record({
        createTime: time,
        quantity: exactly('0'),
        slOid: exactly(String(both[1].oid)),
        slOrderPrice: exactly('89.5'),
        slOrderType: exactly('Limit'),
        slTriggerPrice: exactly('90'),
        tpOid: exactly(String(both[0].oid)),
        tpOrderPrice: text,
        tpOrderType: exactly('Market'),
        tpTriggerPrice: exactly('110'),
      }),
    );
    expect(tpsl[1]).toMatchObject({
      quantity: '1.5',
      slOid: String(single[0].oid),
      slOrderType: 'Market',
      slTriggerPrice: '80',
      tpOid: '',
      tpOrderPrice: '',
      tpOrderType: '',
      tpTriggerPrice: '',
    });
    // Position TP/SL orders are listed only with the position.
    expect(await alice.openOrders()).toEqual([]);
  });

  test('a positionTpsl size of 0 means the whole position at trigger time, with OCO', async () => {
    const { orders } = succeeded(await act(alice, onPosition(takeProfit('0'), stopLoss('0'))));
    const [tp, sl] = orders.map((order: Json) => order.oid);
    await trade(alice, bob, { market: perp, price: '100', size: '2' });
    await quote('buy', '90', '9');
    await perp.push('90');
    expect((await watch.last(sl, 'filled')).order.filledSz).toBe('6');
    expect(await recordsOf(alice, perp)).toEqual([]);
    const { reason } = await watch.last(tp, 'cancelled');
    expect(['siblingFilled', 'reduceOnly']).toContain(reason);
  });

  test('any other positionTpsl size closes that part, clipped to the position at trigger time', async () => {
    const small = succeeded(await act(alice, onPosition(takeProfit('1')))).orders[0].oid;
    const large = succeeded(await act(alice, onPosition(takeProfit('50', { at: '112' })))).orders[0]
      .oid;
    await quote('buy', '110', '50');
    await perp.push('110');
    expect((await watch.last(small, 'filled')).order.filledSz).toBe('1');
    const record = await recordOf(alice, perp);
    expect(record.position.szi).toBe('3');
    expect(record.tpsl).toMatchObject([{ tpOid: String(large), quantity: '50' }]);
    await perp.push('112');
    await world.passTime(1_000);
    expect((await watch.last(large, 'filled')).order.filledSz).toBe('3');
    expect(await recordsOf(alice, perp)).toEqual([]);
  });

  test('position TP/SL orders are cancelled when the position closes for any reason', async () => {
    const { orders } = succeeded(await act(alice, onPosition(takeProfit('0'), stopLoss('0'))));
    await trade(bob, alice, { market: perp, price: '100', size: '4' });
    expect(await recordsOf(alice, perp)).toEqual([]);
    for (const { oid } of orders) {
      expect(await watch.last(oid, 'cancelled')).toMatchObject({ reason: 'reduceOnly' });
    }
    // A new position does not inherit TP/SL orders.
    await trade(alice, bob, { market: perp, price: '100', size: '4' });
    expect((await recordOf(alice, perp)).tpsl).toEqual([]);
  });

  test('position TP/SL orders are cancelled when the position flips', async () => {
    const { oid } = succeeded(await act(alice, onPosition(stopLoss('0')))).orders[0];
    await trade(bob, alice, { market: perp, price: '100', size: '6' });
    expect((await recordOf(alice, perp)).position.szi).toBe('-2');
    expect((await recordOf(alice, perp)).tpsl).toEqual([]);
    expect(await watch.last(oid, 'cancelled')).toMatchObject({ reason: 'reduceOnly' });
  });

  test('a position TP/SL order can be cancelled by oid with grouping tpsl, and its sibling stays', async () => {
    const { orders } = succeeded(await act(alice, onPosition(takeProfit('0'), stopLoss('0'))));
    const cancels = [{ a: perp.id, o: orders[0].oid, grouping: 'tpsl' }];
    succeeded(await act(alice, { type: 'cancel', cancels }));
    expect(await watch.last(orders[0].oid, 'cancelled')).toMatchObject({ reason: 'userCanceled' });
    expect((await recordOf(alice, perp)).tpsl).toMatchObject([
      { tpOid: '', slOid: String(orders[1].oid) },
    ]);
  });

  test('positionTpsl requires a position that its side would reduce', async () => {
    const carol = await world.trader('carol');
    const none = refusalOf(await act(carol, onPosition(stopLoss('0'))));
    expect(['Reduce only order would increase position', `No position for ${perp.name}`]).toContain(
      none.message,
    );
    const wrongSide = takeProfit('0', { side: 'buy', at: '90' });
    expect(refusalOf(await act(alice, onPosition(wrongSide))).code).toBeGreaterThan(0);
    expect((await recordOf(alice, perp)).tpsl).toEqual([]);
  });
});
