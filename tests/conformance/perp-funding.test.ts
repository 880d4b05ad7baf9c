import { beforeEach, describe, expect, test } from 'vitest';
import { aSharedVenue, type Actor } from '../support/actors.ts';
import { eventually, type Json } from '../support/client.ts';
import {
  succeeded,
  newScene,
  Operator,
  OPERATED,
  OrderWatch,
  perpOrder,
  recordOf,
  trade,
  type OwnPerp,
} from '../support/perps.ts';
import {
  decimal,
  decimalOrUnset,
  exactly,
  expectShape,
  money,
  nullable,
  pairOf,
  price,
  record,
  text,
  time,
} from '../support/shape.ts';
import type { Socket } from '../support/socket.ts';

/**
 * Covers R-funding within an hour. The API cannot advance consensus time, so the payments are
 * covered by engine tests.
 */

const world = aSharedVenue(OPERATED);
const operator = new Operator(world);
const HOUR_MS = 3_600_000;

let perp: OwnPerp;
let alice: Actor;
let bob: Actor;

beforeEach(async () => {
  ({ perp, alice, bob } = await newScene(world, operator));
});

async function contextOf(market: OwnPerp): Promise<() => Json> {
  const socket = await world.socket();
  await socket.subscribe({ type: 'activeAssetCtx', coin: market.coin });
  await socket.next((frame) => frame.channel === 'activeAssetCtx');
  return () => socket.of('activeAssetCtx').at(-1).data;
}

async function fundings(user: string): Promise<[Socket, Json]> {
  const socket = await world.socket();
  await socket.subscribe({ type: 'userFundings', user });
  return [socket, await socket.next((frame) => frame.channel === 'userFundings')];
}

const rest = (side: 'buy' | 'sell', at: string, size: string) =>
  perpOrder({ market: perp, side, price: at, size });

describe('activeAssetCtx reports the premium and funding', () => {
  test('R-funding-gaps: activeAssetCtx has every field, and an hour with no samples has no funding', async () => {
    const data = (await contextOf(perp))();
    expectShape(
      data,
      record({
        coin: text,
        instrumentId: exactly(perp.id),
        ctx: record({
          dayNtlVlm: money,
          dayBaseVlm: decimal,
          prevDayPx: decimalOrUnset,
          markPx: exactly('100'),
          midPx: exactly(null),
          oraclePx: exactly('100'),
          openInterest: exactly('0'),
          funding: exactly('0'),
          premium: nullable(decimal),
          impactPxs: exactly(null),
          nextFundingTime: time,
        }),
      }),
    );
    const { nextFundingTime } = data.ctx;
    expect(nextFundingTime % HOUR_MS).toBe(0);
    expect(nextFundingTime - Date.now()).toBeLessThanOrEqual(HOUR_MS + 5_000);
    expect(nextFundingTime - Date.now()).toBeGreaterThan(-5_000);
  });

  test('R-funding: a premium of 0 predicts the interest rate, 0.0000125 an hour', async () => {
    const context = await contextOf(perp);
    succeeded(await alice.place(rest('buy', '99', '20')));
    succeeded(await bob.place(rest('sell', '101', '20')));
    // The venue samples the premium every 5 s.
    await eventually(() => expect(context().ctx.funding).toBe('0.0000125'));
  });

  test("impactPxs is each side's average price for the impact notional", async () => {
    const context = await contextOf(perp);
    // The impact notional is 1,000 USDC: 5 coins at 99 make up 495 USDC, and the remaining 505 USDC
    // are filled at 98.
    succeeded(await alice.place(rest('buy', '99', '5'), rest('buy', '98', '10')));
    succeeded(await bob.place(rest('sell', '101', '20')));
    await eventually(() => {
      expect(context().ctx).toMatchObject({ midPx: '100' });
      expectShape(context().ctx.impactPxs, pairOf(price));
    });
    const [bid, ask] = context().ctx.impactPxs.map(Number);
    expect(ask).toBe(101);
    expect(bid).toBeGreaterThan(98);
    expect(bid).toBeLessThan(99);
    // The oracle price is between the impact prices, so the premium is 0.
    expect(Number(context().ctx.premium)).toBe(0);
  });

  test('a side without enough depth has no impact price', async () => {
    const context = await contextOf(perp);
    succeeded(await alice.place(rest('buy', '99', '20')));
    succeeded(await bob.place(rest('sell', '101', '1')));
    await eventually(() => expect(context().ctx.midPx).toBe('100'));
    expect(context().ctx.impactPxs).toBe(null);
  });

  test('a book above the oracle price has a positive premium, and one below it a negative premium', async () => {
    const context = await contextOf(perp);
    succeeded(await alice.place(rest('buy', '101', '20')));
    succeeded(await bob.place(rest('sell', '102', '20')));
    // R-funding: the mark limits the premium. An external price moves the mark to the edge of its
    // 0.9399% band, 100.94.
    const prices = [{ instrumentId: perp.id, oraclePx: '100', externalPerpPx: '101' }];
    succeeded(await operator.push(prices));
    await eventually(() => expect(Number(context().ctx.premium)).toBe(0.0094));
    await perp.push('104');
    // The premium is −(104 − 103.023) / 104, compared to 10 decimals. The ask is 1.9% away.
    await eventually(() => expect(Number(context().ctx.premium)).toBeCloseTo(-0.977 / 104, 9));
    expect(Math.abs(Number(context().ctx.funding))).toBeLessThanOrEqual(0.04);
  });

  test('volume and open interest follow the trades', async () => {
    const context = await contextOf(perp);
    await trade(alice, bob, { market: perp, price: '100.5', size: '2' });
    await eventually(() => {
      expect(context().ctx).toMatchObject({
        openInterest: '2',
        dayNtlVlm: '201',
        dayBaseVlm: '2',
      });
    });
  });
});

describe('R-fillable: only orders that could fill set the premium', () => {
  test('an order that could not fill does not affect the premium and is cancelled at the next mark', async () => {
    const context = await contextOf(perp);
    const watch = await OrderWatch.of(world, alice);
    // At a mark of 100, 1,000 USDC support 100 coins, but a fill at 170 would lose 7,000.
    const [{ oid }] = succeeded(await alice.place(rest('buy', '170', '100'))).orders;
    expect(await watch.last(oid, 'cancelled')).toMatchObject({ reason: 'marginCanceled' });
    await eventually(async () => {
      const rows: Json[] = await world.client.data({
        type: 'historicalOrders',
        user: alice.address,
      });
      expect(rows).toMatchObject([{ order: { oid }, status: 'cancelled' }]);
    });
    expect(Number(context().ctx.premium ?? 0)).toBe(0);
    expect(context().ctx.impactPxs).toBe(null);
  });

  test('a post-only order may cross an order that could not fill', async () => {
    const watch = await OrderWatch.of(world, alice);
    const [{ oid }] = succeeded(await alice.place(rest('buy', '170', '100'))).orders;
    const sell = { market: perp, side: 'sell', price: '101', size: '1', tif: 'Alo' } as const;
    const [resting] = succeeded(await bob.place(perpOrder(sell))).orders;
    expect(resting).toMatchObject({ state: 'open' });
    expect(await watch.last(oid, 'cancelled')).toMatchObject({ reason: 'marginCanceled' });
  });
});

describe('userFundings streams funding payments', () => {
  test('userFundings starts with a snapshot, which is empty for an account without funding', async () => {
    const [, frame] = await fundings(alice.address);
    expect(frame.data).toEqual({ user: alice.address, isSnapshot: true, fundings: [] });
  });

  test('cumFunding starts at zero for a new position', async () => {
    await trade(alice, bob, { market: perp, price: '100', size: '2' });
    expect((await recordOf(alice, perp)).position.cumFunding).toEqual({
      allTime: '0',
      sinceChange: '0',
      sinceOpen: '0',
    });
  });
});
