import { beforeAll, describe, expect, test } from 'vitest';
import { aSharedVenue, cloidOf, type Actor } from '../support/actors.ts';
import { eventually, type Json } from '../support/client.ts';
import { Deployer, shareTrader } from '../support/deployer.ts';
import {
  expectCursorRefusals,
  expectPaging,
  expectRefusals,
  expectTimes,
  queryHistory,
} from '../support/history.ts';
import { OUTCOMES, placed } from '../support/outcomes.ts';
import {
  act,
  succeeded,
  groupAction,
  newScene,
  Operator,
  perpOrder,
  triggerOrder,
  type OwnPerp,
} from '../support/perps.ts';

const world = aSharedVenue(OUTCOMES);
const operator = new Operator(world);
const deployer = new Deployer(world);

let perp: OwnPerp;
let alice: Actor;
let bob: Actor;

beforeAll(async () => {
  ({ perp } = await newScene(world, operator));
  alice = await world.resident('alice');
  bob = await world.resident('bob');
});

const ordersOf = async (actor: Actor, more: object = {}): Promise<Json[]> =>
  (await queryHistory(world.client, { type: 'historicalOrders', user: actor.address, ...more }))
    .data;

const rowOf = async (actor: Actor, oid: number): Promise<Json> =>
  (await ordersOf(actor)).find(({ order }) => order.oid === oid);

describe('the history has the current state of each order', () => {
  test('an order has one row, updated from open to partly filled to filled', async () => {
    const cloid = cloidOf('history');
    const { oid } = await bob.placed({
      market: perp,
      side: 'sell',
      price: '100',
      size: '3',
      cloid,
    });
    expect(await rowOf(bob, oid)).toMatchObject({
      status: 'open',
      order: {
        oid,
        cloid,
        symbol: perp.name,
        side: 'A',
        limitPx: '100',
        sz: '3',
        origSz: '3',
        status: 'open',
        orderType: 'Limit',
        tif: 'GTC',
        triggerCondition: 'N/A',
        isTrigger: false,
        triggerPx: '0',
        children: [],
        avgFillPrice: null,
        instrumentId: perp.id,
        marketType: 'perps',
      },
    });
    await alice.placed({ market: perp, side: 'buy', price: '100', size: '1' });
    expect(await rowOf(bob, oid)).toMatchObject({
      status: 'open',
      order: { sz: '2', origSz: '3', avgFillPrice: '100', filledAmount: '100' },
    });
    await alice.placed({ market: perp, side: 'buy', price: '100', size: '2' });
    const done = await rowOf(bob, oid);
    expect(done).toMatchObject({
      status: 'filled',
      order: { sz: '0', status: 'filled', avgFillPrice: '100', filledAmount: '300', fee: '0.045' },
    });
    expect(done.statusTimestamp).toBeGreaterThan(done.order.timestamp);
    const rows = await ordersOf(bob);
    expect(rows.filter(({ order }) => order.oid === oid)).toHaveLength(1);
    expect(rows[0].order.oid).toBe(oid);
  });

  test("the cancel reason distinguishes a user's cancel from the unfilled remainder of an IOC order", async () => {
    const { oid } = await alice.placed({ market: perp, side: 'buy', price: '90', size: '1' });
    await alice.cancel({ a: perp.id, o: oid });
    expect(await rowOf(alice, oid)).toMatchObject({
      status: 'cancelled',
      order: { cancelSource: 'UserCanceled', cancelReason: 'Canceled by user', sz: '1' },
    });
    const rest = await alice.placed({
      market: perp,
      side: 'buy',
      price: '90',
      size: '1',
      tif: 'Ioc',
    });
    expect(await rowOf(alice, rest.oid)).toMatchObject({
      status: 'cancelled',
      order: {
        tif: 'IOC',
        cancelSource: 'IocRemainder',
        cancelReason: 'Immediate or cancel remainder',
      },
    });
  });
});

test('R-grouping: a parent shows its current TP/SL orders', async () => {
  const parent = perpOrder({ market: perp, side: 'buy', price: '100', size: '2' });
  const exit = { market: perp, side: 'sell', size: '2' } as const;
  const takeProfit = triggerOrder({ ...exit, kind: 'tp', at: '102', limit: '102' });
  const stop = triggerOrder({ ...exit, kind: 'sl', at: '97' });
  const family = groupAction('normalTpsl', parent, takeProfit, stop);
  const [parentId, profitId, stopId] = succeeded(await act(alice, family)).orders.map(
    ({ oid }: Json) => oid,
  );
  const childrenOf = async () => (await rowOf(alice, parentId)).order.children;
  const placedMs = (await childrenOf()).map(({ timestamp }: Json) => timestamp);
  await bob.placed({ market: perp, side: 'sell', price: '100', size: '2' });
  expect(await rowOf(alice, parentId)).toMatchObject({
    status: 'filled',
    order: { children: [{ status: 'open' }, { status: 'open' }] },
  });
  await bob.placed({ market: perp, side: 'buy', price: '102', size: '2' });
  await perp.push('102.5');
  const own = await eventually(async () => {
    const rows = [await rowOf(alice, profitId), await rowOf(alice, stopId)];
    expect(rows.map(({ status }) => status)).toEqual(['filled', 'cancelled']);
    return rows.map(({ order }) => order);
  });
  expect(await childrenOf()).toEqual(own);
  expect(own).toMatchObject([{ filledAmount: '204' }, { cancelSource: 'SiblingFilled' }]);
  expect(own.map(({ timestamp }) => timestamp)).toEqual(placedMs);
  const path = `/export/orders?user=${alice.address}&format=ndjson`;
  const text = await (await fetch(`${world.client.url}${path}`)).text();
  const exported = text.split('\n').filter((line) => line.includes(`"oid":${parentId},`));
  expect(JSON.parse(exported[0] ?? '{}').order.children).toEqual(own);
});

test('historicalOrders lists outcome orders only on request', async () => {
  const carol = await shareTrader(world, 'carol');
  const market = await deployer.list();
  const { oid } = await placed(carol, market, 'buy No 10 at 0.3');
  expect(await ordersOf(carol)).toEqual([]);
  const [row] = await ordersOf(carol, { accountType: ['outcome'] });
  expect(row).toMatchObject({
    status: 'open',
    order: { oid, outcome: 'No', limitPx: '0.3', slug: market.slug, marketType: 'outcome' },
  });
  expect(await ordersOf(carol, { accountType: 'outcome', coin: perp.coin })).toEqual([]);
  expect(await ordersOf(carol, { accountType: 'outcome', coin: market.coin })).toEqual([row]);
});

test('historicalOrders filters by time range, pages, and rejects invalid queries', async () => {
  const query = { type: 'historicalOrders', user: alice.address };
  const rows = await ordersOf(alice);
  await expectTimes(world.client, query, rows, ({ statusTimestamp }) => statusTimestamp);
  await expectPaging(world.client, query, rows, { offset: false });
  await expectRefusals(world.client, { type: 'historicalOrders' });
  await expectCursorRefusals(world.client, query);
  const outsider = world.unfunded('nobody').address;
  expect(await queryHistory(world.client, { ...query, user: outsider })).toMatchObject({
    data: [],
  });
  const agent = world.unfunded('agent').address;
  await alice.approveAgent(agent, 'orders');
  expect((await queryHistory(world.client, { ...query, user: agent })).warnings).toMatchObject([
    { code: 'AGENT_ADDRESS' },
  ]);
  const { warnings } = await queryHistory(world.client, { ...query, limit: 5_000 });
  expect(warnings).toMatchObject([{ code: 'LIMIT_CLAMPED', details: { from: 5_000, to: 2_000 } }]);
});

test('orders that change while a client is paging reappear with their new state after the last row', async () => {
  const dave = await world.resident('dave');
  const oids: number[] = [];
  for (let price = 80; price < 87; price++) {
    const { oid } = await dave.placed({ market: perp, side: 'buy', price: `${price}`, size: '1' });
    oids.push(oid);
  }
  const query = { type: 'historicalOrders', user: dave.address, limit: 2 };
  const first = await queryHistory(world.client, query);
  succeeded(await act(dave, { type: 'cancelAll' }));
  const seen = new Map<number, string>();
  for (
    let page = first;
    ;
    page = await queryHistory(world.client, { ...query, cursor: page.nextCursor })
  ) {
    for (const { order, status } of page.data) seen.set(order.oid, status);
    if (page.nextCursor === null) break;
  }
  expect(seen).toEqual(new Map(oids.toReversed().map((oid) => [oid, 'cancelled'])));
});
