import { beforeAll, describe, expect, test } from 'vitest';
import { aSharedVenue, type Actor } from '../support/actors.ts';
import type { Json } from '../support/client.ts';
import { Deployer, shareTrader, type OutcomeMarket } from '../support/deployer.ts';
import {
  allPages,
  expectCursorRefusals,
  expectPaging,
  expectRefusals,
  expectTimes,
  queryHistory,
} from '../support/history.ts';
import { operate, OUTCOMES, placed } from '../support/outcomes.ts';
import { succeeded, newScene, Operator, type OwnPerp } from '../support/perps.ts';

const world = aSharedVenue(OUTCOMES);
const operator = new Operator(world);
const deployer = new Deployer(world);

let perp: OwnPerp;
let other: OwnPerp;
let alice: Actor;
let bob: Actor;
let market: OutcomeMarket;

const fillsOf = async (actor: Actor, more: object = {}): Promise<Json[]> =>
  (await queryHistory(world.client, { type: 'userFills', user: actor.address, ...more })).data;

/** Bob places a resting order, and Alice trades against it. */
async function trade(on: OwnPerp, side: 'buy' | 'sell', price: string, size: string) {
  const against = side === 'buy' ? 'sell' : 'buy';
  await bob.placed({ market: on, side: against, price, size });
  return alice.placed({ market: on, side, price, size });
}

beforeAll(async () => {
  ({ perp } = await newScene(world, operator));
  other = await operator.list();
  alice = await world.resident('alice');
  bob = await world.resident('bob');
  await trade(perp, 'buy', '100', '2');
  await trade(other, 'sell', '100', '1');
  await trade(perp, 'sell', '101', '0.5');
  await trade(perp, 'buy', '100', '0.5');
  market = await deployer.list();
});

describe('userFills lists perp fills', () => {
  test('userFills returns rows newest first as soon as the trade is confirmed', async () => {
    const taken = await trade(perp, 'buy', '100.5', '1');
    const [row] = await fillsOf(alice);
    expect(row).toMatchObject({
      coin: perp.name.replace('-USDC', ''),
      symbol: perp.name,
      px: '100.5',
      sz: '1',
      side: 'B',
      dir: 'Buy',
      oid: taken.oid,
      crossed: true,
      tradeSide: 'Taker',
      startPosition: '2',
      closedPnl: '0',
      fee: '0.045225',
      feeToken: 'USDC',
      twapId: null,
      reduceOnly: false,
      marginMode: 'Cross',
      instrumentId: perp.id,
      instrumentType: 'perps',
      marketType: 'perps',
    });
    expect(row).not.toHaveProperty('entryPrice');
    const [made] = await fillsOf(bob);
    expect(made).toMatchObject({ side: 'A', crossed: false, tradeSide: 'Maker', tid: row.tid });
    const rows = await fillsOf(alice);
    expect(rows.map(({ time }) => time)).toEqual(
      rows.map(({ time }) => time).sort((a: number, b: number) => b - a),
    );
    // A closing fill includes the entry price and the PnL net of the fill's fee.
    const closed = rows.find(({ px }) => px === '101');
    expect(closed).toMatchObject({ entryPrice: '100', closedPnl: '0.477275', startPosition: '2' });
  });

  test('userFills filters by instrument and time range, and pages', async () => {
    const all = await fillsOf(alice);
    expect(await fillsOf(alice, { coin: perp.coin })).toEqual(
      all.filter(({ instrumentId }) => instrumentId === perp.id),
    );
    expect(await fillsOf(alice, { coin: '99999' })).toEqual([]);
    const query = { type: 'userFills', user: alice.address };
    await expectTimes(world.client, query, all, ({ time }) => time);
    await expectPaging(world.client, query, all);
    const one = { ...query, coin: perp.coin };
    await expectPaging(world.client, one, await fillsOf(alice, { coin: perp.coin }));
  });

  test("a fill's hash is the hash of the request that traded", async () => {
    const [row] = await fillsOf(alice);
    const tx = await queryHistory(world.client, { type: 'tx', txHash: row.hash });
    expect(tx.data).toMatchObject({ user: alice.address, action: { type: 'order' } });
    expect(tx.data.result.orders[0].oid).toBe(row.oid);
  });
});

describe('userFills lists outcome-market fills on request', () => {
  test('userFills includes outcome-market trades, splits, merges and settlements only on request', async () => {
    const carol = await shareTrader(world, 'carol');
    const dave = await shareTrader(world, 'dave');
    succeeded(await operate(carol, 'split', [market, '20']));
    await placed(carol, market, 'sell Yes 10 at 0.6');
    await placed(dave, market, 'buy Yes 10 at 0.6');
    succeeded(await operate(carol, 'merge', [market, '5']));
    await deployer.resolve(market, '1');
    expect(await fillsOf(carol)).toEqual([]);
    const rows = (await fillsOf(carol, { accountType: 'outcome' })).reverse();
    expect(rows.map(({ dir, outcome, px, sz }) => `${dir} ${outcome} ${sz} at ${px}`)).toEqual([
      'Split Yes 20 at 0.5',
      'Split No 20 at 0.5',
      'Sell Yes Yes 10 at 0.6',
      'Merge Yes 5 at 0.5',
      'Merge No 5 at 0.5',
      'Settlement Yes 5 at 1',
      'Settlement No 15 at 0',
    ]);
    for (const row of rows) {
      expect(row).toMatchObject({ instrumentId: market.id, marketType: 'outcome' });
      expect(row.title).toEqual(expect.any(String));
      expect(row.slug).toEqual(expect.any(String));
      const isTrade = row.dir.startsWith('Sell');
      if (!isTrade) expect(row).toMatchObject({ oid: 0, tid: 0, crossed: null, tradeSide: null });
    }
    const query = { type: 'userFills', user: carol.address, accountType: ['perp', 'outcome'] };
    expect(await allPages(world.client, { ...query, limit: 3 })).toEqual(rows.reverse());
  });
});

describe('userFills checks the user and the filters', () => {
  test('userFills handles unknown accounts and agents and rejects malformed queries', async () => {
    const outsider = world.unfunded('nobody');
    expect(
      await queryHistory(world.client, { type: 'userFills', user: outsider.address }),
    ).toMatchObject({
      data: [],
      nextCursor: null,
    });
    const agent = world.unfunded('agent');
    await alice.approveAgent(agent.address, 'history');
    const asked = await queryHistory(world.client, { type: 'userFills', user: agent.address });
    expect(asked.data).toEqual([]);
    expect(asked.warnings).toMatchObject([
      { code: 'AGENT_ADDRESS', details: { owner: alice.address } },
    ]);
    await expectRefusals(world.client, { type: 'userFills' });
    await expectCursorRefusals(world.client, { type: 'userFills', user: alice.address });
    const ask = async (more: object) => {
      const { json, status } = await world.client.info({
        type: 'userFills',
        user: alice.address,
        ...more,
      });
      return `${status} ${json.code} ${json.message}`;
    };
    expect(await ask({ limit: 0 })).toBe('200 10000 Invalid limit');
    expect(await ask({ limit: -1 })).toBe('200 10000 Invalid limit');
    expect(await ask({ offset: -1 })).toBe('200 10000 Invalid offset');
    expect(await ask({ offset: 200_001 })).toBe('200 10000 Invalid offset');
    expect(await ask({ coin: 'BTC' })).toBe('400 10002 Wrong type for coin');
    expect(await ask({ accountType: 'spot' })).toBe('400 10002 Wrong type for accountType');
    const { nextCursor } = await queryHistory(world.client, {
      type: 'userFills',
      user: alice.address,
      limit: 1,
    });
    expect(await ask({ cursor: nextCursor, offset: 1 })).toBe('200 10000 Invalid offset');
  });

  test('userFills lowers an excessive limit and gives a warning', async () => {
    const { warnings } = await queryHistory(world.client, {
      type: 'userFills',
      user: alice.address,
      limit: 9_999,
    });
    expect(warnings).toMatchObject([
      { code: 'LIMIT_CLAMPED', details: { from: 9_999, to: 2_000 } },
    ]);
  });

  test('userFills waits for a future height and then rejects the query', async () => {
    const { height } = await world.client.data({ type: 'stateHash' });
    const reply = await world.client.info({
      type: 'userFills',
      user: alice.address,
      minHeight: height + 1_000_000,
    });
    expect(reply.status).toBe(503);
    expect(reply.json).toMatchObject({ success: false, code: 10503, name: 'UNAVAILABLE' });
    expect(reply.headers.get('retry-after')).toBe('1');
    const { asOf } = await queryHistory(world.client, {
      type: 'userFills',
      user: alice.address,
      minHeight: height,
    });
    expect(asOf.height).toBeGreaterThanOrEqual(height);
  });
});
