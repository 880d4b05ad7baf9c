import { beforeEach, describe, expect, test } from 'vitest';
import { sharedVenueWithHeldClock, type Actor } from '../support/actors.ts';
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
  recordOf,
  triggerOrder,
  triggersOf,
  type OwnPerp,
} from '../support/perps.ts';

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

const expiry = () => world.nowMs() + 5_300;

const gtd = (expireTime: number, changes: object = {}) =>
  perpOrder({
    market: perp,
    side: 'buy',
    price: '95',
    size: '2',
    tif: 'Gtd',
    expireTime,
    ...changes,
  });

/** Waits until the order expires and returns its last update, which must have the expiry time. */
async function expired(oid: number, time: number) {
  await world.passTime(5_299);
  expect(watch.of(oid).at(-1).status).toBe('open');
  await world.passTime(1_000);
  const update = await watch.last(oid, 'cancelled');
  expect(update.reason).toBe('expired');
  expect(update.statusTimestamp).toBeGreaterThanOrEqual(time);
  expect(update.statusTimestamp).toBeLessThan(time + 3_000);
  return update.order;
}

describe('R-tif: a Gtd order rests until it expires', () => {
  test('an order rests with its expiry, and its reserve is released when it expires', async () => {
    const time = expiry();
    const { oid } = succeeded(await alice.place(gtd(time, { margin: 'isolated' }))).orders[0];
    expect((await alice.openOrders())[0]).toMatchObject({ oid, tif: 'GTD', expireTime: time });
    expect(await expired(oid, time)).toMatchObject({ sz: '2', filledSz: '0', tif: 'GTD' });
    expect(await alice.openOrders()).toEqual([]);
    expect((await alice.state()).withdrawable).toBe('1000');
  });

  test('expiry cancels only the remainder of a partly filled order', async () => {
    const time = expiry();
    const { oid } = succeeded(await alice.place(gtd(time))).orders[0];
    const sell = perpOrder({ market: perp, side: 'sell', price: '95', size: '0.5' });
    succeeded(await bob.place(sell));
    expect(await expired(oid, time)).toMatchObject({ filledSz: '0.5', avgPx: '95' });
    expect((await recordOf(alice, perp)).position.szi).toBe('0.5');
  });

  test('an amend keeps the expiry', async () => {
    const time = expiry();
    const { oid } = succeeded(await alice.place(gtd(time))).orders[0];
    succeeded(await act(alice, { type: 'modify2', a: perp.id, o: oid, p: '96', s: '3' }));
    expect((await alice.openOrders())[0]).toMatchObject({ oid, expireTime: time, limitPx: '96' });
    await expired(oid, time);
  });

  test('R-halt: orders in a halted market also expire', async () => {
    const time = expiry();
    const { oid } = succeeded(await alice.place(gtd(time))).orders[0];
    await operator.set(perp, { haltTrading: true });
    await expired(oid, time);
  });

  test('R-grouping: when a parent expires, its children are cancelled with it', async () => {
    const time = expiry();
    const child = triggerOrder({ market: perp, side: 'sell', kind: 'tp', at: '110', size: '2' });
    const { orders } = succeeded(await act(alice, groupAction('normalTpsl', gtd(time), child)));
    await expired(orders[0].oid, time);
    expect(await watch.last(orders[1].oid, 'cancelled')).toMatchObject({
      reason: 'parentCanceled',
    });
    expect(await triggersOf(alice)).toEqual([]);
  });

  test('an expiry less than 5 s after the consensus time is rejected', async () => {
    const message = 'Expire time must be at least 5 s ahead';
    for (const time of [1, world.nowMs() - 1_000, world.nowMs() + 4_999]) {
      const refused = expectRefusal(await alice.place(gtd(time)), 10011, message);
      expect(refused.details).toMatchObject({ field: 'orders[0].t.limit.expireTime', got: time });
    }
  });

  test('expireTime is required for Gtd and invalid for every other tif', async () => {
    const missing = perpOrder({ market: perp, side: 'buy', price: '95', size: '2', tif: 'Gtd' });
    for (const order of [missing, gtd(expiry(), { tif: 'Gtc' }), gtd(expiry(), { tif: 'Ioc' })]) {
      const reply = await alice.place(order);
      expect(reply.status, reply.text).toBe(400);
      expect(reply.json).toMatchObject({ status: 'err', code: 10002 });
    }
  });

  test('any expiry later than the minimum is accepted', async () => {
    const time = world.nowMs() + 365 * 24 * 3_600_000;
    succeeded(await alice.place(gtd(time)));
    expect((await alice.openOrders())[0].expireTime).toBe(time);
  });
});
