import { WorkBudget } from '@oddlot/host/ports';
import { hash } from '@oddlot/units';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { directAction, orderAction, signed, testKey } from '@oddlot/testing/venue/http/client';
import type { TestOrder } from '@oddlot/testing/venue/http/client';
import { startEdge, type TestEdge } from '@oddlot/testing/venue/http/test-edge';
import { incompleteWarnings } from './info-history.ts';

const alice = testKey(1);
const bob = testKey(2);
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

let edge: TestEdge;
let nonce = 0;

async function open(): Promise<void> {
  edge = await startEdge();
  edge.replica.credit(alice.address, 10_000);
  edge.replica.credit(bob.address, 10_000);
}

const place = (order: TestOrder, key = alice) => {
  nonce = Math.max(nonce + 1, edge.replica.nowMs);
  const confirm = 'executed' as const;
  return edge.send('/exchange', signed(orderAction(order), { key, nonce, confirm }));
};
const info = async (query: object) => (await edge.send('/info', query)).json;

/**
 * Advances the clock by an hour. Prices are pushed twice per minute, so that the funding rate is
 * sampled.
 */
function passHour(): void {
  for (let at = 0; at < 120; at++) {
    edge.replica.nowMs += HOUR_MS / 120;
    edge.replica.pushOracle(1000);
  }
}

describe('the userFundings query lists funding payments', () => {
  beforeAll(async () => {
    await open();
    await place({ b: false, s: '1' }, bob);
    await place({ s: '1' });
    // Funding requires orders in the book, because an empty book provides no samples.
    await place({ p: '99.5', s: '61' }, bob);
    await place({ b: false, p: '100.5', s: '61' }, bob);
    for (let hour = 0; hour < 4; hour++) passHour();
  });
  afterAll(() => edge.close());

  const ask = async (more: object = {}, user = alice.address) =>
    info({ type: 'userFundings', user, ...more });
  const rows = async (more: object = {}, user = alice.address) => (await ask(more, user)).data.data;

  test('R-funding: there is one row per hour, and the long pays what the short receives', async () => {
    const paid = await rows();
    expect(paid.length).toBeGreaterThanOrEqual(3);
    expect(paid[0]).toEqual({
      time: expect.any(Number),
      coin: 'BTC-USDC',
      usdc: paid[0].amount,
      szi: '1',
      fundingRate: expect.stringMatching(/^0\.0000/),
      amount: expect.stringMatching(/^-0\.0/),
    });
    const times = paid.map(({ time }: { time: number }) => time);
    expect(times).toEqual([...times].sort((a, b) => b - a));
    const collected = await rows({}, bob.address);
    expect(collected.map(({ amount }: { amount: string }) => `-${amount}`)).toEqual(
      paid.map(({ amount }: { amount: string }) => amount),
    );
    expect((await ask()).data).toMatchObject({ hasMore: false, total: paid.length });
  });

  test('userFundings can be filtered by instrument, open position and direction', async () => {
    const all = await rows();
    for (const more of [
      { coin: '1' },
      { coin: 'BTC' },
      { coin: 'btc-usdc' },
      { contract: 'active' },
      { contract: 'ALL' },
      { fundingType: 'paid' },
      { direction: 'Paid' },
      { accountType: ['perps', 'outcome'] },
    ]) {
      expect(await rows(more), JSON.stringify(more)).toEqual(all);
    }
    for (const more of [
      { coin: '2' },
      { coin: '100000' },
      { fundingType: 'collected' },
      { accountType: 'outcome' },
    ]) {
      expect((await ask(more)).data, JSON.stringify(more)).toMatchObject({
        data: [],
        hasMore: false,
      });
    }
    expect(await rows({ direction: 'collected' }, bob.address)).toHaveLength(all.length);
    expect(await rows({ contract: 'active' }, testKey(3).address)).toEqual([]);
    expect(await ask({ coin: 'ETH' })).toMatchObject({
      code: 10404,
      message: 'Instrument not found',
    });
  });

  test('a closed position is no longer an active contract, but its funding rows remain', async () => {
    const all = await rows();
    await place({ s: '1' }, bob);
    await place({ b: false, s: '1' });
    expect(await ask({ contract: 'active' })).toMatchObject({
      success: true,
      data: { data: [], hasMore: false },
      asOf: { height: edge.replica.head.height },
      nextCursor: null,
    });
    expect(await rows({ coin: 'BTC' })).toEqual(all);
  });

  test('userFundings accepts both spellings of a period, and pages by offset or cursor', async () => {
    const all = await rows();
    const { time } = all[1];
    for (const span of [
      { startTimeMs: time, endTimeMs: time },
      { startTime: time, endTime: time },
    ]) {
      expect(await rows(span)).toEqual([all[1]]);
    }
    const first = await ask({ limit: 1 });
    expect(first.data).toEqual({ data: [all[0]], hasMore: true, total: all.length });
    expect((await ask({ limit: 1, cursor: first.nextCursor })).data.data).toEqual([all[1]]);
    expect(await rows({ limit: 2, offset: 1 })).toEqual(all.slice(1, 3));
    expect((await ask({ limit: 2, offset: all.length - 2 })).data.hasMore).toBe(false);
    expect((await ask({ limit: 9_999 })).warnings).toMatchObject([
      { code: 'LIMIT_CLAMPED', details: { from: 9_999, to: 2_000 } },
    ]);
  });

  test('a query is warned of permanently lost rows unless it excludes their period', () => {
    const since = { height: 242, timeMs: 1_000 };
    const asOf = { height: 300, timeMs: 2_000 };
    expect(incompleteWarnings(asOf, {})).toEqual([]);
    const warnings = [{ code: 'HISTORY_INCOMPLETE', details: { height: 242, time: 1_000 } }];
    expect(incompleteWarnings({ ...asOf, since }, {})).toMatchObject(warnings);
    expect(incompleteWarnings({ ...asOf, since }, { startTime: 999 })).toMatchObject(warnings);
    expect(incompleteWarnings({ ...asOf, since }, { startTime: 1_000 })).toEqual([]);
  });
});

describe("the portfolio query returns an account's past values", () => {
  beforeEach(open);
  afterEach(() => edge.close());

  const portfolio = async (window: string, user = alice.address) => {
    const reply = await info({ type: 'portfolio', user, window });
    expect(reply).toMatchObject({ success: true });
    return reply.data;
  };

  test('past values are carried forward, and each window has separate sums', async () => {
    for (let day = 0; day < 3; day++) {
      edge.replica.pass(DAY_MS - HOUR_MS);
      edge.replica.credit(alice.address, 100);
      edge.replica.pass(HOUR_MS);
    }
    edge.replica.pass(HOUR_MS);
    const day = await portfolio('day');
    expect(day.points).toHaveLength(289);
    expect(day.points[0].accountValue).toBe('10200');
    expect(day.points.at(-1)).toMatchObject({ accountValue: '10300', pnl: '0' });
    expect(day).toMatchObject({ deposits: '100', withdrawals: '0' });
    const week = await portfolio('week');
    expect(week).toMatchObject({ deposits: '10300' });
    expect(week.points).toHaveLength(337);
    expect((await portfolio('month')).points).toHaveLength(362);
    const all = await portfolio('all');
    expect(all.deposits).toBe('10300');
    expect(all.points.length).toBeGreaterThan(100);
    expect(all.points.length).toBeLessThanOrEqual(500);
    for (const { points } of [day, week, all]) {
      expect(new Set(points.map(({ pnl }: { pnl: string }) => pnl))).toEqual(new Set(['0']));
      expect(points.at(-1).time).toBe(edge.replica.head.timeMs);
    }
  });

  test('every point of a portfolio has the sums and the account value at its time', async () => {
    const carol = testKey(3);
    edge.replica.pass(HOUR_MS);
    const start = edge.replica.nowMs;
    edge.replica.credit(carol.address, 5_000);
    for (let round = 0; round < 40; round++) {
      edge.replica.nowMs += 97_000;
      edge.replica.pushOracle(1000);
      await place({ b: false, s: '1' }, bob);
      expect((await place({ s: '1' }, carol)).json).toMatchObject({ status: 'ok', code: 0 });
      if (round % 7 === 0) edge.replica.credit(carol.address, 1);
    }
    edge.replica.pass(61_000);
    type Row = { time: number; px: string; sz: string; fee: string; delta: { amount: string } };
    const rows = async (type: string): Promise<Row[]> =>
      (await info({ type, user: carol.address })).data;
    const fills = await rows('userFills');
    const deposits = await rows('userNonFundingLedgerUpdates');
    expect(fills.length).toBe(40);
    const sum = (of: Row[], timeMs: number, amount: (row: Row) => number): number =>
      of.filter(({ time }) => time <= timeMs).reduce((total, row) => total + amount(row), 0);
    for (const window of ['day', 'week', 'month', 'all']) {
      const { points } = await portfolio(window, carol.address);
      const [first] = points;
      expect(first.time).toBeLessThan(start);
      for (const point of points) {
        const { accountValue, fees, pnl, time, volume } = point;
        expect(Number(volume)).toBe(sum(fills, time, ({ px, sz }) => Number(px) * Number(sz)));
        const paid = sum(fills, time, ({ fee }) => Number(fee));
        expect(Number(fees)).toBeCloseTo(paid, 6);
        // At a constant price, the account loses only fees.
        expect(Number(pnl)).toBeCloseTo(-paid, 6);
        const broughtIn = sum(deposits, time, ({ delta }) => Number(delta.amount));
        expect(Number(accountValue)).toBeCloseTo(broughtIn - paid, 6);
        if (point !== points.at(-1)) expect(time % 300_000).toBe(0);
      }
    }
    const { points } = await portfolio('all', carol.address);
    expect(points[0].time).toBeGreaterThanOrEqual(start - 300_000);
    expect(new Set(points.map(({ volume }: { volume: string }) => volume)).size).toBeGreaterThan(
      12,
    );
  });

  test('a portfolio of several years has at most 500 points', async () => {
    for (let month = 0; month < 30; month++) {
      edge.replica.pass(30 * DAY_MS);
      edge.replica.credit(alice.address, 1);
    }
    const { points } = await portfolio('all');
    expect(points.length).toBeGreaterThan(250);
    expect(points.length).toBeLessThanOrEqual(500);
    const steps = points
      .slice(1, -1)
      .map(({ time }: { time: number }, at: number) => time - points[at].time);
    expect(new Set(steps)).toEqual(new Set([2 * DAY_MS]));
    expect(points[0]).toMatchObject({ accountValue: '0', pnl: '0' });
    expect(points.every(({ pnl }: { pnl: string }) => pnl === '0')).toBe(true);
    expect(points.at(-1).accountValue).toBe('10030');
  });
});

describe('some queries are refused while the history lags behind', () => {
  beforeEach(open);
  afterEach(() => edge.close());

  const { address: user } = alice;
  /** These queries must be refused, because an incomplete list would look complete. */
  const WHOLE: readonly object[] = [
    { type: 'userFills', user },
    { type: 'userFills', user, endTime: 4_000_000_000_000 },
    { type: 'historicalOrders', user },
    { type: 'historicalOrders', user, endTime: 1 },
    { type: 'userFundings', user },
    { type: 'userFundings', user, accountType: ['outcome'] },
    { type: 'userNonFundingLedgerUpdates', user },
    { type: 'userNonFundingLedgerUpdates', user, endTime: 1 },
    { type: 'builderMeEarned', user },
    { type: 'builderMeClaimed', user },
    { type: 'builderMeShare', user },
    { type: 'builderMeClaimable', user },
    { type: 'portfolio', user },
    { type: 'portfolio', user, window: 'all' },
    { type: 'withdrawals', user },
    { type: 'blocks' },
    { type: 'block', hash: `0x${'1'.repeat(64)}` },
    { type: 'tx', txHash: `0x${'1'.repeat(64)}` },
    { type: 'txs' },
  ];

  test.each(WHOLE.map((query) => [JSON.stringify(query), query] as const))(
    'the query %s is refused with the block of the history',
    async (_, query) => {
      const heldAt = edge.replica.head.height;
      edge.history.heldAt = heldAt;
      edge.replica.credit(alice.address, 5);
      const reply = await edge.send('/info', query);
      expect(reply).toMatchObject({
        status: 503,
        headers: { 'retry-after': '1' },
        json: {
          success: false,
          code: 10503,
          name: 'UNAVAILABLE',
          message: `History is at block ${heldAt}`,
        },
      });
      edge.history.heldAt = undefined;
      expect((await edge.send('/info', query)).status).toBeLessThan(500);
    },
  );

  test('queries for earlier periods and for stored rows are answered', async () => {
    const heldAt = edge.replica.head.height;
    const { hash } = edge.replica.head;
    const { timeMs } = edge.replica.head;
    edge.history.heldAt = heldAt;
    edge.replica.credit(alice.address, 5);
    const known = [
      { type: 'userFills', user, endTime: timeMs - 1 },
      { type: 'blocks', before: heldAt + 1 },
      { type: 'block', height: heldAt },
      { type: 'block', hash },
      { type: 'stateHash', height: heldAt },
    ];
    for (const query of known) expect(await info(query)).toMatchObject({ success: true });
  });

  test('a query that requires a later block is refused', async () => {
    const heldAt = edge.replica.head.height;
    edge.history.heldAt = heldAt;
    edge.replica.credit(alice.address, 5);
    const query = { type: 'userNonFundingLedgerUpdates', user };
    expect((await info({ ...query, minHeight: heldAt })).data).toHaveLength(1);
    const reply = await edge.send('/info', { ...query, minHeight: heldAt + 1 });
    const details = { field: 'minHeight', got: heldAt + 1, allowed: { max: heldAt } };
    expect(reply).toMatchObject({ status: 503, json: { details } });
    // The block exists, because this process has applied it, but it is not in the history yet.
    expect((await edge.send('/info', { type: 'block', height: heldAt + 1 })).status).toBe(503);
    edge.history.heldAt = undefined;
    expect((await info({ ...query, minHeight: heldAt + 1 })).data).toHaveLength(2);
    expect(await info({ type: 'block', height: heldAt + 1 })).toMatchObject({ success: true });
  });
});

describe('history queries are charged to the client', () => {
  test("R-requests: the history's CPU time is charged to the client", async () => {
    const work = new WorkBudget({ msPerSecond: 1e-6, msBurst: 1_000 });
    edge = await startEdge({ edge: { work } });
    try {
      edge.replica.credit(alice.address, 10);
      const { history } = edge;
      const asked: string[] = [];
      const ask = history.ask.bind(history);
      history.ask = (topic, question, options) => {
        asked.push(`${topic} of ${options?.requester?.client}`);
        options?.requester?.spend(100);
        return ask(topic, question, options);
      };
      const left = (): number => work.left('127.0.0.1')?.remainingMs ?? 0;
      for (const type of ['userFills', 'historicalOrders', 'userFundings', 'portfolio'] as const) {
        const [before, questions] = [left(), asked.length];
        await info({
          type,
          user: alice.address,
          ...(type === 'portfolio' ? { window: 'day' } : {}),
        });
        expect(before - left(), type).toBeGreaterThanOrEqual(100 * (asked.length - questions));
      }
      expect(asked).toContain('fills of 127.0.0.1');
      expect(asked.filter((each) => !each.endsWith(' of 127.0.0.1'))).toEqual([]);
    } finally {
      await edge.close();
    }
  });
});

describe('the withdrawals query lists withdrawals with their status', () => {
  test('a withdrawal is held at first, and then either paid or returned', async () => {
    await open();
    try {
      const withdraw = (amount: string) => {
        nonce = Math.max(nonce + 1, edge.replica.nowMs);
        const action = directAction('withdraw3', nonce, { destination: bob.address, amount });
        return edge.send('/exchange', signed(action, { key: alice, nonce, confirm: 'executed' }));
      };
      await withdraw('10');
      await withdraw('20');
      const query = { type: 'withdrawals', user: alice.address };
      const { data } = await info(query);
      expect(data).toMatchObject([
        { amount: '20', status: 'held', txHash: null, error: null },
        { amount: '10', status: 'held' },
      ]);
      edge.replica.nowMs += 5_000;
      const failure = { txHash: hash(`0x${'ab'.repeat(32)}`), error: 'The token refuses it' };
      const end = { type: 'settleWithdrawal', withdrawalId: data[0].id, paid: false } as const;
      edge.replica.apply({ ...end, ...failure });
      const { data: after } = await info(query);
      expect(after).toMatchObject([{ status: 'returned', ...failure }, { status: 'held' }]);
      expect(after[0].updateTime).toBe(after[0].time + 5_000);
      expect(after[1].updateTime).toBe(after[1].time);
    } finally {
      await edge.close();
    }
  });
});
