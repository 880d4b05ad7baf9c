import { beforeEach, describe, expect, test } from 'vitest';
import { aVenue, type Actor } from '../support/actors.ts';
import { eventually, type Json } from '../support/client.ts';
import {
  act,
  definition,
  succeeded,
  expectRefusal,
  groupAction,
  leverageOf,
  newScene,
  Operator,
  OPERATED,
  OrderWatch,
  perpMetaOf,
  perpOrder,
  recordOf,
  refusalOf,
  TIERS,
  trade,
  triggerOrder,
  triggersOf,
  type OwnPerp,
} from '../support/perps.ts';

const world = aVenue(OPERATED, { isHeld: true });
const operator = new Operator(world);

let perp: OwnPerp;
let alice: Actor;
let bob: Actor;

beforeEach(async () => {
  ({ perp, alice, bob } = await newScene(world, operator));
});

const resting = (changes: object = {}) =>
  perpOrder({ market: perp, side: 'buy', price: '95', size: '1', ...changes });
const setPerp = (changes: object) =>
  operator.send({ setPerp: { instrumentId: perp.id, ...changes } });
const meta = () => perpMetaOf(world, perp.id);

describe("setPerp changes a perp's definition", () => {
  test('R-halt: a halt rejects orders and amends, accepts cancels, and can be lifted', async () => {
    const { oid } = succeeded(await alice.place(resting())).orders[0];
    await operator.set(perp, { haltTrading: true });
    expect(await meta()).toMatchObject({ haltTrading: true });
    const message = `Trading is halted for ${perp.name}`;
    expectRefusal(await alice.place(resting()), 10000, message);
    expectRefusal(await alice.place(resting({ side: 'sell', reduceOnly: true })), 10000, message);
    const amend = { type: 'modify2', a: perp.id, o: oid, p: '94', s: '1' };
    expectRefusal(await act(alice, amend), 10000, message);
    succeeded(await alice.cancel({ a: perp.id, o: oid }));
    // The mark of a halted market still follows the oracle price.
    await perp.push('103');
    expect((await leverageOf(alice, perp)).markPx).toBe('103');
    await operator.set(perp, { haltTrading: false });
    succeeded(await alice.place(resting()));
  });

  // R-oracle-stale: in a halted market, twice the value of 10 coins at 100 USDC, which is 2,000, is
  // subtracted from equity. Each account has only 1,000.
  test('R-halt: a large position in a halted market restricts the account in all markets', async () => {
    const other = await operator.list();
    await trade(alice, bob, { market: perp, price: '100', size: '10' });
    await operator.set(perp, { haltTrading: true });
    const opening = perpOrder({ market: other, side: 'buy', price: '95', size: '1' });
    expectRefusal(await alice.place(opening), 10000, `Trading is halted for ${perp.name}`);
    expect((await alice.state()).withdrawable).toBe('0');
    await operator.set(perp, { haltTrading: false });
    succeeded(await alice.place(opening));
    expect(Number((await alice.state()).withdrawable)).toBeGreaterThan(800);
  });

  test('a new tick applies to new and amended orders, and resting orders stay', async () => {
    const { oid } = succeeded(await alice.place(resting({ price: '95.01' }))).orders[0];
    await operator.set(perp, { priceTick: '0.5', bookTicks: ['0.5', '5'] });
    expect(await meta()).toMatchObject({ priceTick: '0.5', bookTicks: ['0.5', '5'] });
    const message = 'Price precision does not match the tick size: 0.5';
    expectRefusal(await alice.place(resting({ price: '95.01' })), 10000, message);
    const amend = { type: 'modify2', a: perp.id, o: oid, s: '2' };
    expectRefusal(await act(alice, { ...amend, p: '95.02' }), 10000, message);
    expect((await alice.openOrders())[0]).toMatchObject({ oid, limitPx: '95.01', sz: '1' });
    // The resting order can still trade at its old price.
    const sell = { market: perp, side: 'sell', price: '95', size: '1', tif: 'Ioc' } as const;
    expect(succeeded(await bob.place(perpOrder(sell))).orders[0].avgPx).toBe('95.01');
  });

  test('new order size limits apply to new orders', async () => {
    await operator.set(perp, { maxLimitOrderSize: '3', maxMarketOrderSize: '2' });
    expect(await meta()).toMatchObject({ maxLimitOrderSize: 3, maxMarketOrderSize: 2 });
    expectRefusal(
      await alice.place(resting({ size: '3.001' })),
      10000,
      'Order size exceeds the maximum: 3',
    );
    expectRefusal(
      await alice.place(resting({ size: '2.001', tif: 'Ioc' })),
      10000,
      'Order size exceeds the maximum: 2',
    );
  });

  test('onlyIsolated rejects cross orders', async () => {
    await operator.set(perp, { onlyIsolated: true });
    expect((await leverageOf(alice, perp)).onlyIsolated).toBe(true);
    expectRefusal(
      await alice.place(resting({ margin: 'cross' })),
      10009,
      `Only isolated margin is allowed for ${perp.name}`,
    );
    succeeded(await alice.place(resting({ margin: 'isolated' })));
  });

  test("a fill pays the lower of the tier's rate and the instrument's rate", async () => {
    const fees = async () =>
      Promise.all([alice, bob].map(async (actor) => (await recordOf(actor, perp)).position.cumFee));
    await operator.set(perp, { takerFeeRate: '0.0001', makerFeeRate: '0.00005' });
    await trade(alice, bob, { market: perp, price: '100', size: '1' });
    expect(await fees()).toEqual(['-0.01', '-0.005']);
    await operator.set(perp, { takerFeeRate: '0.01', makerFeeRate: '0.01' });
    await trade(alice, bob, { market: perp, price: '100', size: '1' });
    expect(await fees()).toEqual(['-0.055', '-0.02']);
  });

  test('a new margin table applies from the next check', async () => {
    await trade(alice, bob, { market: perp, price: '100', size: '10' });
    expect((await alice.state()).crossMaintenanceMarginUsed).toBe('25');
    const tiers = [{ tier: 1, minSize: '0', maxSize: '15', maxLeverage: 10, mmr: '0.05' }];
    await operator.set(perp, { marginTable: { tiers } });
    expect((await alice.state()).crossMaintenanceMarginUsed).toBe('50');
    expect(await meta()).toMatchObject({ maxLeverage: 10 });
    // R-tiers: the last tier's maxSize is the position limit, which applies to the worst-case
    // exposure.
    expectRefusal(
      await alice.place(resting({ size: '5.001' })),
      10010,
      `Position limit exceeded for ${perp.name}`,
    );
    succeeded(await alice.place(resting({ size: '5' })));
  });

  test('an invalid margin table is rejected, as is one that a fee change makes invalid', async () => {
    const tiers = [{ ...TIERS[0], mmr: '0.05' }];
    for (const changes of [{ marginTable: { tiers } }, { takerFeeRate: '0.02' }]) {
      const refused = refusalOf(await setPerp(changes));
      expect(refused.code).toBe(10017);
      expect(refused.message).toMatch(/^Invalid margin table: .+/);
    }
    expect((await meta()).maxLeverage).toBe(20);
  });

  test('R-mark: an invalid mark band is rejected, as is one that a table or fee makes invalid', async () => {
    const refused = refusalOf(await setPerp({ markBand: '0.0093991' }));
    expect(refused).toMatchObject({
      code: 10017,
      message: 'Invalid mark band: above 0.00939903',
      details: { field: 'setPerp.markBand', got: '0.0093991', allowed: { max: '0.00939903' } },
    });
    // The reported limit does not depend on the rejected value.
    for (const markBand of ['1', '1.5']) {
      const far = refusalOf(await setPerp({ markBand }));
      expect(far).toMatchObject({ code: 10017, message: 'Invalid mark band: above 0.00939903' });
    }
    await operator.set(perp, { markBand: '0.009399' });
    const tiers = [{ ...TIERS[0], mmr: '0.03' }];
    for (const changes of [{ marginTable: { tiers } }, { takerFeeRate: '0.001' }]) {
      expect(refusalOf(await setPerp(changes))).toMatchObject({
        code: 10017,
        message: expect.stringMatching(/^Invalid mark band: above 0\.00[69]/),
      });
    }
    // The same fee and table are valid together with a valid band.
    await operator.set(perp, { markBand: '0.005', marginTable: { tiers } });
    const listing = await operator.send({ registerPerp: definition({ markBand: '0.01' }) });
    expect(refusalOf(listing)).toMatchObject({ code: 10017 });
  });

  test('R-funding: premiumCap is 1% by default', async () => {
    const cap = async () => {
      const assetName = perp.name.split('-')[0];
      const detail = await world.client.data({ type: 'perpMetaDetail', assetName });
      return detail.instruments[0].perp.premiumCap;
    };
    expect(await cap()).toBe('0.01');
    await operator.set(perp, { premiumCap: '0.0025' });
    expect(await cap()).toBe('0.0025');
    expect(refusalOf(await setPerp({ premiumCap: '1' }))).toMatchObject({
      code: 10002,
      details: { field: 'setPerp.premiumCap' },
    });
  });

  test('setPerp requires at least one change to an existing perp', async () => {
    for (const changes of [{}, { delisted: false }, { haltTrading: 'yes' }]) {
      const reply = await setPerp(changes);
      expect(reply.status, reply.text).toBe(400);
      expect(reply.json).toMatchObject({ status: 'err', code: 10002 });
    }
    const unknown = await setPerp({ instrumentId: 77_777, haltTrading: true });
    expectRefusal(unknown, 10404, 'Instrument not found');
  });
});

describe('R-delist: a perp is delisted at its closing hour', () => {
  test('at the closing hour, opening orders are cancelled, and reducing orders and positions are kept', async () => {
    await trade(alice, bob, { market: perp, price: '98', size: '10' });
    const watch = await OrderWatch.of(world, alice);
    const stop = { market: perp, side: 'sell', kind: 'sl', at: '80', size: '0' } as const;
    const exit = { side: 'sell', price: '110', reduceOnly: true };
    const { orders } = succeeded(
      await alice.place(
        resting(),
        triggerOrder({ ...stop, side: 'buy', at: '120', size: '1', reduceOnly: false }),
        resting(exit),
      ),
    );
    succeeded(await act(alice, groupAction('positionTpsl', triggerOrder(stop))));
    const sentAt = world.nowMs();
    await operator.set(perp, { delisted: true });
    const shown = await meta();
    expect(shown).toMatchObject({ delisted: true, haltTrading: false });
    expect(Math.abs(shown.closingTime - sentAt - 3_600_000)).toBeLessThan(30_000);
    const detail = await world.client.data({
      type: 'perpMetaDetail',
      assetName: perp.name.split('-')[0],
    });
    expect(detail.instruments[0].perp).toMatchObject({
      delisted: true,
      closingTime: shown.closingTime,
    });
    for (const { oid } of orders.slice(0, 2)) {
      expect(await watch.last(oid, 'cancelled')).toMatchObject({ reason: 'delisted' });
    }
    expect((await alice.openOrders()).map(({ oid }: Json) => oid)).toEqual([orders[2].oid]);
    expect(await triggersOf(alice)).toEqual([]);
    const { position, tpsl } = await recordOf(alice, perp);
    expect([position.szi, tpsl.length]).toEqual(['10', 1]);
  });

  test('after the closing hour, only reducing orders, amends to them, and cancels are accepted', async () => {
    await trade(alice, bob, { market: perp, price: '100', size: '10' });
    await operator.set(perp, { delisted: true });
    const closing = [10011, 'Market is closing'] as const;
    expectRefusal(await alice.place(resting()), ...closing);
    expectRefusal(await alice.place(resting({ side: 'sell', size: '1' })), ...closing);
    expectRefusal(await setPerp({ delisted: true }), ...closing);
    const exit = { side: 'sell', price: '101', size: '4', reduceOnly: true };
    const { oid } = succeeded(await alice.place(resting(exit))).orders[0];
    succeeded(await act(alice, { type: 'modify2', a: perp.id, o: oid, p: '100', s: '4' }));
    const buy = { price: '100', size: '3', reduceOnly: true };
    expect(succeeded(await bob.place(resting(buy))).orders[0]).toMatchObject({ filledSz: '3' });
    succeeded(await alice.cancel({ a: perp.id, o: oid }));
    // The settlement price is the mark. Its earlier samples still have little weight, and no band
    // limits it.
    await perp.push('120');
    await world.passTime(1_000);
    const { markPx } = await leverageOf(alice, perp);
    expect(Number(markPx)).toBeGreaterThan(119.5);
  });

  test('a delisting is final', async () => {
    await operator.set(perp, { delisted: true });
    await setPerp({ haltTrading: false });
    expect(await meta()).toMatchObject({ delisted: true });
    expectRefusal(await alice.place(resting()), 10011, 'Market is closing');
    const again = definition({ instrumentId: perp.id });
    expectRefusal(
      await operator.send({ registerPerp: again }),
      10017,
      `Instrument id already used: ${perp.id}`,
    );
  });
});

describe('R-oracle-stale: a stale price restricts trading', () => {
  /**
   * Lists a perp whose only price was observed 22 s ago, so that the price becomes stale in 8 s.
   */
  async function aging(): Promise<OwnPerp> {
    const fresh = await operator.list();
    const { instrumentId } = succeeded(await operator.send({ registerPerp: definition() })).created;
    const prices = [{ instrumentId, oraclePx: '100', externalPerpPx: null }];
    succeeded(await operator.push(prices, world.nowMs() - 22_000));
    const { universe } = await world.client.data({ type: 'perpMeta' });
    const { name } = universe.find((entry: Json) => entry.index === instrumentId);
    const push = async (oraclePx: string) => {
      succeeded(await operator.push([{ instrumentId, oraclePx, externalPerpPx: null }]));
    };
    return { ...fresh, id: instrumentId, coin: String(instrumentId), name, push };
  }

  test('a stale price stops increases and triggers, and a new price resumes both', async () => {
    perp = await aging();
    const watch = await OrderWatch.of(world, alice);
    await trade(alice, bob, { market: perp, price: '100', size: '2' });
    const { oid } = succeeded(await alice.place(resting())).orders[0];
    const message = `Oracle is stale for ${perp.name}`;
    await world.passTime(7_000);
    succeeded(await alice.place(resting({ tif: 'Ioc' })));
    await world.passTime(2_000);
    expectRefusal(await alice.place(resting({ tif: 'Ioc' })), 10000, message);
    // The position keeps its value. Starting with the next block, twice the position's value is
    // deducted from a cross account's withdrawable amount: 1,000 − 0.09 of fees − 2 × 2 × 100 − a
    // tenth of 200.
    await eventually(async () => expect((await alice.state()).withdrawable).toBe('579.91'));
    expect((await recordOf(alice, perp)).position).toMatchObject({ markPx: '100', szi: '2' });
    succeeded(await alice.cancel({ a: perp.id, o: oid }));
    const waiting = { market: perp, side: 'sell', kind: 'sl', at: '100', size: '1' } as const;
    const stop = await alice.place(triggerOrder(waiting));
    // The venue may accept a reducing trigger order or reject it because of its price, but the
    // order must not execute.
    if (stop.json.status === 'ok') expect(await triggersOf(alice, perp)).toHaveLength(1);
    const reduce = { side: 'sell', price: '101', reduceOnly: true };
    const reducing = succeeded(await alice.place(resting(reduce))).orders[0];
    expect(reducing.state).toBe('open');
    succeeded(await act(alice, { type: 'cancelAll', asset: perp.id }));
    await watch.last(reducing.oid, 'cancelled');
    await perp.push('100');
    succeeded(await alice.place(resting()));
    expect(Number((await alice.state()).withdrawable)).toBeGreaterThan(900);
  });
});

describe('setFeeTiers replaces the fee schedule', () => {
  const LADDER = [
    [0, '0', '0.00015', '0.00045'],
    [1, '5000000', '0.00012', '0.0004'],
    [2, '25000000', '0.00008', '0.00035'],
    [3, '100000000', '0.00004', '0.0003'],
    [4, '500000000', '0', '0.00028'],
    [5, '2000000000', '0', '0.00026'],
  ].map(([level, min14dTradingVolume, perpMakerFeeRate, perpTakerFeeRate]) => ({
    level,
    min14dTradingVolume,
    perpMakerFeeRate,
    perpTakerFeeRate,
  }));
  const set = (tiers: unknown, exchangeId = 0) =>
    operator.send({ setFeeTiers: { exchangeId, tiers } });

  test('the default fee schedule is the documented one, with a single level of zeros for outcome markets', async () => {
    expect(await world.client.data({ type: 'feeTierInfo' })).toEqual({ tiers: LADDER });
    expect(await world.client.data({ type: 'feeTierInfo', exchange_id: 1 })).toEqual({
      tiers: [{ level: 0, min14dTradingVolume: '0', perpMakerFeeRate: '0', perpTakerFeeRate: '0' }],
    });
  });

  test("feeTierRates returns a user's rates", async () => {
    await trade(alice, bob, { market: perp, price: '100', size: '2' });
    const query = { type: 'feeTierRates', user: alice.address };
    // R-fee-tiers: today's volume is included from 00:00 UTC.
    expect(await world.client.data(query)).toEqual({
      user: alice.address,
      level: 0,
      volume14d: '0',
      perpMakerFeeRate: '0.00015',
      perpTakerFeeRate: '0.00045',
      outcomeTakerFeeRate: '0.07',
      nextLevel: 1,
      nextMin14dTradingVolume: '5000000',
    });
  });

  const [zero, one, two] = LADDER as [Json, Json, Json];
  test.each<[string, Json[], number?]>([
    ['no level 0', [{ ...one, level: 1 }]],
    ['a first volume above 0', [{ ...zero, min14dTradingVolume: '1' }]],
    ['levels that do not rise', [zero, one, { ...two, level: 1 }]],
    ['volumes that do not rise', [zero, one, { ...two, min14dTradingVolume: '5000000' }]],
    ['no tiers', []],
    ['another exchange', [zero], 1],
  ])('setFeeTiers rejects %s', async (_, tiers, exchangeId) => {
    const refused = refusalOf(await set(tiers, exchangeId));
    expect(refused.code).toBe(10002);
    expect(await world.client.data({ type: 'feeTierInfo' })).toEqual({ tiers: LADDER });
  });

  test('new levels apply from the next fill, and the last level has no next level', async () => {
    const only = { ...zero, perpMakerFeeRate: '0.0001', perpTakerFeeRate: '0.0002' };
    succeeded(await set([only]));
    expect(await world.client.data({ type: 'feeTierInfo' })).toEqual({ tiers: [only] });
    const query = { type: 'feeTierRates', user: alice.address };
    expect(await world.client.data(query)).toMatchObject({
      perpTakerFeeRate: '0.0002',
      nextLevel: null,
      nextMin14dTradingVolume: null,
    });
    await trade(alice, bob, { market: perp, price: '100', size: '1' });
    expect((await recordOf(alice, perp)).position.cumFee).toBe('-0.02');
    expect((await recordOf(bob, perp)).position.cumFee).toBe('-0.01');
    succeeded(await set(LADDER));
    expect(await world.client.data({ type: 'feeTierInfo' })).toEqual({ tiers: LADDER });
  });
});
