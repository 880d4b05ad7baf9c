import { beforeEach, describe, expect, test } from 'vitest';
import { sharedVenueWithHeldClock, type Actor } from '../support/actors.ts';
import { eventually } from '../support/client.ts';
import {
  act,
  succeeded,
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

async function wait(options: Omit<TriggerOptions, 'market'>): Promise<number> {
  const [result] = succeeded(await alice.place(triggerOrder({ market: perp, ...options }))).orders;
  expect(result).toMatchObject({ state: 'open', filledSz: '0', avgPx: null, error: null });
  return result.oid;
}

const quote = (side: 'buy' | 'sell', at: string, size = '5') =>
  put(bob, { market: perp, side, price: at, size });

describe('R-trigger: a reducing market trigger order stays active for its unfilled part', () => {
  const stop = { side: 'sell', kind: 'sl', at: '90', size: '4', reduceOnly: true } as const;

  beforeEach(async () => {
    await trade(alice, bob, { market: perp, price: '100', size: '4' });
  });

  test('an order that meets an empty book is open and Triggered, and fills when quotes return', async () => {
    const oid = await wait(stop);
    await perp.push('90');
    expect(await triggersOf(alice)).toMatchObject([
      { oid, triggerState: 'Triggered', sz: '4', triggerPx: '90', orderType: 'Market' },
    ]);
    expect((await recordOf(alice, perp)).position.szi).toBe('4');
    expect(await alice.openOrders()).toEqual([]);
    await quote('buy', '90', '1');
    await world.passTime(1_000);
    const part = await eventually(() => {
      const update = watch.of(oid).at(-1);
      expect(update.order.filledSz).toBe('1');
      return update;
    });
    expect(part).toMatchObject({
      status: 'open',
      order: { sz: '3', avgPx: '90', isTrigger: true },
    });
    expect(await triggersOf(alice)).toMatchObject([{ oid, triggerState: 'Triggered', sz: '3' }]);
    await quote('buy', '89.5', '3');
    await world.passTime(1_000);
    expect((await watch.last(oid, 'filled')).order).toMatchObject({ filledSz: '4', sz: '0' });
    expect(await recordsOf(alice, perp)).toEqual([]);
    expect(await triggersOf(alice)).toEqual([]);
  });

  test('the first attempt is within 1 % of the mark, and the range is wider one second later', async () => {
    await quote('buy', '89.09', '4');
    const oid = await wait(stop);
    await perp.push('90');
    // The first attempt is limited to 1 % below 90, which is 89.10, so it does not match.
    await world.passTime(1_000);
    expect((await watch.last(oid, 'filled')).order).toMatchObject({
      filledSz: '4',
      avgPx: '89.09',
    });
    const states = watch.of(oid).map(({ status, order }) => [status, order.filledSz]);
    expect(states).toEqual([
      ['open', '0'],
      ['open', '0'],
      ['filled', '4'],
    ]);
  });

  test('a triggered order ends with its position and can be cancelled by its id', async () => {
    const oid = await wait(stop);
    const other = await wait(stop);
    await perp.push('90');
    succeeded(await alice.cancel({ a: perp.id, o: other }));
    expect(await watch.last(other, 'cancelled')).toMatchObject({ reason: 'userCanceled' });
    await quote('buy', '80', '4');
    succeeded(
      await alice.place(
        perpOrder({ market: perp, side: 'sell', price: '80', size: '4', tif: 'Ioc' }),
      ),
    );
    expect(await watch.last(oid, 'cancelled')).toMatchObject({ reason: 'reduceOnly' });
    expect(await triggersOf(alice)).toEqual([]);
  });

  test('a position above the market order limit closes in full under a single order id', async () => {
    await operator.set(perp, { maxMarketOrderSize: '1.5' });
    await quote('buy', '90', '4');
    const whole = triggerOrder({ market: perp, ...stop, size: '0' });
    const action = { type: 'order', grouping: 'positionTpsl', orders: [whole] };
    const query = { type: 'simulate', user: alice.address, action };
    expect(await world.client.data(query)).toMatchObject({ accepted: true });
    const { oid } = succeeded(await act(alice, action)).orders[0];
    await perp.push('90');
    expect((await watch.last(oid, 'filled')).order).toMatchObject({ filledSz: '4', avgPx: '90' });
    expect(await recordsOf(alice, perp)).toEqual([]);
  });
});
