import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Address, present } from '@oddlot/units';
import type { OrderReport } from '@oddlot/protocol';
import { findOrder } from '@oddlot/engine';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { actor, alice, bob, carol, order, PERP, Scenario } from '../support/engine/scenario.ts';
import { randomIntegers } from '../support/engine/steps.ts';
import {
  type HistoryStore,
  openHistoryStore,
} from '../../packages/history/src/store/history-store.ts';
import {
  type PostgresServer,
  startPostgres,
} from '../../packages/cluster/src/servers/postgres-server.ts';
import { freshSeed } from '../support/fresh-seed.ts';
import { type ModelOrder, ReportModel } from './report-model.ts';
import { RowRig } from './row-rig.ts';

/**
 * Goal: an execution report correctly describes the book when the order arrived, the order's fills
 * and its queue position. Method: random orders, amends and cancels by well-funded traders pass
 * through the real projector, which is occasionally restarted, into a real database. A small
 * separate book computes the expected reports.
 */

const SEED = freshSeed('SIM_SEED');
const STEPS = process.env['TEST_LONG'] === undefined ? 500 : 4_000;
const RICH = 1_000_000_000_000;
const TRADERS: readonly Address[] = [alice, bob, carol, actor(0xda7e)];
const MIDDLE = 1_000_000;
const TICK = 100;

const { model, rig } = played();
let folder: string;
let server: PostgresServer;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'oddlot-reports-'));
  server = await startPostgres();
});
afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true });
});

test.each(['SQLite', 'PostgreSQL'])(
  `execution reports match a reference book's, in %s, SIM_SEED=${SEED}`,
  async (kind) => {
    const isFile = kind === 'SQLite';
    const store = await openHistoryStore(
      isFile ? { file: join(folder, 'history.sqlite') } : { url: await server.database() },
    );
    onTestFinished(() => store.close());
    await store.write(rig.rows);
    const reports = new Map<number, OrderReport>();
    for (const [oid, own] of model.orders) {
      const report = present(await reportOf(store, own), `a report of order ${oid}`);
      expect(shown(report), `order ${oid}`).toEqual(wanted(own, model));
      expect(await reportOf(store, own, 1), `order ${oid} of another`).toBeUndefined();
      reports.set(oid, report);
    }
    expectStories([...reports.values()]);
    await expectPruned(store, reports);
  },
);

/** Applies the same orders to the small book and to the engine with the projector. */
function played(): { readonly model: ReportModel; readonly rig: RowRig } {
  const pick = randomIntegers(SEED);
  const scenario = Scenario.open({ accounts: TRADERS, funds: RICH });
  const book = new ReportModel();
  for (let step = 0; step < STEPS; step += 1) {
    if (pick(4) === 0) scenario.wait(pick(40_000));
    // Keeps the price from becoming stale, because trading stops while it is.
    scenario.oracle(MIDDLE);
    act(scenario, book, pick);
  }
  const rows = new RowRig();
  for (const [at, block] of scenario.blocks.entries()) {
    rows.play(block);
    if (at % 61 === 60) rows.restart();
  }
  return { model: book, rig: rows };
}

/** Requests a report as the owner, or as the account `further` positions after the owner. */
async function reportOf(
  store: HistoryStore,
  { oid, user: owner }: ModelOrder,
  further = 0,
): Promise<OrderReport | undefined> {
  const user = present(TRADERS[(owner + further) % TRADERS.length], 'a trader');
  const ask = { user, by: { orderId: oid } };
  return (await store.ask('executionReport', ask, rig.projector.liveRows))[0];
}

/**
 * Checks that the history reached the interesting cases; otherwise the test would prove nothing.
 */
function expectStories(reports: readonly OrderReport[]): void {
  const count = (is: (report: OrderReport) => boolean) => reports.filter(is).length;
  expect(count(({ end }) => end === null)).toBeGreaterThan(0);
  expect(count(({ arrival }) => (arrival?.met.length ?? 0) > 1)).toBeGreaterThan(0);
  expect(
    count(({ entered, resting }) => resting !== null && resting.from !== entered?.time),
  ).toBeGreaterThan(0);
  expect(
    count(({ resting }) => resting !== null && resting.ahead !== resting.aheadAtStart),
  ).toBeGreaterThan(0);
}

/**
 * Checks that pruning drops the reports on orders that ended before a given time, and fills from
 * before it.
 */
async function expectPruned(
  store: HistoryStore,
  reports: ReadonlyMap<number, OrderReport>,
): Promise<void> {
  const { timeMs } = present(rig.rows[Math.floor(rig.rows.length * 0.8)], 'a block').head;
  const isLive = (orderId: number) => findOrder(rig.state, orderId) !== undefined;
  while ((await store.prune({ rowsBeforeMs: timeMs, isLive })) > 0);
  let left = 0;
  for (const [oid, before] of reports) {
    const after = await reportOf(store, present(model.orders.get(oid), 'an order'));
    const hasEnded = before.end !== null && before.end.time < timeMs;
    if (hasEnded) expect(after, `order ${oid}`).toBeUndefined();
    else {
      left += 1;
      const fills = before.fills.filter(({ time }) => time >= timeMs);
      // The hash is lost along with the pruned block, and these requests have no signature.
      const { txHash } = present(after, `a report of order ${oid}`).received;
      expect(after).toEqual({ ...before, fills, received: { ...before.received, txHash } });
    }
  }
  expect(left).toBeGreaterThan(0);
  expect(left).toBeLessThan(reports.size);
  const { rows } = await store.stats();
  // Arrival data is kept for stored blocks, and for older orders that are still open or ended
  // later.
  expect(rows['arrivals']).toBeLessThan(reports.size);
  expect(rows['arrivals']).toBeGreaterThanOrEqual(left);
}

/** Sends one command to the engine in its own block, and the same action to the small book. */
function act(scenario: Scenario, model: ReportModel, pick: (below: number) => number): void {
  const user = pick(TRADERS.length);
  const trader = present(TRADERS[user], 'a trader');
  const live = model.live(user);
  const own = live.length === 0 ? undefined : live[pick(live.length)];
  const what = pick(10);
  const at = { timeMs: scenario.nowMs, height: scenario.state.height + 1 };
  const price = MIDDLE + TICK * (pick(9) - 4);
  if (own !== undefined && what < 2) {
    scenario.cancel(trader, own.oid);
    model.cancel(own.oid, at);
  } else if (own !== undefined && what < 5) {
    const to = {
      price: pick(2) === 0 ? own.price : price,
      size: own.size - own.left + 20 + pick(80),
    };
    const authority = scenario.authority(trader);
    const { instrumentId } = PERP;
    scenario.block({
      type: 'modifyOrder',
      authority,
      instrumentId,
      target: { orderId: own.oid },
      ...to,
    });
    model.amend(own.oid, to, at);
  } else {
    const orders = Array.from({ length: 1 + pick(3) }, () => ({
      user,
      isBuy: pick(2) === 0,
      price: MIDDLE + TICK * (pick(9) - 4),
      size: 20 + pick(80),
      tif: (['gtc', 'gtc', 'alo', 'ioc'] as const)[pick(4)] ?? 'gtc',
    }));
    scenario.place(
      trader,
      ...orders.map(({ isBuy, price: limit, size, tif }) =>
        order({ isBuy, price: limit, size, timeInForce: tif }),
      ),
    );
    // Marks are computed at the start of a block.
    const { mark } = present(scenario.state.perps.get(PERP.instrumentId), 'the perp');
    for (const each of orders) model.place(each, at, mark);
  }
}

function shown(report: OrderReport | undefined): unknown {
  if (report === undefined) return undefined;
  const { arrival, avgPx, end, entered, fills, filledSz, resting, slippage } = report;
  return {
    oid: report.oid,
    limitPx: report.limitPx,
    origSz: report.origSz,
    entered,
    arrival,
    fills: fills.map(({ height, px, role, sz, time }) => ({ height, px, role, sz, time })),
    filledSz,
    avgPx,
    slippage,
    resting,
    end: end && { state: end.state, time: end.time, height: end.height },
  };
}

function wanted(own: ModelOrder, model: ReportModel): unknown {
  const { arrival, end, entered, fills, resting } = model.report(own.oid);
  const taken = fills.filter(({ isTaker }) => isTaker);
  return {
    oid: own.oid,
    limitPx: px(own.price),
    origSz: sz(own.size),
    entered: entered === undefined ? null : { time: entered.timeMs, height: entered.height },
    arrival:
      arrival === undefined
        ? null
        : {
            bestBid: arrival.bid === 0 ? null : px(arrival.bid),
            bestAsk: arrival.ask === 0 ? null : px(arrival.ask),
            midPx: arrival.bid * arrival.ask === 0 ? null : px((arrival.bid + arrival.ask) / 2),
            markPx: px(arrival.mark),
            oraclePx: px(MIDDLE),
            met: arrival.met.map(({ price, size }) => ({ px: px(price), sz: sz(size) })),
          },
    fills: fills.map(({ height, isTaker, price, size, timeMs }) => ({
      height,
      px: px(price),
      role: isTaker ? 'taker' : 'maker',
      sz: sz(size),
      time: timeMs,
    })),
    filledSz: sz(own.size - own.left),
    avgPx: fills.length === 0 ? null : average(fills),
    slippage:
      arrival === undefined || taken.length === 0
        ? null
        : {
            mid:
              arrival.bid * arrival.ask === 0
                ? null
                : basisPoints(own, taken, (arrival.bid + arrival.ask) / 2),
            mark: basisPoints(own, taken, arrival.mark),
          },
    resting:
      resting === undefined
        ? null
        : {
            from: resting.fromMs,
            to: resting.toMs ?? null,
            px: px(resting.price),
            aheadAtStart: sz(resting.atStart),
            ahead: sz(resting.ahead),
          },
    end: end === undefined ? null : { state: end.state, time: end.timeMs, height: end.height },
  };
}

type Sizes = readonly { readonly price: number; readonly size: number }[];

/** One price unit is 0.0001 USDC, and one lot is 0.01 coins. */
const px = (units: number): string => String(units / 10_000);
const sz = (lots: number): string => String(lots / 100);

function sums(fills: Sizes): { lots: number; notional: number } {
  const lots = fills.reduce((sum, { size }) => sum + size, 0);
  return { lots, notional: fills.reduce((sum, { price, size }) => sum + price * size, 0) };
}

/** Returns the average price with six decimals, rounded half up. */
function average(fills: Sizes): string {
  const { lots, notional } = sums(fills);
  return String(Math.floor((notional * 200 + lots) / (2 * lots)) / 1_000_000);
}

/**
 * Returns the slippage with two decimals, rounded half up (R-rounding): a tie rounds towards plus
 * infinity, even below zero.
 */
function basisPoints({ isBuy }: ModelOrder, fills: Sizes, fair: number): string {
  const { lots, notional } = sums(fills);
  const worse = (isBuy ? 1 : -1) * (notional - fair * lots);
  const hundredths = Math.floor((2 * worse * 1_000_000 + fair * lots) / (2 * fair * lots));
  return String(hundredths / 100 + 0);
}
