import { beforeEach, describe, expect, test } from 'vitest';
import { aSharedVenue, cloidOf, type Actor } from '../support/actors.ts';
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
  recordOf,
  trade,
  type OwnPerp,
  type PerpOrder,
} from '../support/perps.ts';

const world = aSharedVenue(OPERATED);
const operator = new Operator(world);

let perp: OwnPerp;
let alice: Actor;
let bob: Actor;
let carol: Actor;

beforeEach(async () => {
  ({ perp, alice, bob, carol } = await newScene(world, operator));
});

type Loose = Partial<Omit<PerpOrder, 'market'>>;

async function rest(actor: Actor, changes: Loose = {}): Promise<number> {
  const order = perpOrder({ market: perp, side: 'buy', price: '99', size: '2', ...changes });
  const [result] = succeeded(await actor.place(order)).orders;
  expect(result.state).toBe('open');
  return result.oid;
}

const amend = (target: { o: number } | { c: string }, p: string, s: string) => ({
  type: 'modify2',
  a: perp.id,
  ...target,
  p,
  s,
});

/** Carol sells into the bids as taker. */
async function hit(size: string, price = '90'): Promise<void> {
  const order = perpOrder({ market: perp, side: 'sell', price, size, tif: 'Ioc' });
  succeeded(await carol.place(order));
}

const open = async (actor: Actor): Promise<Json> => (await actor.openOrders())[0];

describe('modify2 identifies its order by either id', () => {
  test('modify2 finds the order by order id and returns its state', async () => {
    const o = await rest(alice);
    const reply = await act(alice, amend({ o }, '98', '3'));
    expect(reply.json.data.type).toBe('ModifyOrder');
    expect(succeeded(reply).orders).toEqual([
      { i: 0, oid: o, cloid: null, state: 'open', filledSz: '0', avgPx: null, error: null },
    ]);
    expect(await open(alice)).toMatchObject({ oid: o, limitPx: '98', sz: '3', origSz: '3' });
  });

  test('modify2 finds the order by client order id, which the amended order keeps', async () => {
    const cloid = cloidOf('amended');
    const o = await rest(alice, { cloid });
    const { orders } = succeeded(await act(alice, amend({ c: cloid }, '98.5', '2')));
    expect(orders[0]).toMatchObject({ oid: o, cloid, state: 'open' });
    expect(await open(alice)).toMatchObject({ oid: o, cloid, limitPx: '98.5' });
  });

  test('modify2 rejects unknown, foreign and cancelled orders, and an order on another instrument', async () => {
    const o = await rest(alice);
    const message = 'Order not found';
    expectRefusal(await act(alice, amend({ o: o + 1000 }, '98', '2')), 10011, message);
    expectRefusal(await act(bob, amend({ o }, '98', '2')), 10011, message);
    expectRefusal(await act(alice, amend({ c: cloidOf('none') }, '98', '2')), 10011, message);
    const other = await operator.list();
    const elsewhere = { ...amend({ o }, '98', '2'), a: other.id };
    expectRefusal(await act(alice, elsewhere), 10011, message);
    succeeded(await alice.cancel({ a: perp.id, o }));
    expectRefusal(await act(alice, amend({ o }, '98', '2')), 10011, message);
  });

  test('modify2 rejects both ids, neither id, and an invalid cloid', async () => {
    const o = await rest(alice);
    for (const target of [{ o, c: cloidOf('x') }, {}]) {
      const reply = await act(alice, amend(target as { o: number }, '98', '2'));
      expect(reply.status, reply.text).toBe(400);
      expect(reply.json).toMatchObject({ status: 'err', code: 10002 });
    }
    expectRefusal(await act(alice, amend({ c: 'x' }, '98', '2')), 10011, 'Invalid cloid format');
  });
});

describe('R-modify: an amend keeps the rank where possible', () => {
  test('an order whose price is unchanged keeps its queue position at any size', async () => {
    for (const size of ['1', '5']) {
      const o = await rest(alice);
      await rest(bob);
      succeeded(await act(alice, amend({ o }, '99', size)));
      await hit(size);
      expect(await alice.openOrders()).toEqual([]);
      expect(await open(bob)).toMatchObject({ sz: '2' });
      succeeded(await act(bob, { type: 'cancelAll' }));
    }
  });

  test('an order at a new price is ranked by its acceptance time', async () => {
    const early = await rest(alice, { price: '97' });
    await rest(bob, { price: '99' });
    succeeded(await act(alice, amend({ o: early }, '99', '2')));
    // Alice's order was accepted before Bob's and less than 60 s ago, so it ranks ahead of his.
    await hit('2');
    expect(await alice.openOrders()).toEqual([]);
    expect(await open(bob)).toMatchObject({ sz: '2' });
  });

  test('a newer order amended to the price ranks behind the older one', async () => {
    await rest(bob, { price: '99' });
    const laterOrder = await rest(alice, { price: '97' });
    succeeded(await act(alice, amend({ o: laterOrder }, '99', '2')));
    await hit('2');
    expect(await bob.openOrders()).toEqual([]);
    expect(await open(alice)).toMatchObject({ oid: laterOrder, sz: '2' });
  });
});

describe('R-modify: the new size includes the filled part', () => {
  test('the remaining size of an amended order is s minus the filled part', async () => {
    const o = await rest(alice, { size: '5' });
    await hit('2');
    const { orders } = succeeded(await act(alice, amend({ o }, '99', '8')));
    expect(orders[0]).toMatchObject({ oid: o, state: 'open', filledSz: '2', avgPx: '99' });
    expect(await open(alice)).toMatchObject({ origSz: '8', sz: '6' });
    succeeded(await act(alice, amend({ o }, '99', '3')));
    expect(await open(alice)).toMatchObject({ origSz: '3', sz: '1' });
  });

  test.each(['2', '1'])('an s of %s with 2 filled cancels the rest', async (s) => {
    const watch = await OrderWatch.of(world, alice);
    const o = await rest(alice, { size: '5' });
    await hit('2');
    const { orders } = succeeded(await act(alice, amend({ o }, '99', s)));
    expect(orders[0]).toMatchObject({ oid: o, state: 'cancelled', filledSz: '2' });
    expect(await alice.openOrders()).toEqual([]);
    expect(await watch.last(o, 'cancelled')).toMatchObject({ reason: 'amendedBelowFilled' });
  });
});

describe('R-modify: an amend may cross the book', () => {
  test('a new price that crosses executes as taker at the resting price', async () => {
    const o = await rest(alice, { size: '2' });
    await rest(bob, { side: 'sell', price: '101', size: '1' });
    const { orders } = succeeded(await act(alice, amend({ o }, '102', '2')));
    expect(orders[0]).toMatchObject({ oid: o, state: 'open', filledSz: '1', avgPx: '101' });
    expect(await open(alice)).toMatchObject({ oid: o, limitPx: '102', sz: '1' });
    const { position } = await recordOf(alice, perp);
    // The taker rate applies: 101 × 0.00045.
    expect(position).toMatchObject({ szi: '1', entryPx: '101', cumFee: '-0.04545' });
  });

  test('a crossing amend is filled if the book has enough liquidity', async () => {
    const o = await rest(alice, { size: '2' });
    await rest(bob, { side: 'sell', price: '101', size: '5' });
    const { orders } = succeeded(await act(alice, amend({ o }, '101', '2')));
    expect(orders[0]).toMatchObject({ oid: o, state: 'filled', filledSz: '2' });
    expect(await alice.openOrders()).toEqual([]);
  });

  test('amending an Alo order so that it crosses is rejected, and the order is kept', async () => {
    const o = await rest(alice, { tif: 'Alo' });
    await rest(bob, { side: 'sell', price: '101' });
    expectRefusal(
      await act(alice, amend({ o }, '101', '2')),
      10011,
      'Post only order would have immediately matched',
    );
    expect(await open(alice)).toMatchObject({ oid: o, limitPx: '99', sz: '2', tif: 'ALO' });
    succeeded(await act(alice, amend({ o }, '100.99', '2')));
  });
});

describe('R-modify: an amend passes all the checks of a new order or changes nothing', () => {
  const tick = 'Price precision does not match the tick size: 0.01';
  test.each<[string, string, string, number, string]>([
    ['tick', '99.001', '2', 10000, tick],
    ['lot', '99', '2.0001', 10000, 'Size precision does not match the lot size: 0.001'],
    ['maximum', '99', '2000.001', 10000, 'Order size exceeds the maximum: 2000'],
    ['band', '10', '2', 10000, 'Price is too far from the oracle'],
    ['minimum value', '99', '0.1', 10000, 'Order must have a minimum value of 10 USDC'],
    ['margin', '99', '500', 10010, 'Insufficient margin'],
    ['price above 0', '0', '2', 10000, 'Price is out of range'],
  ])('a violation of %s rejects the amend and keeps the order', async (_, p, s, code, message) => {
    const o = await rest(alice);
    expectRefusal(await act(alice, amend({ o }, p, s)), code, message);
    expect(await open(alice)).toMatchObject({ oid: o, limitPx: '99', sz: '2', origSz: '2' });
  });

  test('the error for a value that is too precise gives the field and the nearest values', async () => {
    const o = await rest(alice);
    const refused = expectRefusal(await act(alice, amend({ o }, '99.001', '2')), 10000, tick);
    expect(refused.details).toMatchObject({ field: 'p', got: '99.001', nearest: ['99', '99.01'] });
  });

  test('the minimum value applies to the remaining size, not to the whole order', async () => {
    const o = await rest(alice, { size: '2' });
    await hit('1');
    // The remaining size would be 0.05 of 1.05 coins.
    expectRefusal(
      await act(alice, amend({ o }, '99', '1.05')),
      10000,
      'Order must have a minimum value of 10 USDC',
    );
    succeeded(await act(alice, amend({ o }, '99', '1.2')));
  });

  test('R-reduce: a reduce-only order never exceeds the position', async () => {
    await trade(alice, bob, { market: perp, price: '100', size: '3' });
    const o = await rest(alice, { side: 'sell', price: '105', size: '2', reduceOnly: true });
    const reply = await act(alice, amend({ o }, '105', '9'));
    const row = await open(alice);
    // The venue may either clip the amend, as it would a new order, or reject it.
    expect(reply.json.status === 'err' ? '2' : '3').toBe(row.sz);
    expect(row).toMatchObject({ oid: o, reduceOnly: true });
  });

  test('R-halt: a halted market rejects amends but accepts cancels', async () => {
    const o = await rest(alice);
    await operator.set(perp, { haltTrading: true });
    const message = `Trading is halted for ${perp.name}`;
    expectRefusal(await act(alice, amend({ o }, '98', '2')), 10000, message);
    succeeded(await alice.cancel({ a: perp.id, o }));
  });

  test('R-isolated: an amend adjusts the reserve of an isolated order', async () => {
    const o = await rest(alice, { size: '20', margin: 'isolated' });
    const left = async () => Number((await alice.state()).withdrawable);
    const before = await left();
    succeeded(await act(alice, amend({ o }, '99', '40')));
    expect(before - (await left())).toBeCloseTo(1000 - before, 5);
    succeeded(await act(alice, amend({ o }, '99', '20')));
    expect(await left()).toBeCloseTo(before, 6);
    succeeded(await alice.cancel({ a: perp.id, o }));
    expect(await left()).toBe(1000);
  });
});

test('an amended order is sent as open with its new price and size', async () => {
  const watch = await OrderWatch.of(world, alice);
  const o = await rest(alice);
  succeeded(await act(alice, amend({ o }, '98', '3')));
  const updates = await watch.until(o, 'open');
  await expect
    .poll(() => watch.of(o).at(-1).order)
    .toMatchObject({ oid: o, limitPx: '98', sz: '3', origSz: '3' });
  expect(updates[0].order).toMatchObject({ limitPx: '99', sz: '2' });
});
