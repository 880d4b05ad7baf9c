import { beforeEach, describe, expect, test } from 'vitest';
import { sharedVenueWithHeldClock, type Actor } from '../support/actors.ts';
import type { Json } from '../support/client.ts';
import {
  act,
  succeeded,
  groupAction,
  newScene,
  Operator,
  OPERATED,
  OrderWatch,
  perpOrder,
  recordOf,
  recordsOf,
  trade,
  triggerOrder,
  triggersOf,
  type OwnPerp,
} from '../support/perps.ts';

/** R-fill-check: a fill far from the mark must not transfer margin to another account. */

const world = sharedVenueWithHeldClock(OPERATED);
const operator = new Operator(world);

let perp: OwnPerp;
let alice: Actor;
let bob: Actor;
let carol: Actor;
let watch: OrderWatch;

beforeEach(async () => {
  ({ perp, alice, bob, carol } = await newScene(world, operator));
  watch = await OrderWatch.of(world, alice);
});

const sells = (price: string, size: string, changes: object = {}) =>
  perpOrder({ market: perp, side: 'sell', price, size, ...changes });
const buys = (price: string, size: string, changes: object = {}) =>
  perpOrder({ market: perp, side: 'buy', price, size, ...changes });

describe('the fill check applies to the taker', () => {
  test('a taker loses the rest of an order that would leave it below its initial margin', async () => {
    succeeded(await bob.place(sells('100', '10')));
    succeeded(await carol.place(sells('104', '180')));
    // A position of 190 coins needs 950 of Alice's 1,000 USDC. Bought at 104, it would immediately
    // lose 720.
    const [result] = succeeded(await alice.place(buys('104', '190'))).orders;
    expect(result).toMatchObject({ state: 'cancelled', filledSz: '10' });
    expect(await watch.last(result.oid, 'cancelled')).toMatchObject({ reason: 'marginCanceled' });
    expect((await recordOf(alice, perp)).position.szi).toBe('10');
    expect(await recordsOf(carol, perp)).toEqual([]);
  });

  test('R-grouping: the children of a partly filled order keep the filled size', async () => {
    succeeded(await bob.place(sells('100', '10')));
    succeeded(await carol.place(sells('104', '180')));
    const child = (kind: 'tp' | 'sl', at: string) =>
      triggerOrder({ market: perp, side: 'sell', kind, at, size: '190' });
    const family = [buys('104', '190'), child('tp', '120'), child('sl', '95')];
    const { orders } = succeeded(await act(alice, groupAction('normalTpsl', ...family)));
    expect(orders[0]).toMatchObject({ state: 'cancelled', filledSz: '10' });
    const rows = await triggersOf(alice);
    expect(rows.map((row) => row.sz)).toEqual(['10', '10']);
    // The children are active, so the stop closes the whole position.
    succeeded(await bob.place(buys('95', '50')));
    await perp.push('95');
    expect((await watch.last(orders[2].oid, 'filled')).order.filledSz).toBe('10');
    expect(await recordsOf(alice, perp)).toEqual([]);
  });

  test('a taker may close at any price that leaves positive equity', async () => {
    await trade(alice, bob, { market: perp, price: '100', size: '100' });
    succeeded(await carol.place(buys('91', '100')));
    const close = sells('91', '100', { reduceOnly: true });
    expect(succeeded(await alice.place(close)).orders[0].state).toBe('filled');
    expect(Number(await alice.balance())).toBeGreaterThan(0);
  });

  test('a taker may not close below its bankruptcy price', async () => {
    await trade(alice, bob, { market: perp, price: '100', size: '100' });
    // The equity is 995.5, so a close below 90.045 would leave a debt.
    succeeded(await carol.place(buys('90', '100')));
    const close = sells('90', '100', { reduceOnly: true });
    const [result] = succeeded(await alice.place(close)).orders;
    expect(result).toMatchObject({ state: 'cancelled', filledSz: '0' });
    expect(await watch.last(result.oid, 'cancelled')).toMatchObject({ reason: 'marginCanceled' });
    expect((await recordOf(alice, perp)).position.szi).toBe('100');
  });
});

describe('the fill check applies to the maker', () => {
  test('a maker that fails the check is cancelled, and the taker continues with the next order', async () => {
    const { oid } = succeeded(await alice.place(buys('100', '100'))).orders[0];
    succeeded(await carol.place(buys('99', '100')));
    // The other position loses most of Alice's equity.
    const other = await operator.list();
    await trade(alice, bob, { market: other, price: '100', size: '80' });
    await other.push('92');
    const dave = await world.trader('dave');
    const [sold] = succeeded(await dave.place(sells('99', '100'))).orders;
    expect(sold).toMatchObject({ state: 'filled', avgPx: '99' });
    expect(await watch.last(oid, 'cancelled')).toMatchObject({ reason: 'marginCanceled' });
    expect(await recordsOf(alice, perp)).toEqual([]);
  });
});

describe('a stop triggers next to a resting reduce-only order', () => {
  test('R-trigger: a stop triggers even though a resting order could close the whole position', async () => {
    await trade(alice, bob, { market: perp, price: '100', size: '4' });
    const limit = succeeded(await alice.place(sells('120', '4', { reduceOnly: true }))).orders[0];
    const stop = triggerOrder({ market: perp, side: 'sell', kind: 'sl', at: '95', size: '4' });
    const { oid } = succeeded(await alice.place(stop)).orders[0];
    succeeded(await carol.place(buys('95', '10')));
    await perp.push('95');
    const update = (await watch.until(oid, 'open')).at(-1);
    expect.soft(update.status, JSON.stringify(update)).not.toBe('rejected');
    expect.soft(await recordsOf(alice, perp)).toEqual([]);
    expect((await alice.openOrders()).map((row: Json) => row.oid)).not.toContain(limit.oid);
  });

  test('R-grouping OCO: a stop triggers even though the take-profit already rests as a limit order', async () => {
    await trade(alice, bob, { market: perp, price: '100', size: '4' });
    const tp = triggerOrder({
      market: perp,
      side: 'sell',
      kind: 'tp',
      at: '105',
      limit: '107',
      size: '0',
    });
    const sl = triggerOrder({ market: perp, side: 'sell', kind: 'sl', at: '95', size: '0' });
    const { orders } = succeeded(await act(alice, groupAction('positionTpsl', tp, sl)));
    await perp.push('105');
    expect((await alice.openOrders()).map((row: Json) => row.oid)).toEqual([orders[0].oid]);
    succeeded(await carol.place(buys('95', '10')));
    await perp.push('95');
    await watch.last(orders[1].oid, 'filled');
    expect(await recordsOf(alice, perp)).toEqual([]);
    expect(await watch.last(orders[0].oid, 'cancelled')).toBeDefined();
  });
});
