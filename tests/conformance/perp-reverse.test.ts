import { beforeEach, describe, expect, test } from 'vitest';
import { sharedVenueWithHeldClock, type Actor } from '../support/actors.ts';
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
  put,
  recordOf,
  recordsOf,
  refusalOf,
  trade,
  triggerOrder,
  type OwnPerp,
} from '../support/perps.ts';

const world = sharedVenueWithHeldClock(OPERATED);
const operator = new Operator(world);

let perp: OwnPerp;
let alice: Actor;
let bob: Actor;
let carol: Actor;

beforeEach(async () => {
  ({ perp, alice, bob, carol } = await newScene(world, operator));
});

const reverse = (changes: object = {}) => ({
  type: 'reversePosition',
  asset: perp.id,
  ...changes,
});

const quote = (side: 'buy' | 'sell', price: string, size: string) =>
  put(carol, { market: perp, side, price, size });

const jobs = async (): Promise<Json[]> => (await alice.state()).activeReverseJobs;

/** Advances the time second by second until the check passes. */
async function advanceUntil<T>(check: () => Promise<T>): Promise<T> {
  for (let seconds = 0; seconds < 15; seconds += 1) {
    try {
      return await check();
    } catch {
      await world.passTime(1_000);
    }
  }
  return check();
}

/** Returns the remaining sizes once the job has ended. */
async function settled(): Promise<string[]> {
  return advanceUntil(async () => {
    expect(await jobs()).toEqual([]);
    return (await recordsOf(alice, perp)).map(({ position }) => position.szi);
  });
}

describe('reversePosition turns a position around', () => {
  test('a long becomes an equal short if the book has enough liquidity', async () => {
    await trade(alice, bob, { market: perp, price: '100', size: '5' });
    await quote('buy', '99.5', '10');
    const reply = await act(alice, reverse());
    succeeded(reply);
    expect(reply.json.data.type).toBe('ReversePosition');
    await advanceUntil(async () => {
      expect((await recordOf(alice, perp)).position).toMatchObject({
        szi: '-5',
        entryPx: '99.5',
      });
    });
    expect(await settled()).toEqual(['-5']);
  });

  test('a short becomes an equal long', async () => {
    await trade(bob, alice, { market: perp, price: '100', size: '5' });
    await quote('sell', '100.5', '20');
    succeeded(await act(alice, reverse()));
    await advanceUntil(async () => {
      expect((await recordOf(alice, perp)).position.szi).toBe('5');
    });
    expect(await settled()).toEqual(['5']);
  });

  test('a running reverse job has the expected fields in both phases', async () => {
    await trade(alice, bob, { market: perp, price: '100', size: '5' });
    await quote('buy', '99', '2');
    succeeded(await act(alice, reverse()));
    await advanceUntil(async () => {
      expect(await jobs()).toEqual([
        {
          asset: perp.coin,
          coin: perp.name,
          positionSzAtStart: '5',
          filledCloseQty: '2',
          marginMode: 'Cross',
          phase: 'Closing',
        },
      ]);
    });
    await quote('buy', '99', '4');
    await advanceUntil(async () => {
      expect(await jobs()).toMatchObject([{ phase: 'Opening', filledCloseQty: '5' }]);
      expect((await recordOf(alice, perp)).position.szi).toBe('-1');
    });
    await quote('buy', '99', '4');
    expect(await settled()).toEqual(['-5']);
  });

  test('a second reverse job for the same instrument and side is rejected', async () => {
    await trade(alice, bob, { market: perp, price: '100', size: '5' });
    succeeded(await act(alice, reverse()));
    await advanceUntil(async () => expect(await jobs()).toHaveLength(1));
    expect(refusalOf(await act(alice, reverse())).code).toBeGreaterThan(0);
    expect(await jobs()).toHaveLength(1);
  });

  test('a reversal trades within 5 % of the mark and ends after 10 s with a partial result', async () => {
    await trade(alice, bob, { market: perp, price: '100', size: '5' });
    await quote('buy', '95', '1');
    await quote('buy', '94.99', '20');
    const started = world.nowMs();
    succeeded(await act(alice, reverse()));
    expect(await settled()).toEqual(['4']);
    const ran = world.nowMs() - started;
    expect(ran).toBeGreaterThan(8_500);
    expect(ran).toBeLessThan(11_500);
  });

  test("a reversal cancels the instrument's reduce-only orders and no others", async () => {
    const watch = await OrderWatch.of(world, alice);
    await trade(alice, bob, { market: perp, price: '100', size: '5' });
    const sell = { market: perp, side: 'sell', price: '110', size: '1' } as const;
    const { orders } = succeeded(
      await alice.place(
        perpOrder({ ...sell, reduceOnly: true }),
        perpOrder({ ...sell, price: '111' }),
      ),
    );
    const stop = triggerOrder({ market: perp, side: 'sell', kind: 'sl', at: '80', size: '0' });
    const tpsl = succeeded(await act(alice, groupAction('positionTpsl', stop))).orders[0];
    await quote('buy', '99', '20');
    succeeded(await act(alice, reverse()));
    await watch.last(orders[0].oid, 'cancelled');
    await watch.last(tpsl.oid, 'cancelled');
    expect(await settled()).toEqual(['-5']);
    expect((await alice.openOrders()).map((row) => row.oid)).toEqual([orders[1].oid]);
  });

  test('a reversal closes the position but does not open the other side if margin is insufficient', async () => {
    await trade(alice, bob, { market: perp, price: '100', size: '150' });
    await perp.push('96');
    await quote('buy', '95.5', '150');
    const other = await operator.list();
    succeeded(await act(alice, reverse()));
    await advanceUntil(async () => expect(await recordsOf(alice, perp)).toEqual([]));
    expect(await jobs()).toMatchObject([{ phase: 'Opening', filledCloseQty: '150' }]);
    // Another order uses up the margin before the book has liquidity for the opening part.
    const free = Number((await alice.state()).withdrawable);
    const size = String(Math.floor((free * 0.98) / 5));
    succeeded(await alice.place(perpOrder({ market: other, side: 'buy', price: '100', size })));
    const dave = await world.trader('dave');
    succeeded(await dave.place(perpOrder({ market: perp, side: 'buy', price: '95', size: '150' })));
    expect(await settled()).toEqual([]);
  });

  test('reversing an instrument that has no position is rejected: No position for <name>', async () => {
    expectRefusal(await act(alice, reverse()), 10010, `No position for ${perp.name}`);
    expectRefusal(await act(alice, reverse({ asset: 77_777 })), 10404, 'Instrument not found');
  });

  test('R-hedge: isBuy selects the position to reverse', async () => {
    succeeded(await act(alice, { type: 'updatePositionMode', positionMode: 'hedge' }));
    await trade(alice, bob, { market: perp, price: '100', size: '5' });
    const refused = await act(alice, reverse({ isBuy: false }));
    expectRefusal(refused, 10010, `No position for ${perp.name}`);
    await quote('buy', '99', '20');
    succeeded(await act(alice, reverse({ isBuy: true })));
    await advanceUntil(async () => {
      expect((await recordOf(alice, perp)).position.szi).toBe('-5');
    });
    expect(await settled()).toEqual(['-5']);
  });

  test('an isolated position stays isolated when reversed', async () => {
    await trade(alice, bob, { market: perp, price: '100', size: '5', buyerMargin: 'isolated' });
    await quote('buy', '99', '5');
    succeeded(await act(alice, reverse()));
    await advanceUntil(async () => {
      expect(await jobs()).toMatchObject([{ marginMode: 'Isolated', phase: 'Opening' }]);
    });
    await quote('buy', '99', '5');
    expect(await settled()).toEqual(['-5']);
    expect((await recordOf(alice, perp)).position.leverage).toMatchObject({ type: 'Isolated' });
  });
});
