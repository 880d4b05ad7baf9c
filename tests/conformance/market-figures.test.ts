import { beforeAll, describe, expect, test } from 'vitest';
import { aVenue, type Actor } from '../support/actors.ts';
import type { Json } from '../support/client.ts';
import { Deployer, shareTrader } from '../support/deployer.ts';
import { queryHistory } from '../support/history.ts';
import { OUTCOMES, operate } from '../support/outcomes.ts';
import { newScene, Operator, trade, type OwnPerp } from '../support/perps.ts';

const world = aVenue(OUTCOMES);
const operator = new Operator(world);
const deployer = new Deployer(world);

const ask = async (query: object): Promise<Json> => (await queryHistory(world.client, query)).data;

const refusalOf = async (query: object): Promise<Json> => {
  const { json, status } = await world.client.info(query);
  return { status, code: json.code, message: json.message };
};

describe("liquidations and largestTrades list a market's public events", () => {
  let perp: OwnPerp;
  let alice: Actor;
  let bob: Actor;

  beforeAll(async () => {
    ({ alice, bob, perp } = await newScene(world, operator));
    await trade(alice, bob, { market: perp, price: '100', size: '60' });
    await trade(alice, bob, { market: perp, price: '100', size: '40' });
    await perp.push('91');
  });

  test('R-liquidation: liquidations list the size closed, the account and the reason', async () => {
    const rows = await ask({ type: 'liquidations', coin: String(perp.id) });
    expect(rows).toEqual([
      {
        time: expect.any(Number),
        hash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
        user: alice.address,
        coin: perp.name,
        instrumentId: perp.id,
        side: 'A',
        sz: '100',
        px: '90.045',
        ntl: '9004.5',
        step: 'adl',
        leverageType: 'Cross',
        markPx: '91',
        accountValue: expect.any(String),
        maintenanceMargin: expect.any(String),
      },
    ]);
    const [row] = rows;
    // The time range is limited to this row, because other tests on this venue may add larger
    // liquidations.
    const all = await ask({ type: 'liquidations', startTime: row.time, endTime: row.time });
    expect(all).toContainEqual(row);
    const none = { type: 'liquidations', coin: String(perp.id), endTime: row.time - 1 };
    expect(await ask(none)).toEqual([]);
  });

  test('liquidations are paged and reject cursors from other lists', async () => {
    const scene = await newScene(world, operator);
    for (const [taker, maker] of [
      [scene.alice, scene.bob],
      [scene.carol, await world.trader('dora')],
    ] as const) {
      await trade(taker, maker, { market: scene.perp, price: '100', size: '100' });
    }
    await scene.perp.push('91');
    const list = { type: 'liquidations', coin: String(scene.perp.id), limit: 1 };
    const first = await queryHistory(world.client, list);
    const second = await queryHistory(world.client, { ...list, cursor: first.nextCursor });
    expect(second.nextCursor).toBeNull();
    const users = [first.data[0].user, second.data[0].user].sort();
    expect(users).toEqual([scene.alice.address, scene.carol.address].sort());
    const other = { ...list, coin: String(perp.id), cursor: first.nextCursor };
    expect(await refusalOf(other)).toMatchObject({ message: 'Invalid cursor' });
  });

  test('largestTrades lists the trades of an instrument by notional', async () => {
    const day = await ask({ type: 'largestTrades', coin: String(perp.id) });
    expect(day).toMatchObject({ window: 'day', startTime: expect.any(Number) });
    expect(day.startTime % (4 * 3_600_000)).toBe(0);
    const [first, second] = day.trades;
    expect(day.trades).toHaveLength(2);
    expect(first).toMatchObject({ coin: perp.name, px: '100', sz: '60', ntl: '6000' });
    expect(first.users.toSorted()).toEqual([alice.address, bob.address].sort());
    expect(second).toMatchObject({ sz: '40', ntl: '4000' });
    const one = await ask({
      type: 'largestTrades',
      coin: String(perp.id),
      window: 'week',
      limit: 1,
    });
    expect(one.trades).toEqual([first]);
    const all = await ask({ type: 'largestTrades', window: 'month' });
    const values = all.trades.map(({ ntl }: Json) => Number(ntl));
    expect(values).toEqual(values.toSorted((a: number, b: number) => b - a));
    expect(all.trades.map(({ instrumentId }: Json) => instrumentId)).toContain(perp.id);
    expect((await ask({ type: 'largestTrades', coin: '99999' })).trades).toEqual([]);
  });

  test('open interest is reported once an hour, and not for times before the venue existed', async () => {
    const coin = String(perp.id);
    const rows = await ask({ type: 'openInterestHistory', coin, startTime: 0 });
    for (const row of rows) {
      expect(row).toEqual({
        coin: perp.name,
        time: expect.any(Number),
        openInterest: expect.any(String),
        markPx: expect.any(String),
      });
    }
    expect(await ask({ type: 'openInterestHistory', coin, startTime: 0, endTime: 1 })).toEqual([]);
  });
});

describe("outcomeHolders lists a market's holders", () => {
  test("outcomeHolders pages through an outcome's holders, largest first", async () => {
    const market = await deployer.list();
    const [rich, poor, other] = [
      await shareTrader(world, 'rich'),
      await shareTrader(world, 'poor'),
      await shareTrader(world, 'other'),
    ];
    for (const [actor, shares] of [
      [poor, '3'],
      [rich, '7'],
      [other, '3'],
    ] as const) {
      await operate(actor, 'split', [market, shares]);
    }
    const list = { type: 'outcomeHolders', instrumentId: market.id };
    const { json } = await world.client.info(list);
    // As in all paged queries, the cursor is next to `data`; here it is also inside it.
    expect(json.nextCursor).toBeNull();
    expect(json.data).toEqual({
      instrumentId: market.id,
      coin: `OUTCOME-${market.id}`,
      outcome: 'Yes',
      holders: 3,
      shares: '13',
      rows: [
        { user: rich.address, sz: '7', entryPx: '0.5' },
        { user: poor.address, sz: '3', entryPx: '0.5' },
        { user: other.address, sz: '3', entryPx: '0.5' },
      ],
      nextCursor: null,
      time: expect.any(Number),
    });
    const no = { ...list, outcome: 'no', limit: 2 };
    const { data: first, nextCursor } = (await world.client.info(no)).json;
    expect(nextCursor).toBe(first.nextCursor);
    expect(first.rows.map(({ user }: Json) => user)).toEqual([rich.address, poor.address]);
    const rest = (await world.client.info({ ...no, cursor: first.nextCursor })).json.data;
    expect(rest.rows.map(({ user }: Json) => user)).toEqual([other.address]);
    expect(rest.nextCursor).toBeNull();
    expect(await refusalOf({ ...list, cursor: first.nextCursor })).toMatchObject({
      message: 'Invalid cursor',
    });
    expect(await refusalOf({ ...list, instrumentId: 1 })).toMatchObject({ status: 200 });
  });
});
