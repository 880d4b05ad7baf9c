import { describe, expect, test } from 'vitest';
import { aVenue, cancelAction, cloidOf, orderAction, type Actor } from '../support/actors.ts';
import { eventually, type Json } from '../support/client.ts';
import { Deployer, shareTrader } from '../support/deployer.ts';
import { exact, show, sum } from '../support/exact.ts';
import { queryHistory } from '../support/history.ts';
import { bet, FEE, operate, OUTCOMES, placed, queued } from '../support/outcomes.ts';
import {
  act,
  succeeded,
  groupAction,
  newScene,
  Operator,
  perpOrder,
  triggerOrder,
} from '../support/perps.ts';

const world = aVenue(OUTCOMES);
const operator = new Operator(world);
const deployer = new Deployer(world);

const reportsOf = async (actor: Actor, name: object): Promise<Json> =>
  (await queryHistory(world.client, { type: 'executionReport', user: actor.address, ...name }))
    .data;

const reportOf = async (actor: Actor, oid: number): Promise<Json> => {
  const { orders, user } = await reportsOf(actor, { oid });
  expect(user).toBe(actor.address);
  expect(orders).toHaveLength(1);
  return orders[0];
};

const refusalOf = async (query: object): Promise<Json> => {
  const { json, status } = await world.client.info({ type: 'executionReport', ...query });
  return { ...json, status };
};

describe('the report on a taker order explains its execution', () => {
  test('R-rounding: the report shows the book, fills, fees and slippage across several price levels', async () => {
    const { alice, bob, carol, perp } = await newScene(world, operator);
    await bob.placed({ market: perp, side: 'buy', price: '99', size: '1' });
    await bob.placed({ market: perp, side: 'sell', price: '101', size: '1' });
    await carol.placed({ market: perp, side: 'sell', price: '101', size: '2' });
    await bob.placed({ market: perp, side: 'sell', price: '102', size: '3' });
    await bob.placed({ market: perp, side: 'sell', price: '103', size: '1' });
    const cloid = cloidOf('takes');
    const signed = await alice.sign(
      orderAction(
        perpOrder({ market: perp, side: 'buy', price: '104', size: '4', tif: 'Ioc', cloid }),
      ),
    );
    const [{ oid }] = succeeded(await world.client.executed(signed)).orders;
    const report = await reportOf(alice, oid);
    const { height, time } = report.received;
    const at = { height, time };
    const fill = { ...at, tid: expect.any(Number), role: 'taker', builderFee: '0' };
    expect(report).toEqual({
      oid,
      cloid,
      instrumentId: perp.id,
      coin: expect.any(String),
      side: 'B',
      outcome: null,
      tif: 'IOC',
      limitPx: '104',
      origSz: '4',
      received: { ...at, txHash: signed.txHash },
      entered: at,
      arrival: {
        bestBid: '99',
        bestAsk: '101',
        midPx: '100',
        markPx: expect.any(String),
        oraclePx: '100',
        met: [
          { px: '101', sz: '3' },
          { px: '102', sz: '3' },
        ],
      },
      fills: [
        { ...fill, px: '101', sz: '1', fee: expect.any(String) },
        { ...fill, px: '101', sz: '2', fee: expect.any(String) },
        { ...fill, px: '102', sz: '1', fee: expect.any(String) },
      ],
      filledSz: '4',
      avgPx: '101.25',
      fee: show(sum(report.fills.map(({ fee }: Json) => exact(fee)))),
      builderFee: '0',
      slippage: { mid: '125', mark: worseThan(report.arrival.markPx, '101.25') },
      resting: null,
      end: { ...at, state: 'filled', reason: null },
    });
    // The fields of the report are in the order that the API documents.
    const fields =
      'oid cloid instrumentId coin side outcome tif limitPx origSz received entered arrival fills filledSz avgPx fee ' +
      'builderFee slippage resting end';
    expect(Object.keys(report).join(' ')).toBe(fields);
    const { data } = await queryHistory(world.client, { type: 'tx', txHash: signed.txHash });
    expect(data).toMatchObject({ block: height, time });
    expect(
      (await reportsOf(alice, { cloid: cloid.toUpperCase().replace('0X', '0x') })).orders,
    ).toEqual([report]);
    expect((await reportsOf(alice, { txHash: signed.txHash })).orders).toEqual([report]);
  });

  test("a seller's slippage has the opposite sign, and the remainder of an Ioc order is cancelled", async () => {
    const { alice, bob, perp } = await newScene(world, operator);
    await bob.placed({ market: perp, side: 'buy', price: '99', size: '1' });
    await bob.placed({ market: perp, side: 'sell', price: '101', size: '1' });
    const order = { market: perp, side: 'sell', price: '98', size: '3', tif: 'Ioc' } as const;
    const { oid } = await alice.placed(order);
    expect(await reportOf(alice, oid)).toMatchObject({
      side: 'A',
      origSz: '3',
      filledSz: '1',
      avgPx: '99',
      slippage: { mid: '100' },
      resting: null,
      end: { state: 'cancelled', reason: 'Immediate or cancel remainder' },
    });
    // A one-sided book has no mid, and an order without fills has no slippage.
    const alone = await alice.placed({ ...order, price: '100' });
    expect(await reportOf(alice, alone.oid)).toMatchObject({
      arrival: { bestBid: null, bestAsk: '101', midPx: null, met: [] },
      fills: [],
      filledSz: '0',
      avgPx: null,
      fee: '0',
      slippage: null,
    });
  });

  test('R-stp, R-reduce: the report lists only actual counterparties and the size sent to the book', async () => {
    const { alice, bob, perp } = await newScene(world, operator);
    await bob.placed({ market: perp, side: 'sell', price: '100', size: '1' });
    await alice.placed({ market: perp, side: 'buy', price: '100', size: '1' });
    const own = await alice.placed({ market: perp, side: 'buy', price: '99', size: '5' });
    await bob.placed({ market: perp, side: 'buy', price: '98', size: '5' });
    const sell = { market: perp, side: 'sell', price: '97', size: '4', reduceOnly: true } as const;
    const { oid } = await alice.placed(sell);
    expect(await reportOf(alice, oid)).toMatchObject({
      origSz: '1',
      arrival: { bestBid: '99', met: [{ px: '98', sz: '5' }] },
      filledSz: '1',
      end: { state: 'filled' },
    });
    expect(await reportOf(alice, own.oid)).toMatchObject({
      resting: { px: '99', aheadAtStart: '0', ahead: '0' },
      end: { state: 'cancelled', reason: 'Self trade' },
    });
  });

  test("a rejected post-only order's report has no arrival, and an expired order's report ends at its expiry", async () => {
    const { alice, bob, perp } = await newScene(world, operator);
    await bob.placed({ market: perp, side: 'sell', price: '101', size: '1' });
    const alo = perpOrder({ market: perp, side: 'buy', price: '101', size: '1', tif: 'Alo' });
    const reply = await alice.place(alo);
    const [{ oid }] = reply.json.data.data.orders;
    expect(await reportOf(alice, oid)).toMatchObject({
      tif: 'ALO',
      entered: null,
      arrival: null,
      resting: null,
      end: { state: 'rejected', reason: 'Post only order would have immediately matched' },
    });
    const expireTime = world.nowMs() + 6_000;
    const gtd = { market: perp, side: 'buy', price: '90', size: '1', tif: 'Gtd' } as const;
    const dated = await alice.placed({ ...gtd, expireTime });
    expect(await reportOf(alice, dated.oid)).toMatchObject({ tif: 'GTD', end: null });
    const ended = await eventually(async () => {
      const report = await reportOf(alice, dated.oid);
      expect(report.end).not.toBeNull();
      return report;
    }, 20_000);
    expect(ended.end.time).toBeGreaterThanOrEqual(expireTime);
    expect(ended.resting).toMatchObject({ to: ended.end.time, px: '90' });
  });
});

describe("a resting order's report shows its queue position", () => {
  test('the queue position advances as other orders leave, and an amend resets it', async () => {
    const { alice, bob, carol, perp } = await newScene(world, operator);
    const bid = { market: perp, side: 'buy', price: '99', size: '2' } as const;
    const first = await bob.placed(bid);
    await carol.placed({ ...bid, size: '3' });
    const { oid } = await alice.placed({ ...bid, size: '4' });
    await bob.placed({ ...bid, size: '1' });
    const fresh = await reportOf(alice, oid);
    expect(fresh).toMatchObject({
      entered: { time: fresh.received.time },
      resting: { to: null, px: '99', aheadAtStart: '5', ahead: '5' },
      end: null,
    });
    await bob.cancel({ a: perp.id, o: first.oid });
    await carol.placed({ market: perp, side: 'sell', price: '99', size: '2', tif: 'Ioc' });
    // Carol's sell order first cancels her own order, which is ahead of Alice's, and then trades
    // with Alice's order.
    const filled = await reportOf(alice, oid);
    expect(filled).toMatchObject({
      filledSz: '2',
      slippage: null,
      fills: [{ role: 'maker', px: '99', sz: '2' }],
      resting: { from: fresh.resting.from, aheadAtStart: '5', ahead: '0' },
    });
    const amend = (p: string, s: string) => ({ type: 'modify2', a: perp.id, o: oid, p, s });
    succeeded(await act(alice, amend('99', '6')));
    const same = await reportOf(alice, oid);
    expect(same.resting).toMatchObject({ px: '99', aheadAtStart: '0', ahead: '0' });
    expect(same.resting.from).toBeGreaterThan(fresh.resting.from);
    await carol.placed({ ...bid, price: '98', size: '7' });
    succeeded(await act(alice, amend('98', '6')));
    const moved = await reportOf(alice, oid);
    // R-modify: Alice's order was accepted before Carol's, so it ranks ahead of Carol's.
    expect(moved).toMatchObject({
      limitPx: '98',
      arrival: fresh.arrival,
      resting: { px: '98', aheadAtStart: '0', ahead: '0' },
    });
    await alice.cancel({ a: perp.id, o: oid });
    const end = await reportOf(alice, oid);
    expect(end).toMatchObject({
      ...moved,
      resting: { ...moved.resting, to: end.end.time },
      end: { state: 'cancelled', reason: 'Canceled by user' },
    });
    expect(end.end.height).toBeGreaterThan(end.received.height);
  });

  test("a cancelled order's report gives the size that was still ahead of it", async () => {
    const { alice, bob, perp } = await newScene(world, operator);
    const ask = { market: perp, side: 'sell', price: '101' } as const;
    await bob.placed({ ...ask, size: '2' });
    const { oid } = await alice.placed({ ...ask, size: '1' });
    await alice.cancel({ a: perp.id, o: oid });
    expect((await reportOf(alice, oid)).resting).toMatchObject({ aheadAtStart: '2', ahead: '2' });
  });
});

test('R-trigger: a trigger order is received before it arrives at the book', async () => {
  const { alice, bob, perp } = await newScene(world, operator);
  await bob.placed({ market: perp, side: 'sell', price: '100', size: '2' });
  await alice.placed({ market: perp, side: 'buy', price: '100', size: '2' });
  const stop = triggerOrder({ market: perp, side: 'sell', kind: 'sl', at: '97', size: '2' });
  const signed = await alice.sign(orderAction(stop));
  const [{ oid }] = succeeded(await world.client.executed(signed)).orders;
  const waiting = await reportOf(alice, oid);
  expect(waiting).toMatchObject({
    received: { txHash: signed.txHash },
    entered: null,
    arrival: null,
    resting: null,
    end: null,
  });
  await bob.placed({ market: perp, side: 'buy', price: '96.5', size: '3' });
  await perp.push('96.9');
  const fired = await eventually(async () => {
    const report = await reportOf(alice, oid);
    expect(report.end?.state).toBe('filled');
    return report;
  });
  expect(fired).toMatchObject({
    received: waiting.received,
    arrival: { bestBid: '96.5', oraclePx: '96.9', met: [{ px: '96.5', sz: '3' }] },
    filledSz: '2',
    slippage: { mark: worseThan(fired.arrival.markPx, '96.5', 'sell') },
  });
  expect(fired.entered.height).toBeGreaterThan(fired.received.height);
  expect(fired.entered).toEqual({ time: fired.end.time, height: fired.end.height });
});

describe('reports on outcome orders use the prices of their outcome', () => {
  test('R-delay: a delayed order arrives after it is received, and a NO order has NO prices', async () => {
    const [alice, bob] = [await shareTrader(world, 'alice'), await shareTrader(world, 'bob')];
    const market = await deployer.list({ ...FEE, orderDelayMs: 300 });
    await placed(alice, market, 'buy Yes 10 at 0.60');
    await placed(alice, market, 'buy No 10 at 0.30');
    const cloid = cloidOf('delayed');
    const signed = await queued(bob, bet(market, 'buy No 5 at 0.45', { cloid }));
    const report = await eventually(async () => {
      const { json } = await world.client.info({
        type: 'executionReport',
        user: bob.address,
        txHash: signed.txHash,
      });
      expect(json.success).toBe(true);
      return json.data.orders[0];
    });
    expect(report).toMatchObject({
      cloid,
      instrumentId: market.id,
      outcome: 'No',
      limitPx: '0.45',
      received: { txHash: signed.txHash },
      // YES has a bid at 0.60. The NO bid is equivalent to a YES ask at 0.70.
      arrival: {
        bestBid: '0.3',
        bestAsk: '0.4',
        midPx: '0.35',
        markPx: '0.35',
        oraclePx: '0.35',
        met: [{ px: '0.4', sz: '10' }],
      },
      fills: [{ px: '0.4', sz: '5', role: 'taker' }],
      avgPx: '0.4',
      slippage: { mid: '1428.57', mark: '1428.57' },
      end: { state: 'filled' },
    });
    const { data } = await queryHistory(world.client, { type: 'tx', txHash: signed.txHash });
    expect(report.received).toEqual({ time: data.time, txHash: signed.txHash, height: data.block });
    expect(report.entered.time - report.received.time).toBeGreaterThanOrEqual(300);
    expect((await reportsOf(bob, { cloid })).orders).toEqual([report]);
  });

  test('a seller of shares has positive slippage at a lower price', async () => {
    const [alice, bob] = [await shareTrader(world, 'alice'), await shareTrader(world, 'bob')];
    const market = await deployer.list({ ...FEE, orderDelayMs: 0 });
    succeeded(await operate(bob, 'split', [market, '20']));
    await placed(alice, market, 'buy No 10 at 0.38');
    await placed(alice, market, 'buy Yes 10 at 0.60');
    const { oid } = await placed(bob, market, 'sell No 5 at 0.35');
    expect(await reportOf(bob, oid)).toMatchObject({
      outcome: 'No',
      arrival: { bestBid: '0.38', bestAsk: '0.4', midPx: '0.39', met: [{ px: '0.38', sz: '10' }] },
      slippage: { mid: '256.41' },
    });
  });
});

describe('reports can be looked up by either order id', () => {
  test('a client order id finds the live order, or otherwise the most recently ended one', async () => {
    const { alice, perp } = await newScene(world, operator);
    const cloid = cloidOf('again');
    const bids = ['90', '91', '92'].map((price) =>
      perpOrder({ market: perp, side: 'buy', price, size: '1' }),
    );
    const signed = await alice.sign(orderAction(...bids));
    const oids = succeeded(await world.client.executed(signed)).orders.map(({ oid }: Json) => oid);
    const { orders } = await reportsOf(alice, { txHash: signed.txHash });
    expect(orders.map(({ limitPx, oid }: Json) => [oid, limitPx])).toEqual(
      oids.map((oid: number, at: number) => [oid, ['90', '91', '92'][at]]),
    );
    const bid = { market: perp, side: 'buy', price: '90', size: '1', cloid } as const;
    const first = await alice.placed(bid);
    expect((await reportsOf(alice, { cloid })).orders).toMatchObject([
      { oid: first.oid, end: null },
    ]);
    await alice.cancel({ a: perp.id, o: first.oid });
    const second = await alice.placed({ ...bid, price: '104', tif: 'Ioc' });
    expect((await reportsOf(alice, { cloid })).orders).toMatchObject([
      { oid: second.oid, cloid, end: { state: 'cancelled' } },
    ]);
  });

  test("a cancel's report includes only the TP/SL orders that ended with the order", async () => {
    const { alice, perp } = await newScene(world, operator);
    const entry = perpOrder({ market: perp, side: 'buy', price: '90', size: '1' });
    const exits = (['tp', 'sl'] as const).map((kind) =>
      triggerOrder({
        market: perp,
        side: 'sell',
        kind,
        at: kind === 'tp' ? '120' : '80',
        size: '1',
      }),
    );
    const placed = await alice.sign(groupAction('normalTpsl', entry, ...exits));
    const oids: number[] = succeeded(await world.client.executed(placed)).orders.map(
      ({ oid }: Json) => oid,
    );
    const other = await alice.placed({ market: perp, side: 'buy', price: '91', size: '1' });
    const cancelled = await alice.sign(cancelAction({ a: perp.id, o: oids[0]! }));
    succeeded(await world.client.executed(cancelled));
    const { orders } = await reportsOf(alice, { txHash: cancelled.txHash });
    expect(orders.map(({ oid, end }: Json) => [oid, end.state])).toEqual(
      oids.map((oid) => [oid, 'cancelled']),
    );
    expect(orders.map(({ oid }: Json) => oid)).not.toContain(other.oid);
  });

  test('executionReport does not find foreign orders and requires exactly one identifier', async () => {
    const { alice, bob, perp } = await newScene(world, operator);
    const cloid = cloidOf('private');
    const signed = await alice.sign(
      orderAction(perpOrder({ market: perp, side: 'buy', price: '90', size: '1', cloid })),
    );
    const [{ oid }] = succeeded(await world.client.executed(signed)).orders;
    const { txHash } = signed;
    for (const name of [{ oid }, { cloid }, { txHash }]) {
      const [[field, got]] = Object.entries(name) as [[string, unknown]];
      expect(await refusalOf({ user: bob.address, ...name })).toMatchObject({
        success: false,
        code: 10404,
        name: 'NOT_FOUND',
        message: 'Order not found',
        details: { field, got },
      });
    }
    const unknown = { oid: 999_999_999, txHash: `0x${'ab'.repeat(32)}`, cloid: 'no cloid at all' };
    for (const [field, got] of Object.entries(unknown)) {
      expect(await refusalOf({ user: alice.address, [field]: got })).toMatchObject({ code: 10404 });
    }
    const user = alice.address;
    const refused = [
      {},
      { oid, cloid },
      { oid, txHash },
      { cloid, txHash },
      { oid, cloid, txHash },
    ];
    for (const names of refused) {
      expect(await refusalOf({ user, ...names })).toMatchObject({ code: 10002, status: 400 });
    }
    expect(await refusalOf({ oid })).toMatchObject({ code: 10002 });
  });
});

test('R-determinism: reports are unchanged after a stop and after a kill', async () => {
  const { alice, bob, perp } = await newScene(world, operator);
  const bid = { market: perp, side: 'buy', price: '99', size: '2' } as const;
  await bob.placed(bid);
  const { oid } = await alice.placed({ ...bid, size: '4' });
  const amended = await alice.placed({ ...bid, price: '98' });
  succeeded(await act(alice, { type: 'modify2', a: perp.id, o: amended.oid, p: '97', s: '3' }));
  const ended = await alice.placed({ ...bid, price: '96' });
  await alice.cancel({ a: perp.id, o: ended.oid });
  const carol = await world.trader('carol');
  await carol.placed({ ...bid, side: 'sell', size: '3', tif: 'Ioc' });
  const look = () => Promise.all([oid, amended.oid, ended.oid].map((id) => reportOf(alice, id)));
  const before = await look();
  expect(before[0]).toMatchObject({ filledSz: '1', resting: { ahead: '0' }, end: null });
  for (const how of ['stop', 'kill'] as const) {
    await world.venue[how]();
    await world.venue.startAgain();
    expect(await look()).toEqual(before);
  }
}, 60_000);

/**
 * Returns the difference from the fair price in basis points, with two decimals. A positive value
 * is worse.
 */
function worseThan(fair: string, got: string, side: 'buy' | 'sell' = 'buy'): string {
  const scale = 1_000_000;
  const [paid, was] = [Math.round(Number(got) * scale), Math.round(Number(fair) * scale)];
  const worse = side === 'buy' ? paid - was : was - paid;
  return String(Math.floor((2 * worse * 1_000_000 + was) / (2 * was)) / 100 + 0);
}
