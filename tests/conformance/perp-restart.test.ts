import { expect, test } from 'vitest';
import { aVenue, cloidOf } from '../support/actors.ts';
import type { Json } from '../support/client.ts';
import {
  act,
  succeeded,
  groupAction,
  ledgerOf,
  leverageOf,
  Operator,
  OPERATED,
  perpOrder,
  recordsOf,
  trade,
  triggerOrder,
  triggersOf,
} from '../support/perps.ts';

const world = aVenue(OPERATED);
const operator = new Operator(world);

test.each(['stop', 'kill'] as const)(
  'R-determinism: orders, jobs and isolated positions survive a %s and stay active',
  async (how) => {
    const perp = await operator.list();
    const [alice, bob] = [await world.trader('alice'), await world.trader('bob')];
    const hedger = await world.trader('hedger');
    succeeded(await act(hedger, { type: 'updatePositionMode', positionMode: 'hedge' }));
    const leverage = { type: 'updateLeverage', asset: perp.id, marginMode: 'isolated' };
    succeeded(await act(alice, { ...leverage, leverage: 10 }));
    succeeded(await act(hedger, { ...leverage, leverage: -4 }));
    await trade(alice, bob, { market: perp, price: '100', size: '5', buyerMargin: 'isolated' });
    await trade(hedger, bob, { market: perp, price: '100', size: '2' });
    const child = (kind: 'tp' | 'sl', at: string, size: string) =>
      triggerOrder({ market: perp, side: 'sell', kind, at, size });
    const pair = [child('tp', '120', '0'), child('sl', '95', '0')];
    succeeded(await act(alice, groupAction('positionTpsl', ...pair)));
    const parent = perpOrder({ market: perp, side: 'buy', price: '80', size: '1' });
    const family = [parent, child('tp', '120', '1'), child('sl', '70', '1')];
    succeeded(await act(alice, groupAction('normalTpsl', ...family)));
    const stop = { market: perp, side: 'buy', kind: 'sl', at: '130', size: '1' } as const;
    const waiting = triggerOrder({ ...stop, reduceOnly: false, cloid: cloidOf(`waits ${how}`) });
    succeeded(await alice.place(waiting));
    const gtd = { market: perp, side: 'buy', price: '81', size: '1', tif: 'Gtd' } as const;
    succeeded(await hedger.place(perpOrder({ ...gtd, expireTime: Date.now() + 3_600_000 })));

    const look = async (): Promise<Json> =>
      Promise.all(
        [alice, bob, hedger].map(async (actor) => {
          const { time: _time, ...state } = await actor.state();
          return {
            state,
            open: await actor.openOrders(),
            triggers: await triggersOf(actor),
            leverage: await leverageOf(actor, perp),
          };
        }),
      );
    const before = await look();
    await world.venue[how]();
    await world.venue.startAgain();
    expect(await look()).toEqual(before);

    // After the restart, the position's stop still triggers and cancels its sibling.
    succeeded(await bob.place(perpOrder({ market: perp, side: 'buy', price: '95', size: '5' })));
    await perp.push('95');
    expect(await recordsOf(alice, perp)).toEqual([]);
    expect((await triggersOf(alice)).map((row) => row.triggerPx)).toEqual(['130']);
    expect(await ledgerOf(alice, 'liquidation')).toEqual([]);
  },
  60_000,
);
