import { beforeAll, describe, expect, test } from 'vitest';
import { aSharedVenue, order, orderAction, type Actor } from '../support/actors.ts';
import type { Json } from '../support/client.ts';
import {
  allPages,
  expectCursorRefusals,
  expectRefusals,
  queryHistory,
} from '../support/history.ts';
import { approveBuilder } from '../support/keys.ts';
import { act, succeeded, newScene, Operator, OPERATED, type OwnPerp } from '../support/perps.ts';

const world = aSharedVenue(OPERATED);
const operator = new Operator(world);

let perp: OwnPerp;
let other: OwnPerp;
let builder: Actor;
let alice: Actor;
let bob: Actor;

/** Trades as Alice, who takes Bob's order through the builder. */
async function through(market: OwnPerp, size: string, f = 10): Promise<Json> {
  const bid = order({ market, side: 'buy', price: '101', size, tif: 'Ioc' });
  const action = { ...orderAction(bid), builder: { b: builder.address, f } };
  return succeeded(await act(alice, action)).orders[0];
}

beforeAll(async () => {
  ({ perp } = await newScene(world, operator));
  other = await operator.list();
  [builder, alice, bob] = [
    await world.resident('builder'),
    await world.resident('alice'),
    await world.resident('bob'),
  ];
  await approveBuilder(alice, builder.address, '0.1%');
  await bob.placed({ market: perp, side: 'sell', price: '100', size: '1' });
  await bob.placed({ market: perp, side: 'sell', price: '101', size: '1' });
  await through(perp, '2');
  await bob.placed({ market: other, side: 'sell', price: '100', size: '1' });
  await through(other, '1', 20);
  await bob.placed({ market: perp, side: 'sell', price: '100', size: '1' });
  await through(perp, '1');
});

const mine = (type: string, more: object = {}) =>
  queryHistory(world.client, { type, user: builder.address, ...more });

describe('builderMeEarned lists the fees that a builder has earned', () => {
  test("builderMeEarned merges an order's fills into one row with the VWAP and a masked user", async () => {
    const { data } = await mine('builderMeEarned');
    expect(data).toMatchObject({ page: 0, pageSize: 50, total: 3 });
    const { address } = alice;
    const [last, , first] = data.items;
    expect(first).toEqual({
      builderFee: '0.0201',
      builderFeeRate: '0.0001',
      builderFeeRateF: 10,
      instrumentId: perp.id,
      instrumentName: perp.name,
      marketType: 'perps',
      notional: '201',
      orderId: expect.any(Number),
      price: '100.5',
      qty: '2',
      role: 'Taker',
      time: expect.any(Number),
      tradeId: expect.any(Number),
      txHash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
      user: `${address.slice(0, 6)}****${address.slice(-4)}`,
    });
    expect(last).toMatchObject({ qty: '1', price: '100', builderFee: '0.01' });
    const { data: tx } = await queryHistory(world.client, { type: 'tx', txHash: last.txHash });
    expect(tx.action.builder).toEqual({ b: builder.address, f: 10 });
  });

  test('builderMeEarned pages by number and by cursor, and filters by time range', async () => {
    const { data } = await mine('builderMeEarned');
    const page = await mine('builderMeEarned', { page: 1, pageSize: 2 });
    expect(page.data).toEqual({ items: data.items.slice(2), page: 1, pageSize: 2, total: 3 });
    const query = { type: 'builderMeEarned', user: builder.address, pageSize: 1 };
    expect(await allPages(world.client, query, ({ items }) => items)).toEqual(data.items);
    const read = { ...query, pageSize: 100 };
    const times = data.items.map(({ time }: Json) => time);
    const span = await queryHistory(world.client, {
      ...read,
      startTime: times[1],
      endTime: times[1],
    });
    expect(span.data).toMatchObject({ items: [data.items[1]], total: 1 });
    expect((await mine('builderMeEarned', { page: 9 })).data.items).toEqual([]);
  });
});

describe('builderMeShare shows how much each user and instrument contributed', () => {
  test('builderMeShare lists shares by user and by instrument, largest first', async () => {
    const { address } = alice;
    const masked = `${address.slice(0, 6)}****${address.slice(-4)}`;
    expect((await mine('builderMeShare')).data).toEqual({
      dimension: 'user',
      items: [{ instrumentName: '', key: masked, label: masked, ratio: 1, value: '0.0501' }],
      metric: 'fee',
      window: '7d',
    });
    const by = { dimension: 'instrument', window: 'all' };
    expect((await mine('builderMeShare', by)).data).toEqual({
      dimension: 'instrument',
      items: [
        {
          instrumentName: perp.name,
          key: perp.coin,
          label: perp.name,
          ratio: 0.600798,
          value: '0.0301',
        },
        {
          instrumentName: other.name,
          key: other.coin,
          label: other.name,
          ratio: 0.399202,
          value: '0.02',
        },
      ],
      metric: 'fee',
      window: 'all',
    });
  });
});

describe("queries show a builder's claims", () => {
  test("the claimable amount and the claim's row agree before and after the claim", async () => {
    const before = await mine('builderMeClaimable');
    expect(before.data).toEqual({
      claimable: '0.0501',
      hasAggregate: true,
      source: 'aggregate',
      totalClaimed: '0',
      totalEarned: '0.0501',
      asOf: before.asOf.time,
    });
    const claim = await act(builder, { type: 'claimBuilderRewards' });
    succeeded(claim);
    expect((await mine('builderMeClaimable')).data).toMatchObject({
      claimable: '0',
      totalClaimed: '0.0501',
      totalEarned: '0.0501',
    });
    const { data } = await mine('builderMeClaimed');
    expect(data).toEqual({
      items: [
        {
          amount: '0.0501',
          asset: 'USDC',
          status: 'success',
          time: expect.any(Number),
          to: builder.address,
          txHash: claim.json.txHash,
        },
      ],
      page: 0,
      pageSize: 50,
      total: 1,
    });
  });

  test('an address without rewards gets empty results', async () => {
    const user = world.unfunded('nobody').address;
    const ask = async (type: string) => (await queryHistory(world.client, { type, user })).data;
    expect(await ask('builderMeClaimable')).toEqual({
      claimable: '0',
      hasAggregate: false,
      source: 'aggregate',
      totalClaimed: '0',
      totalEarned: '0',
    });
    expect(await ask('builderMeEarned')).toMatchObject({ items: [], total: 0 });
    expect(await ask('builderMeClaimed')).toMatchObject({ items: [], total: 0 });
    expect(await ask('builderMeShare')).toMatchObject({ items: [] });
  });
});

test('queries about builders reject invalid fields', async () => {
  const ask = async (type: string, more: object) => {
    const { json, status } = await world.client.info({ type, user: builder.address, ...more });
    return `${status} ${json.code} ${json.message}`;
  };
  for (const type of ['builderMeEarned', 'builderMeClaimed']) {
    expect(await ask(type, { pageSize: 0 })).toBe('200 10000 Invalid limit');
    expect(await ask(type, { page: -1 })).toBe('200 10000 Invalid offset');
    expect(await ask(type, { page: 100, pageSize: 100 })).toBe(
      '200 10000 Result window is too large',
    );
    const { data, warnings } = await mine(type, { page: 99, pageSize: 100 });
    expect(data).toMatchObject({ items: [], page: 99 });
    expect(warnings).toBeUndefined();
    expect((await mine(type, { pageSize: 101 })).warnings).toMatchObject([
      { code: 'LIMIT_CLAMPED', details: { from: 101, to: 100 } },
    ]);
    await expectRefusals(world.client, { type });
    await expectCursorRefusals(world.client, { type, user: builder.address });
  }
  expect(await ask('builderMeShare', { dimension: 'day' })).toBe(
    '400 10002 Wrong type for dimension',
  );
  expect(await ask('builderMeShare', { window: '1d' })).toBe('400 10002 Wrong type for window');
  await expectRefusals(world.client, { type: 'builderMeShare' });
  await expectRefusals(world.client, { type: 'builderMeClaimable' });
});
