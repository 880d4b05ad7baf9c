import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Address, present } from '@oddlot/units';
import type { OrderReport } from '@oddlot/protocol';
import { expect, onTestFinished, test } from 'vitest';
import {
  actor,
  alice,
  bob,
  carol,
  order,
  PERP,
  Scenario,
} from '../../packages/engine/src/testing/scenario.ts';
import { randomIntegers } from '../../packages/engine/src/testing/steps.ts';
import { openHistoryStore } from '../../packages/venue/src/history/store/history-store.ts';
import { freshSeed } from '../support/fresh-seed.ts';
import { type ModelOrder, ReportModel } from './report-model.ts';
import { RowRig } from './row-rig.ts';

/**
 * Goal: a report says what the order met, got, and how its queue moved, whatever happened around it. Method: random orders,
 * amends and cancels of traders who can pay for anything, played into the real projector, which starts anew now and then,
 * and stored in a real database; a small book of its own says what each report must be.
 */

const SEED = freshSeed('SIM_SEED');
const STEPS = process.env['TEST_LONG'] === undefined ? 500 : 4_000;
const RICH = 1_000_000_000_000;
const TRADERS: readonly Address[] = [alice, bob, carol, actor(0xda7e)];
const MIDDLE = 1_000_000;
const TICK = 100;

test(`reports of any orders are those of a small book, SIM_SEED=${SEED}`, async () => {
  const pick = randomIntegers(SEED);
  const scenario = Scenario.open({ accounts: TRADERS, funds: RICH });
  const rig = new RowRig();
  const model = new ReportModel();
  for (let step = 0; step < STEPS; step += 1) {
    if (pick(4) === 0) scenario.wait(pick(40_000));
    // A price that is stale would close the market.
    scenario.oracle(MIDDLE);
    act(scenario, model, pick);
  }
  for (const [at, block] of scenario.blocks.entries()) {
    rig.play(block);
    if (at % 61 === 60) rig.restart();
  }
  const folder = await mkdtemp(join(tmpdir(), 'oddlot-reports-'));
  const store = await openHistoryStore({ file: join(folder, 'history.sqlite') });
  onTestFinished(async () => {
    await store.close();
    await rm(folder, { recursive: true });
  });
  await store.write(rig.rows);
  const seen = { live: 0, amended: 0, passed: 0, levels: 0 };
  for (const [oid, own] of model.orders) {
    const user = present(TRADERS[own.user], 'a trader');
    const ask = { user, by: { orderId: oid } };
    const [report] = await store.ask('executionReport', ask, rig.projector.liveRows);
    expect(shown(report), `order ${oid}`).toEqual(wanted(own, model));
    const { arrival, end, entered, resting } = present(report, 'a report');
    if (end === null) seen.live += 1;
    if ((arrival?.met.length ?? 0) > 1) seen.levels += 1;
    if (resting !== null && resting.from !== entered?.time) seen.amended += 1;
    if (resting !== null && resting.ahead !== resting.aheadAtStart) seen.passed += 1;
    const other = present(TRADERS[(own.user + 1) % TRADERS.length], 'another');
    const theirs = await store.ask(
      'executionReport',
      { ...ask, user: other },
      rig.projector.liveRows,
    );
    expect(theirs, `order ${oid} of another`).toEqual([]);
  }
  for (const [what, count] of Object.entries(seen)) expect(count, what).toBeGreaterThan(0);
});

/** One block of one command, to both. */
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
    // Marks are computed when a block begins.
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

/** A price unit is 0.0001, a lot 0.01. */
const px = (units: number): string => String(units / 10_000);
const sz = (lots: number): string => String(lots / 100);

function sums(fills: Sizes): { lots: number; notional: number } {
  const lots = fills.reduce((sum, { size }) => sum + size, 0);
  return { lots, notional: fills.reduce((sum, { price, size }) => sum + price * size, 0) };
}

/** To six decimals, half up. */
function average(fills: Sizes): string {
  const { lots, notional } = sums(fills);
  return String(Math.floor((notional * 200 + lots) / (2 * lots)) / 1_000_000);
}

/** Two decimals, halves away from zero. */
function basisPoints({ isBuy }: ModelOrder, fills: Sizes, fair: number): string {
  const { lots, notional } = sums(fills);
  const worse = (isBuy ? 1 : -1) * (notional - fair * lots);
  const hundredths = Math.floor(
    (2 * Math.abs(worse) * 1_000_000 + fair * lots) / (2 * fair * lots),
  );
  return String((Math.sign(worse) * hundredths) / 100 + 0);
}
