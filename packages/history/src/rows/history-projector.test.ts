import type { Command } from '@oddlot/engine';
import { address, hash, instrumentId, present, type Address } from '@oddlot/units';
import { beforeEach, describe, expect, test } from 'vitest';
import { FollowedRows } from '@oddlot/testing/venue/followed-rows';
import { FIRST_ID, OutcomeVenue } from '@oddlot/testing/venue/outcome-venue';
import { ALICE, BOB, BTC, CAROL, START_MS, TestVenue } from '@oddlot/testing/venue/ws/test-venue';

import { decodeArrivals } from '../store/trace-rows.ts';

let venue: TestVenue;
let followed: FollowedRows;

beforeEach(() => {
  venue = TestVenue.open();
  followed = new FollowedRows(venue);
});

describe('recording fills of perps', () => {
  test('an opening fill has one row per side, with a fee and no result', () => {
    venue.order(BOB, { sell: true, price: 100, size: 2 });
    venue.order(ALICE, { buy: true, price: 101, size: 2, clientOrderId: `0x${'7'.repeat(32)}` });
    const [taker, maker] = followed.last.fills;
    expect(taker).toEqual({
      user: ALICE,
      accountType: 'perp',
      instrumentId: 1,
      row: {
        coin: 'BTC',
        symbol: 'BTC-USDC',
        px: '100',
        sz: '2',
        side: 'B',
        time: venue.state.timeMs,
        startPosition: '0',
        dir: 'Buy',
        reduceOnly: false,
        closedPnl: '0',
        hash: followed.last.txs[0]?.txHash,
        oid: 2,
        crossed: true,
        fee: '0.09',
        tid: 1,
        feeToken: 'USDC',
        twapId: null,
        tradeSide: 'Taker',
        marginMode: 'Cross',
        leverage: 20,
        instrumentId: 1,
        instrumentType: 'perps',
        marketType: 'perps',
        cloid: `0x${'7'.repeat(32)}`,
      },
    });
    expect(maker).toMatchObject({
      user: BOB,
      row: { side: 'A', dir: 'Sell', fee: '0.03', crossed: false, tradeSide: 'Maker', cloid: null },
    });
  });

  test('a closing fill gives its entry price, its result net of the fee, and its return', () => {
    venue.order(BOB, { sell: true, price: 100, size: 2 });
    venue.order(ALICE, { buy: true, price: 100, size: 2 });
    venue.order(BOB, { buy: true, price: 102, size: 1 });
    venue.order(ALICE, { sell: true, price: 102, size: 1, reduceOnly: true });
    // The gain is 2 less 0.0459. At 20x leverage, the margin for 100 is 5, so the return is 40
    // percent.
    expect(followed.last.fills[0]?.row).toMatchObject({
      dir: 'Sell',
      startPosition: '2',
      reduceOnly: true,
      fee: '0.0459',
      closedPnl: '1.9541',
      entryPrice: '100',
      roe: '40',
    });
    expect(followed.last.fills[1]?.row).toMatchObject({ closedPnl: '-2.0153', roe: '-40' });
  });

  test('R-adl: a position closed without an order has a fill with a price but no ids', () => {
    for (const size of [1000, 900]) {
      venue.order(BOB, { sell: true, price: 100, size });
      venue.order(ALICE, { buy: true, price: 100, size });
    }
    venue.oracle(95.2);
    for (const [user, dir] of [
      [ALICE, 'Sell'],
      [BOB, 'Buy'],
    ] as const) {
      const row = followed.fills(user).at(-1)?.row;
      expect(row).toMatchObject({
        dir,
        sz: '1900',
        px: expect.stringMatching(/^94\./),
        oid: 0,
        tid: 0,
        crossed: null,
        tradeSide: null,
        fee: '0',
        entryPrice: '100',
        reduceOnly: true,
        hash: followed.last.head.hash,
      });
    }
  });
});

describe('recording orders', () => {
  test('every change of an order has a row that includes the totals of its fills', () => {
    venue.order(BOB, { sell: true, price: 100, size: 2 });
    venue.order(ALICE, { buy: true, price: 100, size: 2 });
    venue.order(ALICE, { sell: true, price: 103, size: 2 });
    venue.order(BOB, { buy: true, price: 103, size: 0.5 });
    venue.cancel(ALICE, 3);
    const shown = followed.orders(3).map(({ row }) => [row.status, row.order.sz, row.order.pnl]);
    expect(shown).toEqual([
      ['open', '2', undefined],
      ['open', '1.5', '1.5'],
      ['cancelled', '1.5', '1.5'],
    ]);
    expect(followed.orders(3).at(-1)?.row).toMatchObject({
      status: 'cancelled',
      statusTimestamp: venue.state.timeMs,
      order: {
        coin: 'BTC',
        symbol: 'BTC-USDC',
        oid: 3,
        origSz: '2',
        avgFillPrice: '103',
        filledAmount: '51.5',
        fee: '0.007725',
        entryPrice: '100',
        roe: '60',
        cancelSource: 'UserCanceled',
        cancelReason: 'Canceled by user',
        triggerCondition: 'N/A',
        triggerPx: '0',
        children: [],
        positionMode: 'OneWay',
        marginMode: 'Cross',
        leverage: 20,
        tif: 'GTC',
        status: 'cancelled',
      },
    });
    expect([...followed.projector.rememberedOrders()]).toEqual([]);
  });

  test('the row of an order rejected at execution gives the reason', () => {
    venue.order(BOB, { sell: true, price: 100, size: 1 });
    venue.order(ALICE, { buy: true, price: 100, size: 1, timeInForce: 'alo' });
    const { row } = followed.orders(2)[0]!;
    expect(row.status).toBe('rejected');
    expect(row.order.rejectReason).toMatch(/[Pp]ost/);
    expect(followed.last.txs[0]?.error).toBe(row.order.rejectReason);
  });

  test('R-grouping: a parent order includes its children, and a triggered TP/SL order has the status triggered', () => {
    const exit = { instrumentId: BTC.instrumentId, isBuy: false, size: 1000, reduceOnly: true };
    const parent = { ...exit, isBuy: true, reduceOnly: false, price: 100_000 };
    const trigger = (kind: 'takeProfit' | 'stopLoss', price: number) => ({
      ...exit,
      price,
      timeInForce: 'gtc' as const,
      trigger: { kind, price, isMarket: kind === 'stopLoss' },
    });
    venue.signed(ALICE, {
      type: 'placeOrders',
      grouping: 'normal',
      orders: [
        { ...parent, timeInForce: 'gtc' },
        trigger('takeProfit', 105_000),
        trigger('stopLoss', 97_000),
      ],
    });
    const { order } = followed.orders(1)[0]!.row;
    expect(order.children.map(({ oid, triggerCondition }) => [oid, triggerCondition])).toEqual([
      [2, 'Price above 105'],
      [3, 'Price below 97'],
    ]);
    expect(order.children[1]).toMatchObject({ orderType: 'Market', isTrigger: true, sz: '1' });
    venue.order(BOB, { sell: true, price: 100, size: 1 });
    venue.oracle(96.9);
    // There is no buyer, so the triggered stop order remains pending.
    expect(followed.orders(3).at(-1)?.row.status).toBe('triggered');
    venue.order(BOB, { buy: true, price: 96.5, size: 1 });
    venue.pass(2_000);
    expect(followed.orders(3).at(-1)?.row).toMatchObject({
      status: 'filled',
      order: { pnl: '-3.5', entryPrice: '100', isTrigger: true },
    });
    expect(followed.orders(2).at(-1)?.row.order).toMatchObject({
      status: 'cancelled',
      cancelSource: 'SiblingFilled',
      cancelReason: 'Sibling order filled',
    });
  });
});

test('R-withdraw: each change of a withdrawal replaces its row without moving it', () => {
  const destination = address(`0x${'d'.repeat(40)}`);
  venue.signed(ALICE, { type: 'withdraw', destination, amountMicroUsdc: 5_000_000 });
  const askedMs = venue.state.timeMs;
  const { height } = followed.last.head;
  venue.apply([{ type: 'settleWithdrawal', withdrawalId: 1, paid: true }]);
  const [pending, completed] = followed.ledger(ALICE);
  expect(pending).toMatchObject({
    accountTypes: ['perp'],
    first: { height, index: 0 },
    row: { delta: { type: 'withdraw', amount: '5', status: 'pending' } },
  });
  expect(completed).toEqual({
    ...pending,
    row: { ...pending?.row, delta: { ...pending?.row.delta, status: 'completed' } },
  });
  expect(followed.last.withdrawals).toMatchObject([
    { withdrawalId: 1, timeMs: askedMs, updatedMs: venue.state.timeMs, status: 'completed' },
  ]);
});

test('R-builder: the earnings from an order are one row, which merges its fills', () => {
  const builder = { address: CAROL, feeTenthsBp: 50 };
  const approval = { type: 'approveBuilder', builder: CAROL, maxFeeE8: 50_000 } as const;
  venue.signed(ALICE, { ...approval, maxFeeText: '0.05%' });
  venue.order(BOB, { sell: true, price: 100, size: 1 });
  venue.order(BOB, { sell: true, price: 101, size: 2 });
  const order = venue.orderCommand(ALICE, { buy: true, price: 101, size: 4 });
  venue.apply([{ ...order, builder } as Command]);
  venue.order(BOB, { sell: true, price: 101, size: 1 });
  const earnings = followed.rows.flatMap((rows) => rows.earnings);
  // The fees are 5 basis points of 302 USDC and later of 403 USDC; the average price is (100 + 2 ×
  // 101 + 101) / 4 = 100.75.
  expect(earnings).toMatchObject([
    { orderId: 3, feeMicroUsdc: 151_000, addedFeeMicroUsdc: 151_000, role: 'Taker', tradeId: 2 },
    {
      builder: CAROL,
      user: ALICE,
      orderId: 3,
      instrumentName: 'BTC-USDC',
      feeTenthsBp: 50,
      feeMicroUsdc: 201_500,
      addedFeeMicroUsdc: 50_500,
      notionalMicroUsdc: 403_000_000,
      qty: '4',
      price: '100.75',
      role: 'Maker',
      tradeId: 3,
    },
  ]);
  const paid = followed.fills(ALICE).map(({ row }) => row.builderFee);
  expect(paid).toEqual(['0.05', '0.101', '0.0505']);
  venue.signed(CAROL, { type: 'claimBuilderRewards' });
  const { txHash } = followed.last.txs[0]!;
  expect(followed.last.claims).toEqual([
    { builder: CAROL, amountMicroUsdc: 201_500, txHash, timeMs: venue.state.timeMs },
  ]);
});

test('R-funding: every position has a funding row for each hour, with its due time', () => {
  venue.order(BOB, { sell: true, price: 100, size: 2 });
  venue.order(ALICE, { buy: true, price: 100, size: 2 });
  venue.order(BOB, { sell: true, price: 100.5, size: 500 });
  venue.order(CAROL, { buy: true, price: 99.5, size: 500 });
  venue.pass(3_600_000);
  const fundings = followed.rows.flatMap((rows) => rows.fundings);
  expect(fundings.length).toBeGreaterThanOrEqual(2);
  for (const { amountMicroUsdc, row } of fundings) {
    expect(row.time % 3_600_000).toBe(0);
    expect(Number(row.usdc) * 1_000_000).toBeCloseTo(amountMicroUsdc, 3);
  }
});

test('a candle of each interval is reported after it ends', () => {
  venue.order(BOB, { sell: true, price: 100, size: 1 });
  venue.order(ALICE, { buy: true, price: 100, size: 1 });
  venue.order(BOB, { sell: true, price: 101, size: 1 });
  venue.order(ALICE, { buy: true, price: 101, size: 1 });
  expect(followed.rows.flatMap((rows) => rows.candles)).toEqual([]);
  venue.pass(4 * 3_600_000);
  const bars = followed.rows.flatMap((rows) => rows.candles);
  expect(bars.map(({ stepMs }) => stepMs)).toEqual([60_000, 900_000, 14_400_000]);
  const prices = { open: 100_000, high: 101_000, low: 100_000, close: 101_000 };
  const startMs = START_MS - (START_MS % 60_000);
  expect(bars[0]).toEqual({
    instrumentId: 1,
    stepMs: 60_000,
    startMs,
    ...prices,
    lots: 2_000,
    trades: 2,
  });
});

describe('recording account values over time', () => {
  const FIVE = 300_000;
  /**
   * Returns an account's values as [interval in minutes, minutes since the start, value in USDC].
   */
  const valuesOf = (user: Address) =>
    followed.rows
      .flatMap((rows) => rows.accountValues)
      .filter((record) => record.user === user)
      .map(({ stepMs, timeMs, value }) => [
        stepMs / 60_000,
        (timeMs - (START_MS - (START_MS % FIVE))) / 60_000,
        value / 1_000_000,
      ]);

  test('account values are reported for the longest interval, for accounts that changed or hold positions', () => {
    venue.pass(3 * FIVE);
    // The account existed before the history began, so its initial value is reported once.
    expect(valuesOf(ALICE)).toHaveLength(1);
    venue.credit(ALICE, 'outcome', 5);
    venue.pass(3 * FIVE);
    expect(valuesOf(ALICE).slice(1)).toEqual([[5, 20, 10_005]]);
    venue.pass(3_600_000);
    expect(valuesOf(ALICE).slice(2)).toEqual([[60, 60, 10_005]]);
    venue.order(BOB, { sell: true, price: 100, size: 1 });
    venue.order(ALICE, { buy: true, price: 100, size: 1 });
    const before = valuesOf(ALICE).length;
    venue.pass(3 * FIVE);
    expect(valuesOf(ALICE).length - before).toBe(3);
  });

  test('account values are those at the end of the interval, regardless of the block that follows', () => {
    const valueAt = (user: Address, timeMs: number) =>
      followed.rows
        .flatMap((rows) => rows.accountValues)
        .find((record) => record.user === user && record.timeMs === timeMs);
    venue.pass(FIVE);
    venue.order(BOB, { sell: true, price: 100, size: 3 });
    venue.order(ALICE, { buy: true, price: 100, size: 1 });
    const borderMs = (Math.floor(venue.state.timeMs / FIVE) + 1) * FIVE;
    venue.order(ALICE, { buy: true, price: 100, size: 2 }, borderMs + 1 - venue.state.timeMs);
    expect(valueAt(ALICE, borderMs)).toMatchObject({ volume: 100_000_000, fees: 45_000 });
    // The deposit is in the first block after the second interval ends, so it does not count
    // towards that interval.
    venue.pass(FIVE - 1_000);
    venue.credit(ALICE, 'perp', 50);
    expect(venue.state.timeMs).toBe(borderMs + FIVE + 1);
    expect(valueAt(ALICE, borderMs + FIVE)).toMatchObject({
      volume: 300_000_000,
      moneyIn: 10_000_000_000,
      value: 9_999_865_000,
    });
    venue.pass(FIVE);
    expect(valueAt(ALICE, borderMs + 2 * FIVE)).toMatchObject({
      moneyIn: 10_050_000_000,
      value: 10_049_865_000,
    });
  });

  test('after a pause, account values are reported only for the first end of each interval', () => {
    venue.pass(FIVE);
    venue.credit(ALICE, 'outcome', 5);
    const before = valuesOf(ALICE).length;
    venue.apply([], 3 * 3_600_000);
    expect(valuesOf(ALICE).slice(before)).toEqual([
      [5, 10, 10_005],
      [60, 60, 10_005],
    ]);
  });

  test('account values include deposits, withdrawals, volume and fees', () => {
    venue.pass(FIVE);
    venue.order(BOB, { sell: true, price: 100, size: 1 });
    venue.order(ALICE, { buy: true, price: 100, size: 1 });
    const send = { destination: BOB, token: 0, amountMicroUsdc: 7_000_000 } as const;
    venue.signed(ALICE, { type: 'sendToken', ...send, from: 'perp', to: 'perp' });
    expect(followed.projector.accountSums(ALICE)).toEqual({
      moneyIn: 10_000_000_000,
      moneyOut: 7_000_000,
      volume: 100_000_000,
      fees: 45_000,
      funding: 0,
      value: 9_992_955_000,
    });
    expect(followed.projector.accountSums(BOB)).toMatchObject({
      moneyIn: 10_007_000_000,
      moneyOut: 0,
    });
    expect(followed.projector.accountSums(address(`0x${'9'.repeat(40)}`))).toBeNull();
  });
});

test('R-split-merge, R-settlement: a change in shares without a trade has one row per outcome', () => {
  const outcomes = new OutcomeVenue();
  followed = new FollowedRows(outcomes.venue, outcomes.markets);
  outcomes.list('rain');
  outcomes.fund(ALICE, BOB);
  const entries = [{ instrumentId: instrumentId(FIRST_ID), size: 1_000 }];
  outcomes.venue.signed(ALICE, { type: 'operateOutcome', kind: 'split', entries });
  outcomes.shares(ALICE, { sell: true, price: 0.6, size: 6 });
  outcomes.shares(BOB, { price: 0.6, size: 6 });
  const [part] = [{ instrumentId: instrumentId(FIRST_ID), size: 100 }];
  outcomes.venue.signed(ALICE, { type: 'operateOutcome', kind: 'merge', entries: [part!] });
  outcomes.resolve(0.7);
  const shown = followed.fills(ALICE).map(({ row }) => {
    const { closedPnl, dir, entryPrice, outcome, px, side, startPosition, sz } = row;
    return [dir, outcome, side, px, sz, startPosition, closedPnl, entryPrice];
  });
  expect(shown).toEqual([
    ['Split', 'Yes', 'B', '0.5', '10', '0', '0', undefined],
    ['Split', 'No', 'A', '0.5', '10', '0', '0', undefined],
    ['Sell Yes', 'Yes', 'A', '0.6', '6', '10', '0.6', '0.5'],
    ['Merge', 'Yes', 'A', '0.5', '1', '4', '0', '0.5'],
    ['Merge', 'No', 'B', '0.5', '1', '10', '0', '0.5'],
    ['Settlement', 'Yes', 'A', '0.7', '3', '3', '0.6', '0.5'],
    ['Settlement', 'No', 'B', '0.3', '9', '9', '-1.8', '0.5'],
  ]);
  for (const { row } of followed.fills(ALICE).filter(({ row: { dir } }) => dir !== 'Sell Yes')) {
    expect(row).toMatchObject({ oid: 0, tid: 0, crossed: null, tradeSide: null, fee: '0' });
    expect(row).toMatchObject({ instrumentType: 'outcome', marginMode: 'Cross', leverage: 1 });
  }
  expect(followed.rows.flatMap(({ markets }) => markets)).toEqual([
    { instrumentId: FIRST_ID, slug: 'rain', title: 'Will rain?', eventSlug: 'rain' },
  ]);
  expect(followed.last.settledEvents).toMatchObject([{ slug: 'rain', volumeMicroUsdc: 3_600_000 }]);
});

test('R-era: rows of an earlier rules version are passed on unchanged', () => {
  const head = { height: 7, timeMs: 7, hash: hash(`0x${'7'.repeat(64)}`) };
  const rows = { head, fills: ['as it was'] };
  const stateHash = hash(`0x${'5'.repeat(64)}`);
  followed.projector.onEarlierBlock({ head: { ...head, stateHash }, receipts: [], rows });
  expect(followed.last).toBe(rows);
});

test('R-era: arrivals that rules version 3 lists are packed', () => {
  const head = { height: 7, timeMs: 7, hash: hash(`0x${'7'.repeat(64)}`) };
  const order = { orderId: 5, instrumentId: 1, szDecimals: 3, commandIndex: 0, hasFills: false };
  const rows = { head, arrivals: [order, { ...order, orderId: 6 }] };
  const stateHash = hash(`0x${'5'.repeat(64)}`);
  followed.projector.onEarlierBlock({ head: { ...head, stateHash }, receipts: [], rows });
  const { body, ...packed } = present(followed.last.arrivals, 'the arrivals of a block');
  expect(packed).toEqual({ firstOrderId: 5, count: 2 });
  expect(decodeArrivals(body)).toEqual(rows.arrivals);
});
