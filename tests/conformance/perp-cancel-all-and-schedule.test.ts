import { beforeEach, describe, expect, test } from 'vitest';
import { sharedVenueWithHeldClock, cloidOf, type Actor } from '../support/actors.ts';
import type { Json } from '../support/client.ts';
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
  trade,
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

const resting = (changes: object = {}) =>
  perpOrder({ market: perp, side: 'buy', price: '90', size: '1', ...changes });
const opening = (changes: object = {}) =>
  triggerOrder({
    market: perp,
    side: 'buy',
    kind: 'sl',
    at: '120',
    size: '1',
    reduceOnly: false,
    ...changes,
  });
const protecting = (kind: 'tp' | 'sl', at: string, size = '1') =>
  triggerOrder({ market: perp, side: 'sell', kind, at, size });

type Everything = Record<'limit' | 'reducing' | 'opens' | 'protects' | 'tp' | 'sl', number>;

/**
 * Places one order of each kind: resting, resting reduce-only, opening trigger, closing trigger and
 * position TP/SL.
 */
async function everything(): Promise<Everything> {
  await trade(alice, bob, { market: perp, price: '100', size: '4' });
  const singles = await alice.place(
    resting(),
    resting({ side: 'sell', price: '110', reduceOnly: true }),
    opening(),
    protecting('sl', '80'),
  );
  const oids = succeeded(singles).orders.map((order: Json) => order.oid);
  const pair = await act(
    alice,
    groupAction('positionTpsl', protecting('tp', '130', '0'), protecting('sl', '70', '0')),
  );
  const [tp, sl] = succeeded(pair).orders.map((order: Json) => order.oid);
  return { limit: oids[0], reducing: oids[1], opens: oids[2], protects: oids[3], tp, sl };
}

describe("cancelAll cancels an account's orders", () => {
  test('cancelAll cancels orders of every kind with reason UserCanceled and lists them', async () => {
    const oids = Object.values(await everything());
    const reply = await act(alice, { type: 'cancelAll' });
    const { orders } = succeeded(reply);
    expect(reply.json.data.type).toBe('CancelAll');
    expect(orders.map((order: Json) => order.oid).sort((a: number, b: number) => a - b)).toEqual(
      oids.sort((a, b) => a - b),
    );
    expect(orders.every((order: Json) => order.state === 'cancelled' && order.error === null)).toBe(
      true,
    );
    for (const oid of oids) {
      expect(await watch.last(oid, 'cancelled')).toMatchObject({ reason: 'userCanceled' });
    }
    expect(await alice.openOrders()).toEqual([]);
    expect(await triggersOf(alice)).toEqual([]);
    expect(await recordOf(alice, perp)).toMatchObject({ tpsl: [], position: { szi: '4' } });
  });

  test('cancelAll cancels children together with their parent', async () => {
    const family = groupAction('normalTpsl', resting(), protecting('tp', '110'));
    const [, child] = succeeded(await act(alice, family)).orders;
    succeeded(await act(alice, { type: 'cancelAll' }));
    await watch.last(child.oid, 'cancelled');
  });

  test("cancelAll can be limited to one instrument's orders", async () => {
    const other = await operator.list();
    succeeded(await alice.place(resting(), resting({ market: other }), opening({ market: other })));
    succeeded(await act(alice, { type: 'cancelAll', asset: other.id }));
    expect((await alice.openOrders()).map((row) => row.instrumentId)).toEqual([perp.id]);
    expect(await triggersOf(alice)).toEqual([]);
  });

  test("cancelAll can be limited to one sub-account's orders", async () => {
    succeeded(await alice.place(resting({ cloid: cloidOf('stays') })));
    succeeded(await act(alice, { type: 'cancelAll', accountType: 'outcome' }));
    expect(await alice.openOrders()).toHaveLength(1);
    succeeded(await act(alice, { type: 'cancelAll', accountType: 'perps' }));
    expect(await alice.openOrders()).toEqual([]);
  });

  test('cancelAll rejects an asset from the other sub-account as malformed', async () => {
    const reply = await act(alice, { type: 'cancelAll', asset: perp.id, accountType: 'outcome' });
    expect(reply.status, reply.text).toBe(400);
    expect(reply.json).toMatchObject({ status: 'err', code: 10002 });
    succeeded(await act(alice, { type: 'cancelAll', asset: perp.id, accountType: 'perp' }));
  });

  test('cancelAll succeeds even if there are no orders', async () => {
    expect(succeeded(await act(alice, { type: 'cancelAll' })).orders).toEqual([]);
    expect(succeeded(await act(alice, { type: 'cancelAll', asset: perp.id })).orders).toEqual([]);
  });

  test('cancelAll affects no other account, works in a halted market, and releases reserves', async () => {
    succeeded(await alice.place(resting({ margin: 'isolated' })));
    succeeded(await bob.place(resting()));
    await operator.set(perp, { haltTrading: true });
    succeeded(await act(alice, { type: 'cancelAll' }));
    expect((await alice.state()).withdrawable).toBe('1000');
    expect(await bob.openOrders()).toHaveLength(1);
  });
});

describe('scheduleCancel cancels orders at a set time', () => {
  const schedule = (time?: number) => ({
    type: 'scheduleCancel',
    ...(time === undefined ? {} : { time }),
  });
  const now = async () => (await world.client.data({ type: 'stateHash' })).blockTime as number;

  test('scheduleCancel rejects a time less than 5 s away', async () => {
    for (const time of [1, (await now()) - 1000, (await now()) + 4_999]) {
      const refused = await act(alice, schedule(time));
      expectRefusal(refused, 10000, 'time must be at least 5 s ahead');
    }
    const reply = await act(alice, schedule(world.nowMs() + 60_000));
    succeeded(reply);
    expect(reply.json.data.type).toBe('ScheduleCancel');
  });

  test('a scheduled cancel ends resting orders and opening triggers at its time but keeps protective orders', async () => {
    const oids = await everything();
    const time = world.nowMs() + 5_500;
    succeeded(await act(alice, schedule(time)));
    await world.passTime(5_499);
    expect(watch.of(oids.limit).map((update) => update.status)).toEqual(['open']);
    await world.passTime(1_000);
    for (const oid of [oids.limit, oids.reducing, oids.opens]) {
      const update = await watch.last(oid, 'cancelled');
      expect(update).toMatchObject({ reason: 'scheduledCancel' });
      expect(update.statusTimestamp).toBeGreaterThanOrEqual(time);
      expect(update.statusTimestamp).toBeLessThan(time + 3_000);
    }
    expect((await triggersOf(alice)).map((row) => row.oid)).toContain(oids.protects);
    expect((await recordOf(alice, perp)).tpsl).toMatchObject([
      { tpOid: String(oids.tp), slOid: String(oids.sl) },
    ]);
    // Orders placed later stay open, because the schedule was removed when it ran.
    const { oid } = succeeded(await alice.place(resting())).orders[0];
    await world.passTime(2_000);
    expect(await now()).toBeGreaterThan(time + 2_000);
    expect(watch.of(oid).map((update) => update.status)).toEqual(['open']);
  });

  test('a new schedule replaces the old one, and omitting the time removes it', async () => {
    const first = world.nowMs() + 5_500;
    succeeded(await act(alice, schedule(first)));
    succeeded(await act(alice, schedule(first + 60_000)));
    succeeded(await act(bob, schedule(first)));
    succeeded(await act(bob, schedule()));
    // Removing a schedule that does not exist is not an error.
    succeeded(await act(bob, schedule()));
    succeeded(await alice.place(resting()));
    succeeded(await bob.place(resting()));
    await world.passTime(7_500);
    expect(await now()).toBeGreaterThan(first + 1_500);
    expect(await alice.openOrders()).toHaveLength(1);
    expect(await bob.openOrders()).toHaveLength(1);
  });
});
