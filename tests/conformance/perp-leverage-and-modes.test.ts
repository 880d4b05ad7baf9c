import { beforeAll, describe, expect, test } from 'vitest';
import { aSharedVenue, type Actor } from '../support/actors.ts';
import {
  act,
  succeeded,
  expectRefusal,
  groupAction,
  leverageOf,
  Operator,
  OPERATED,
  perpOrder,
  recordOf,
  trade,
  triggerOrder,
  type OwnPerp,
} from '../support/perps.ts';
import { exact } from '../support/exact.ts';

const world = aSharedVenue(OPERATED);
const operator = new Operator(world);
let perp: OwnPerp;

const leverage = (asset: number, value: unknown, marginMode?: string) => ({
  type: 'updateLeverage',
  asset,
  leverage: value,
  ...(marginMode === undefined ? {} : { marginMode }),
});
const marginMode = (asset: number, isCross: unknown) => ({
  type: 'updateMarginMode',
  asset,
  isCross,
});
const positionMode = (mode: unknown) => ({ type: 'updatePositionMode', positionMode: mode });

function resting(changes: Partial<Parameters<typeof perpOrder>[0]> = {}) {
  return perpOrder({ market: perp, side: 'buy', price: '90', size: '1', ...changes });
}

function waiting() {
  const options = { market: perp, side: 'buy', kind: 'sl', at: '120', size: '1' } as const;
  return triggerOrder({ ...options, reduceOnly: false });
}

beforeAll(async () => {
  perp = await operator.list();
});

async function two(): Promise<[Actor, Actor]> {
  await perp.push('100');
  return [await world.trader('alice'), await world.trader('bob')];
}

describe('activeAssetData returns the leverage and the maximum sizes', () => {
  const tiers = [
    { tier: 1, minSize: '0', maxSize: '50', maxLeverage: 20, mmr: '0.025' },
    { tier: 2, minSize: '50', maxSize: '5000', maxLeverage: 10, mmr: '0.045' },
  ];

  test.each(['cross', 'isolated'])(
    'R-initial: the returned size across a margin tier is accepted, but one more lot is not: %s',
    async (mode) => {
      const market = await operator.list({ marginTable: { tiers } });
      const alice = await world.trader('alice');
      succeeded(await act(alice, marginMode(market.id, mode === 'cross')));
      const query = { type: 'activeAssetData', user: alice.address, coin: market.coin };
      const { availableToTrade, maxTradeSzs } = await world.client.data(query);
      // At the second tier's leverage of 10 and a fee of 0.045%, 1,000 USDC support 99.552 coins.
      expect(maxTradeSzs).toEqual(['99.552', '99.552']);
      expect(availableToTrade).toEqual(['995.52', '995.52']);
      for (const side of ['buy', 'sell'] as const) {
        const ioc = { market, side, price: '100', tif: 'Ioc' } as const;
        const above = perpOrder({ ...ioc, size: '99.553' });
        expectRefusal(await alice.place(above), 10010, 'Insufficient margin');
        const result = succeeded(await alice.place(perpOrder({ ...ioc, size: '99.552' })))
          .orders[0];
        expect(result).toMatchObject({ state: 'cancelled', error: null });
      }
    },
  );
});

describe("updateLeverage changes an instrument's leverage", () => {
  test("R-leverage: the default is 20, or the first tier's maximum if that is lower", async () => {
    const [alice] = await two();
    const low = await operator.list({
      marginTable: {
        tiers: [{ tier: 1, minSize: '0', maxSize: '100', maxLeverage: 7, mmr: '0.05' }],
      },
    });
    const high = await operator.list({
      marginTable: {
        tiers: [{ tier: 1, minSize: '0', maxSize: '100', maxLeverage: 40, mmr: '0.01' }],
      },
    });
    const values = [];
    for (const market of [perp, low, high]) {
      const data = await leverageOf(alice, market);
      expect(data.leverage).toMatchObject({ mode: 'OneWay', type: 'Cross', rawUsd: '' });
      values.push(data.leverage.value);
    }
    expect(values).toEqual([20, 7, 20]);
  });

  test('the reply names UpdateLeverage, and queries show the new value', async () => {
    const [alice] = await two();
    const reply = await act(alice, leverage(perp.id, 5));
    succeeded(reply);
    expect(reply.json.data.type).toBe('UpdateLeverage');
    const data = await leverageOf(alice, perp);
    expect(data).toMatchObject({ user: alice.address, coin: perp.name, markPx: '100' });
    expect(data.leverage).toEqual({ mode: 'OneWay', type: 'Cross', value: 5, rawUsd: '' });
    expect(data.maxTradeSzs).toHaveLength(2);
    expect(data.availableToTrade).toHaveLength(2);
    // Because of fees, 1,000 USDC at 5 times leverage buy fewer than 50 coins at 100 USDC.
    expect(exact(data.maxTradeSzs[0])).toBeGreaterThan(exact('49.7'));
    expect(exact(data.maxTradeSzs[0])).toBeLessThan(exact('50'));
  });

  test('exactly maxTradeSzs can be traded, but not one more lot', async () => {
    const [alice] = await two();
    succeeded(await act(alice, leverage(perp.id, 5)));
    const [most] = (await leverageOf(alice, perp)).maxTradeSzs;
    const more = String((Math.round(Number(most) * 1000) + 1) / 1000);
    const refused = await alice.place(resting({ price: '100', size: more }));
    expectRefusal(refused, 10010, 'Insufficient margin');
    succeeded(await alice.place(resting({ price: '100', size: most })));
  });

  test('R-leverage: the leverage is stored per margin mode, and setting it does not switch the mode', async () => {
    const [alice] = await two();
    succeeded(await act(alice, leverage(perp.id, 3, 'isolated')));
    expect((await leverageOf(alice, perp)).leverage).toMatchObject({ type: 'Cross', value: 20 });
    succeeded(await act(alice, leverage(perp.id, 4)));
    expect((await leverageOf(alice, perp)).leverage).toMatchObject({ type: 'Cross', value: 4 });
    succeeded(await act(alice, marginMode(perp.id, false)));
    expect((await leverageOf(alice, perp)).leverage).toMatchObject({ type: 'Isolated', value: 3 });
  });

  test('R-leverage: the leverage is stored per instrument', async () => {
    const [alice] = await two();
    const other = await operator.list();
    succeeded(await act(alice, leverage(perp.id, 2)));
    expect((await leverageOf(alice, other)).leverage.value).toBe(20);
  });

  test.each([0, -1, -20])(
    'a leverage of %d in one-way mode is rejected as invalid',
    async (value) => {
      const [alice] = await two();
      for (const mode of ['cross', 'isolated']) {
        const reply = await act(alice, leverage(perp.id, value, mode));
        expectRefusal(reply, 10009, `Invalid leverage: ${value}`);
      }
    },
  );

  test.each(['5', 2.5, null, undefined])(
    'a leverage of %j is rejected as the wrong type',
    async (value) => {
      const [alice] = await two();
      const envelope = (await alice.sign(leverage(perp.id, 5))).envelope;
      const action = { ...envelope.action, leverage: value };
      const reply = await world.client.exchange({ ...envelope, action });
      expect(reply.status, reply.text).toBe(400);
      expect(reply.json).toMatchObject({ status: 'err', code: 10002 });
    },
  );

  test("with no position, the maximum leverage is the first tier's", async () => {
    const [alice] = await two();
    for (const mode of ['cross', 'isolated']) {
      const reply = await act(alice, leverage(perp.id, 21, mode));
      expectRefusal(reply, 10009, `Maximum leverage exceeded for ${perp.name}`);
      succeeded(await act(alice, leverage(perp.id, 20, mode)));
    }
  });

  test('with a position, the maximum leverage is that of the tier its size is in', async () => {
    const [alice, bob] = await two();
    const market = await operator.list(
      {
        marginTable: {
          tiers: [
            { tier: 1, minSize: '0', maxSize: '5', maxLeverage: 20, mmr: '0.025' },
            { tier: 2, minSize: '5', maxSize: '100', maxLeverage: 10, mmr: '0.045' },
          ],
        },
      },
      '100',
    );
    await trade(alice, bob, { market, price: '100', size: '6' });
    expectRefusal(
      await act(alice, leverage(market.id, 11)),
      10009,
      `Maximum leverage exceeded for ${market.name}`,
    );
    succeeded(await act(alice, leverage(market.id, 10)));
    expect((await recordOf(alice, market)).position).toMatchObject({
      maxLeverage: 10,
      leverage: { type: 'Cross', value: 10 },
    });
  });

  test('a leverage change is rejected while there are open orders for that instrument and mode', async () => {
    const [alice] = await two();
    succeeded(await alice.place(resting()));
    const message = 'Cannot update leverage while you have open orders';
    expectRefusal(await act(alice, leverage(perp.id, 5)), 10009, message);
    expectRefusal(await act(alice, leverage(perp.id, 5, 'cross')), 10009, message);
    // There are no open orders in the other mode.
    succeeded(await act(alice, leverage(perp.id, 5, 'isolated')));
    const other = await operator.list();
    succeeded(await act(alice, leverage(other.id, 5)));
  });

  test('a leverage change is rejected while there are trigger orders', async () => {
    const [alice] = await two();
    succeeded(await alice.place(waiting()));
    const message = 'Cannot update leverage while you have trigger orders';
    expectRefusal(await act(alice, leverage(perp.id, 5)), 10009, message);
    succeeded(await act(alice, { type: 'cancelAll', asset: perp.id }));
    succeeded(await act(alice, leverage(perp.id, 5)));
  });

  test('a leverage change is rejected while there are TPSL orders', async () => {
    const [alice, bob] = await two();
    const market = await operator.list();
    await trade(alice, bob, { market, price: '100', size: '1' });
    const stop = triggerOrder({ market, side: 'sell', kind: 'sl', at: '80', size: '0' });
    succeeded(await act(alice, groupAction('positionTpsl', stop)));
    const message = 'Cannot update leverage while you have TPSL orders';
    expectRefusal(await act(alice, leverage(market.id, 5)), 10009, message);
  });

  test('R-leverage: a leverage change is rejected if the new initial margin is not covered', async () => {
    const [alice, bob] = await two();
    const market = await operator.list();
    await trade(alice, bob, { market, price: '100', size: '50' });
    expectRefusal(await act(alice, leverage(market.id, 5)), 10010, 'Insufficient margin');
    succeeded(await act(alice, leverage(market.id, 6)));
    const { position } = await recordOf(alice, market);
    expect(position.leverage).toEqual({ type: 'Cross', value: 6, rawUsd: '' });
    // marginUsed is positionValue / leverage. The initial margin is rounded up.
    expect(Number(position.marginUsed)).toBeCloseTo(5000 / 6, 5);
  });

  test('a leverage change for an unknown instrument is rejected', async () => {
    const [alice] = await two();
    expectRefusal(await act(alice, leverage(77_777, 5)), 10404, 'Instrument not found');
    expectRefusal(await act(alice, marginMode(77_777, true)), 10404, 'Instrument not found');
  });
});

describe('updateMarginMode switches between cross and isolated margin', () => {
  test('updateMarginMode switches the mode and accepts the current mode', async () => {
    const [alice] = await two();
    succeeded(await act(alice, marginMode(perp.id, true)));
    for (const isCross of [false, false, true]) {
      const reply = await act(alice, marginMode(perp.id, isCross));
      succeeded(reply);
      expect(reply.json.data.type).toBe('UpdateMarginMode');
      const { type } = (await leverageOf(alice, perp)).leverage;
      expect(type).toBe(isCross ? 'Cross' : 'Isolated');
    }
  });

  test('switching the margin mode is rejected with an open position, unless it is already the current mode', async () => {
    const [alice, bob] = await two();
    const market = await operator.list();
    await trade(alice, bob, { market, price: '100', size: '1' });
    const message = 'Cannot update margin mode while you have open positions';
    expectRefusal(await act(alice, marginMode(market.id, false)), 10009, message);
    succeeded(await act(alice, marginMode(market.id, true)));
    // A position in one instrument does not block the other.
    succeeded(await act(alice, marginMode(perp.id, false)));
  });

  test('switching the margin mode is rejected with working orders, including trigger orders', async () => {
    const [alice] = await two();
    const message = 'Cannot update margin mode while you have open orders';
    for (const working of [resting(), waiting()]) {
      succeeded(await alice.place(working));
      expectRefusal(await act(alice, marginMode(perp.id, false)), 10009, message);
      succeeded(await act(alice, marginMode(perp.id, true)));
      succeeded(await act(alice, { type: 'cancelAll' }));
    }
    succeeded(await act(alice, marginMode(perp.id, false)));
  });

  test('isolated-only instruments reject cross mode, including cross orders', async () => {
    const [alice] = await two();
    const market = await operator.list({ onlyIsolated: true });
    const message = `Only isolated margin is allowed for ${market.name}`;
    const data = await leverageOf(alice, market);
    expect(data).toMatchObject({ onlyIsolated: true, leverage: { type: 'Isolated' } });
    expectRefusal(await act(alice, marginMode(market.id, true)), 10009, message);
    succeeded(await act(alice, marginMode(market.id, false)));
    const order = perpOrder({ market, side: 'buy', price: '90', size: '1', margin: 'cross' });
    expectRefusal(await alice.place(order), 10009, message);
    succeeded(await alice.place(perpOrder({ market, side: 'buy', price: '90', size: '1' })));
    expect((await alice.openOrders())[0]).toMatchObject({ marginMode: 'Isolated' });
  });
});

describe('updatePositionMode switches between one-way and hedge mode', () => {
  test("updatePositionMode switches the account's mode and accepts the current mode", async () => {
    const [alice] = await two();
    succeeded(await act(alice, positionMode('oneWay')));
    for (const [mode, shown] of [
      ['hedge', 'Hedge'],
      ['HEDGE', 'Hedge'],
      ['oneWay', 'OneWay'],
    ]) {
      const reply = await act(alice, positionMode(mode));
      succeeded(reply);
      expect(reply.json.data.type).toBe('UpdatePositionMode');
      expect((await leverageOf(alice, perp)).leverage.mode).toBe(shown);
    }
  });

  test('switching the position mode is rejected while any perp position exists', async () => {
    const [alice, bob] = await two();
    const market = await operator.list();
    await trade(alice, bob, { market, price: '100', size: '1' });
    const message = 'Cannot update position mode while you have open positions';
    expectRefusal(await act(alice, positionMode('hedge')), 10009, message);
    succeeded(await act(alice, positionMode('oneWay')));
    expect((await leverageOf(alice, perp)).leverage.mode).toBe('OneWay');
  });

  test('switching the position mode is rejected while any working order exists, including trigger orders', async () => {
    const [alice] = await two();
    const message = 'Cannot update position mode while you have open orders';
    for (const working of [resting(), waiting()]) {
      succeeded(await alice.place(working));
      expectRefusal(await act(alice, positionMode('hedge')), 10009, message);
      succeeded(await act(alice, { type: 'cancelAll' }));
    }
    succeeded(await act(alice, positionMode('hedge')));
  });

  test.each(['both', '', null, 1])('a position mode of %j is rejected', async (mode) => {
    const [alice] = await two();
    const reply = await act(alice, positionMode(mode));
    expect(reply.status, reply.text).toBe(400);
    expect(reply.json).toMatchObject({ code: 10002, details: { field: 'positionMode' } });
  });

  test('R-hedge: in isolated hedge mode, the sign of the leverage selects the side', async () => {
    const [alice] = await two();
    succeeded(await act(alice, positionMode('hedge')));
    succeeded(await act(alice, marginMode(perp.id, false)));
    succeeded(await act(alice, leverage(perp.id, 7)));
    succeeded(await act(alice, leverage(perp.id, -3, 'isolated')));
    const data = await leverageOf(alice, perp);
    expect(data.leverage).toMatchObject({ mode: 'Hedge', type: 'Isolated', value: 7 });
    expect(data.leverageShort).toMatchObject({ mode: 'Hedge', type: 'Isolated', value: 3 });
    // Cross margin has a single leverage for both sides, so a negative value is invalid.
    expectRefusal(await act(alice, leverage(perp.id, -3, 'cross')), 10009, 'Invalid leverage: -3');
    expectRefusal(await act(alice, leverage(perp.id, 0)), 10009, 'Invalid leverage: 0');
    const tooHigh = await act(alice, leverage(perp.id, -21));
    expectRefusal(tooHigh, 10009, `Maximum leverage exceeded for ${perp.name}`);
  });
});
