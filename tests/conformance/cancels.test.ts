import { describe, expect, test } from 'vitest';
import {
  type OrderOptions,
  aSharedVenue,
  cancelAction,
  cancelByCloidAction,
  cloidOf,
  farBid,
} from '../support/actors.ts';
import { results, status } from '../support/replies.ts';

const world = aSharedVenue();

/** Returns a valid resting buy order far below the mark. Each test changes one property of it. */
const resting = (changes?: Partial<OrderOptions>) => farBid(world.btc, changes);

describe('cancel and cancelByCloid end open orders', () => {
  test('cancel accepts an order id as a number or a string', async () => {
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

  test('R-cloid: cancelByCloid cancels by client order id', async () => {
    const alice = await world.trader('alice');
    const cloid = cloidOf('mine');
    await alice.place(resting({ cloid }));
    const action = cancelByCloidAction({ asset: world.btc.id, cloid });
    const reply = await world.client.executed(await alice.sign(action));
    expect(status(reply)).toBe('success');
    expect(reply.json.data.type).toBe('CancelOrder');
    expect(await alice.openOrders()).toEqual([]);
  });

  test('missing, foreign and ended orders get the same reject', async () => {
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
    const notFound = (asset: number) =>
      `Order was never placed, already canceled, or filled. asset=${asset}`;
    const cases = [
      { a: btc.id, o: 987_654_321 },
      { a: btc.id, o: foreign.oid },
      { a: eth.id, o: own.oid },
    ];
    for (const entry of cases) {
      const reply = await alice.cancel(entry);
      expect(status(reply)).toMatchObject({ error: notFound(entry.a), code: 10011 });
    }
    await alice.cancel({ a: btc.id, o: own.oid });
    expect(status(await alice.cancel({ a: btc.id, o: own.oid })).error).toBe(notFound(btc.id));
    expect(await bob.openOrders()).toHaveLength(1);
    const byCloid = cancelByCloidAction({ asset: btc.id, cloid: cloidOf('never used') });
    const reply = await world.client.executed(await alice.sign(byCloid));
    expect(status(reply).error).toBe(notFound(btc.id));
  });

  test('cancel tries every entry and reports each failure at its index', async () => {
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

  test('cancel accepts 200 entries', async () => {
    const alice = await world.trader('alice');
    const entries = Array.from({ length: 200 }, (_, index) => ({
      a: world.btc.id,
      o: 1e9 + index,
    }));
    const reply = await world.client.exchange(await alice.sign(cancelAction(...entries)));
    expect(reply.json).toMatchObject({ status: 'ok' });
  });
});
