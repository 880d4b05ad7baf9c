import { beforeEach, describe, expect, test } from 'vitest';
import { sharedVenueWithHeldClock, type Actor } from '../support/actors.ts';
import { exact, show } from '../support/exact.ts';
import {
  act,
  succeeded,
  expectRefusal,
  leverageOf,
  newScene,
  Operator,
  OPERATED,
  perpOrder,
  recordOf,
  recordsOf,
  trade,
  type OwnPerp,
} from '../support/perps.ts';

const world = sharedVenueWithHeldClock(OPERATED);
const operator = new Operator(world);

let perp: OwnPerp;
let alice: Actor;
let bob: Actor;

const marginChange = (ntli: unknown, changes: object = {}) => ({
  type: 'updateIsolatedMargin',
  asset: perp.id,
  isBuy: true,
  ntli,
  ...changes,
});
const leverage = (value: number) => ({
  type: 'updateLeverage',
  asset: perp.id,
  leverage: value,
  marginMode: 'isolated',
});

/** The leverage is 10 and the price is 100, so five coins cost 500 USDC and need a margin of 50. */
beforeEach(async () => {
  ({ perp, alice, bob } = await newScene(world, operator));
  succeeded(await act(alice, leverage(10)));
});

const withdrawable = async () => (await alice.state()).withdrawable;

/** Alice buys five isolated coins at 100 as taker, with a fee of 0.225. */
async function openLong(): Promise<void> {
  await trade(alice, bob, { market: perp, price: '100', size: '5', buyerMargin: 'isolated' });
}

/** Bob bids, and Alice sells as taker. */
async function sell(price: string, size: string): Promise<void> {
  succeeded(await bob.place(perpOrder({ market: perp, side: 'buy', price, size })));
  const order = perpOrder({ market: perp, side: 'sell', price, size, reduceOnly: true });
  expect(succeeded(await alice.place(order)).orders[0].state).toBe('filled');
}

describe('R-isolated: an opening order reserves its margin', () => {
  const reserving = (price: string, side: 'buy' | 'sell' = 'buy') =>
    perpOrder({ market: perp, side, price, size: '5', margin: 'isolated' });

  test('an opening order reserves size × mark / leverage and the fees out of the withdrawable amount', async () => {
    const { oid } = succeeded(await alice.place(reserving('90'))).orders[0];
    expect((await alice.openOrders())[0]).toMatchObject({ marginMode: 'Isolated', leverage: 10 });
    const left = exact(await withdrawable());
    // The order reserves 50 and a taker fee on a notional between 450 (at the limit) and 500 (at
    // the mark).
    expect(left).toBeLessThanOrEqual(exact('949.7975'));
    expect(left).toBeGreaterThanOrEqual(exact('949.775'));
    succeeded(await alice.cancel({ a: perp.id, o: oid }));
    expect(await withdrawable()).toBe('1000');
  });

  test('an opening order whose limit is worse than the mark also reserves the open loss', async () => {
    succeeded(await alice.place(reserving('110')));
    // The order reserves a margin of 50, an open loss of 5 × 10, and a fee of 550 × 0.00045.
    expect(await withdrawable()).toBe('899.7525');
    succeeded(await act(alice, { type: 'cancelAll' }));
    succeeded(await alice.place(reserving('90', 'sell')));
    const left = exact(await withdrawable());
    expect(left).toBeLessThanOrEqual(exact('899.7975'));
    expect(left).toBeGreaterThanOrEqual(exact('899.775'));
  });

  test('an opening order that needs more than the free balance is rejected', async () => {
    const order = { market: perp, side: 'buy', price: '90', margin: 'isolated' } as const;
    const refused = await alice.place(perpOrder({ ...order, size: '100' }));
    expectRefusal(refused, 10010, 'Insufficient margin');
    succeeded(await alice.place(perpOrder({ ...order, size: '60' })));
    // Cross orders can use only what is not reserved.
    const cross = await operator.list();
    const more = { market: cross, side: 'buy', price: '90', size: '90' } as const;
    expectRefusal(await alice.place(perpOrder(more)), 10010, 'Insufficient margin');
    succeeded(await alice.place(perpOrder({ ...more, size: '70' })));
  });

  test("an opening order fixes the instrument's margin mode, so orders in the other mode are rejected", async () => {
    succeeded(await alice.place(reserving('90')));
    expect((await leverageOf(alice, perp)).leverage).toMatchObject({ type: 'Isolated' });
    const cross = perpOrder({ market: perp, side: 'buy', price: '90', size: '5', margin: 'cross' });
    const message = "Margin mode differs from the open position's";
    const refused = expectRefusal(await alice.place(cross), 10009, message);
    expect(refused.details).toMatchObject({ field: 'orders[0].m' });
    succeeded(await act(alice, { type: 'cancelAll' }));
    succeeded(await alice.place(cross));
    expect((await leverageOf(alice, perp)).leverage).toMatchObject({ type: 'Cross' });
    expectRefusal(await alice.place(reserving('90')), 10009, message);
  });
});

describe('the position record describes an isolated position', () => {
  test('the record of an isolated position has the expected fields on entry', async () => {
    await openLong();
    const { position, type } = await recordOf(alice, perp);
    expect(type).toBe('OneWay');
    expect(position).toMatchObject({
      szi: '5',
      entryPx: '100',
      markPx: '100',
      positionValue: '500',
      unrealizedPnl: '0',
      marginUsed: '50',
      leverage: { type: 'Isolated', value: 10, rawUsd: '-450' },
      // The ratio is 50 / (500 × 0.025 + 500 × 0.005).
      marginRatio: '3.333333',
      returnOnEquity: '0',
      maxLeverage: 20,
      cumFee: '-0.225',
      closedPnl: '0',
    });
    const state = await alice.state();
    expect(state).toMatchObject({
      withdrawable: '949.775',
      crossMaintenanceMarginUsed: '0',
      crossMarginRatio: '999999',
      marginSummary: { accountValue: '999.775', totalNtlPos: '500', totalMarginUsed: '50' },
      crossMarginSummary: { accountValue: '949.775', totalNtlPos: '0', totalMarginUsed: '0' },
    });
    const { leverage: shown } = await leverageOf(alice, perp);
    expect(shown).toEqual({ mode: 'OneWay', type: 'Isolated', value: 10, rawUsd: '-450' });
  });

  test('the record of an isolated position has the expected fields after the mark moves', async () => {
    await openLong();
    await perp.push('104');
    expect((await recordOf(alice, perp)).position).toMatchObject({
      markPx: '104',
      positionValue: '520',
      unrealizedPnl: '20',
      marginUsed: '70',
      leverage: { type: 'Isolated', value: 10, rawUsd: '-450' },
      // The ratio is 70 / (520 × 0.03).
      marginRatio: '4.487179',
      returnOnEquity: '0.4',
    });
    expect(await alice.state()).toMatchObject({
      withdrawable: '949.775',
      marginSummary: { accountValue: '1019.775', totalRawUsd: '499.775' },
    });
  });

  test("liquidationPx is the price at which the position's own ratio is 1", async () => {
    await openLong();
    // The ratio reaches 1 where 50 + 5 (p − 100) = 5p × 0.03, at 92.7835….
    const { liquidationPx } = (await recordOf(alice, perp)).position;
    expect(['92.783', '92.784']).toContain(liquidationPx);
    await trade(bob, alice, { market: perp, price: '100', size: '5', sellerMargin: 'isolated' });
    expect(await recordsOf(alice, perp)).toEqual([]);
    await trade(bob, alice, { market: perp, price: '100', size: '5', sellerMargin: 'isolated' });
    // The ratio reaches 1 where 50 + 5 (100 − p) = 5p × 0.03, at 106.7961….
    const short = (await recordOf(alice, perp)).position;
    expect(short).toMatchObject({ szi: '-5', leverage: { rawUsd: '550' } });
    expect(['106.796', '106.797']).toContain(short.liquidationPx);
  });
});

describe('R-isolated: a fill moves margin into the position', () => {
  const sells = (price: string, size: string) =>
    perpOrder({ market: perp, side: 'sell', price, size });
  const buys = (price: string, size: string) =>
    perpOrder({ market: perp, side: 'buy', price, size, margin: 'isolated' });

  test('a fill worse than the mark adds its loss to the margin, and any unused reserve is released', async () => {
    succeeded(await bob.place(sells('105', '5')));
    expect(succeeded(await alice.place(buys('110', '5'))).orders[0].state).toBe('filled');
    // The margin includes 50 and the loss of 25; the fee was 525 × 0.00045.
    expect((await recordOf(alice, perp)).position).toMatchObject({
      unrealizedPnl: '-25',
      marginUsed: '50',
      leverage: { rawUsd: '-450' },
    });
    expect(await withdrawable()).toBe('924.76375');
  });

  test('a partial fill moves its share of the margin, and the unfilled part keeps its reserve until it is cancelled', async () => {
    const { oid } = succeeded(await alice.place(buys('95', '10'))).orders[0];
    succeeded(await bob.place(sells('95', '4')));
    expect((await recordOf(alice, perp)).position).toMatchObject({ szi: '4', unrealizedPnl: '20' });
    // The fill below the mark adds a gain of 20 to a margin of 40.
    expect((await recordOf(alice, perp)).position.marginUsed).toBe('60');
    const left = exact(await withdrawable());
    expect(left).toBeLessThan(exact('900'));
    expect(left).toBeGreaterThan(exact('899.4'));
    succeeded(await alice.cancel({ a: perp.id, o: oid }));
    // A margin of 40 belongs to the position, and the maker fee was 380 × 0.00015.
    expect(await withdrawable()).toBe('959.943');
  });

  test('a flip releases the old margin and moves new margin in for the other side', async () => {
    await openLong();
    succeeded(await bob.place(perpOrder({ market: perp, side: 'buy', price: '100', size: '8' })));
    const flip = { market: perp, side: 'sell', price: '100', size: '8' } as const;
    expect(succeeded(await alice.place(perpOrder(flip))).orders[0].state).toBe('filled');
    expect((await recordOf(alice, perp)).position).toMatchObject({
      szi: '-3',
      entryPx: '100',
      marginUsed: '30',
      leverage: { type: 'Isolated', value: 10, rawUsd: '330' },
    });
    // The fees were 0.225 for opening and 0.36 for the eight coins.
    expect(await withdrawable()).toBe('969.415');
  });
});

describe('R-isolated: a close pays out the released margin and the realised PnL', () => {
  test('a profitable close in two parts pays out the exact amount, to the micro-USDC', async () => {
    await openLong();
    await perp.push('104');
    await sell('104', '2');
    // The account receives a margin of 20 and a profit of 8, minus a fee of 208 × 0.00045.
    expect(await withdrawable()).toBe('977.6814');
    expect((await recordOf(alice, perp)).position).toMatchObject({
      szi: '3',
      marginUsed: '42',
      closedPnl: '8',
    });
    await sell('104', '3');
    expect(await recordsOf(alice, perp)).toEqual([]);
    expect(await withdrawable()).toBe('1019.541');
  });

  test('a losing close pays out the exact amount, to the micro-USDC', async () => {
    await openLong();
    await perp.push('96');
    await sell('96', '2');
    // The account receives 20 − 8 − 192 × 0.00045.
    expect(await withdrawable()).toBe('961.6886');
    expect((await recordOf(alice, perp)).position).toMatchObject({ szi: '3', marginUsed: '18' });
    await sell('96', '3');
    expect(await withdrawable()).toBe('979.559');
  });

  test('R-rounding: released margin is rounded towards zero, and the last lot releases the remainder', async () => {
    // The margin for 3 coins at 100 and 9 times leverage is 33.333334, rounded up.
    succeeded(await act(alice, leverage(9)));
    await trade(alice, bob, { market: perp, price: '100', size: '3', buyerMargin: 'isolated' });
    const opened = (await recordOf(alice, perp)).position.marginUsed;
    expect(['33.333333', '33.333334']).toContain(opened);
    await sell('100', '1');
    const released = exact(opened) / 3n;
    const left = exact(opened) - (released - (released % exact('0.000001')));
    expect((await recordOf(alice, perp)).position.marginUsed).toBe(show(left));
    await sell('100', '2');
    // The rest of the 1,000 was spent on fees: 0.135 for opening, and 0.045 and 0.09 for the closes.
    expect(await withdrawable()).toBe('999.73');
  });
});

describe("updateIsolatedMargin changes a position's margin", () => {
  test('updateIsolatedMargin adds and removes margin to the micro-USDC', async () => {
    await openLong();
    const reply = await act(alice, marginChange(10_000_001));
    succeeded(reply);
    expect(reply.json.data.type).toBe('UpdateIsolatedMargin');
    expect((await recordOf(alice, perp)).position).toMatchObject({
      marginUsed: '60.000001',
      leverage: { rawUsd: '-439.999999' },
    });
    expect(await withdrawable()).toBe('939.774999');
    // In one-way mode, isBuy is ignored.
    succeeded(await act(alice, marginChange(-10_000_001, { isBuy: false })));
    expect((await recordOf(alice, perp)).position.marginUsed).toBe('50');
    expect(await withdrawable()).toBe('949.775');
  });

  test('removing margin below the initial margin is rejected: Cannot remove more margin than is free', async () => {
    await openLong();
    const message = 'Cannot remove more margin than is free';
    expectRefusal(await act(alice, marginChange(-1)), 10010, message);
    succeeded(await act(alice, marginChange(5_000_000)));
    expectRefusal(await act(alice, marginChange(-5_000_001)), 10010, message);
    succeeded(await act(alice, marginChange(-5_000_000)));
  });

  test('removing margin below 10 % of the notional is rejected: Cannot remove more margin than is free', async () => {
    succeeded(await act(alice, leverage(20)));
    await openLong();
    expect((await recordOf(alice, perp)).position.marginUsed).toBe('25');
    succeeded(await act(alice, marginChange(30_000_000)));
    const message = 'Cannot remove more margin than is free';
    expectRefusal(await act(alice, marginChange(-5_000_001)), 10010, message);
    succeeded(await act(alice, marginChange(-5_000_000)));
  });

  test('removing more than the margin is rejected, even with a profit', async () => {
    await openLong();
    await perp.push('120');
    const message = 'Cannot remove more margin than is free';
    expectRefusal(await act(alice, marginChange(-50_000_001)), 10010, message);
    succeeded(await act(alice, marginChange(-50_000_000)));
    expect((await recordOf(alice, perp)).position.marginUsed).toBe('100');
    expect(await withdrawable()).toBe('999.775');
  });

  test('adding more than the free balance is rejected: Insufficient balance', async () => {
    await openLong();
    expectRefusal(await act(alice, marginChange(949_775_001)), 10010, 'Insufficient balance');
    succeeded(await act(alice, marginChange(949_775_000)));
    expect(await withdrawable()).toBe('0');
  });

  test('updateIsolatedMargin requires an isolated position on the selected side: No isolated position', async () => {
    const message = `No isolated position for ${perp.name}`;
    expectRefusal(await act(alice, marginChange(1_000_000)), 10010, message);
    await trade(alice, bob, { market: perp, price: '100', size: '5' });
    expectRefusal(await act(alice, marginChange(1_000_000)), 10010, message);
    const carol = await world.trader('carol');
    succeeded(await act(carol, { type: 'updatePositionMode', positionMode: 'hedge' }));
    await trade(carol, bob, { market: perp, price: '100', size: '1', buyerMargin: 'isolated' });
    expectRefusal(await act(carol, marginChange(1_000_000, { isBuy: false })), 10010, message);
    succeeded(await act(carol, marginChange(1_000_000, { isBuy: true })));
  });

  test.each([0, 1.5, '5', null])('an ntli of %j is rejected', async (ntli) => {
    await openLong();
    const { envelope } = await alice.sign(marginChange(1));
    const action = { ...envelope.action, ntli };
    const reply = await world.client.exchange({ ...envelope, action });
    expect(reply.status, reply.text).toBe(400);
    expect(reply.json).toMatchObject({ status: 'err', code: 10002, details: { field: 'ntli' } });
  });
});

describe('R-isolated: the leverage of an open position can be changed', () => {
  test('lowering the leverage adds the missing margin, and raising it releases no margin', async () => {
    await openLong();
    succeeded(await act(alice, leverage(5)));
    expect((await recordOf(alice, perp)).position).toMatchObject({
      marginUsed: '100',
      leverage: { type: 'Isolated', value: 5 },
    });
    expect(await withdrawable()).toBe('899.775');
    succeeded(await act(alice, leverage(20)));
    expect((await recordOf(alice, perp)).position).toMatchObject({
      marginUsed: '100',
      leverage: { type: 'Isolated', value: 20 },
    });
    expect(await withdrawable()).toBe('899.775');
  });

  test('lowering the leverage is rejected if cross cannot provide the margin: Insufficient margin', async () => {
    await trade(alice, bob, { market: perp, price: '100', size: '60', buyerMargin: 'isolated' });
    expectRefusal(await act(alice, leverage(5)), 10010, 'Insufficient margin');
    expect((await recordOf(alice, perp)).position).toMatchObject({
      marginUsed: '600',
      leverage: { value: 10 },
    });
  });
});
