import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { BlockResult } from '../messages/block.ts';
import type { TradeExecuted } from '../messages/event.ts';
import { accountView, findOrder, triggerOrders } from '../read/read.ts';
import { actor, alice, bob, carol, order, PERP, Scenario } from '@oddlot/testing/engine/scenario';
import { act, checkRestarts, group, orderResults, waiting } from '@oddlot/testing/engine/waiting';

const PRICE = 1_000_000;
let scenario: Scenario;

beforeEach(() => {
  scenario = Scenario.open();
});
afterEach(() => {
  checkRestarts(scenario);
});

/** Opens a long at 100 for alice and a short for bob, which creates orders 1 and 2. */
function aliceLong(size = 100): void {
  scenario.one(bob, { isBuy: false, price: PRICE, size });
  scenario.one(alice, { price: PRICE, size });
}

function aSecondLater(): string[] {
  scenario.wait(1_000);
  return orderResults(scenario.block());
}

function fees({ events }: BlockResult): bigint[] {
  return events
    .filter((event): event is TradeExecuted => event.type === 'tradeExecuted')
    .map(({ taker }) => taker.fee);
}

describe('R-trigger: a reducing market trigger retries until it is filled', () => {
  test('a stop on an empty book stays armed under its id and retries', () => {
    aliceLong();
    scenario.place(alice, waiting({ price: 900_000 }));
    expect(orderResults(scenario.oracle(900_000))).toEqual(['3 open 100']);
    expect(findOrder(scenario.state, 3)).toMatchObject({ isTriggered: true, filled: 0 });
    expect(triggerOrders(scenario.state, alice)).toHaveLength(1);
    expect(aSecondLater()).toEqual([]);
    scenario.one(carol, { price: 900_000, size: 100 });
    expect(aSecondLater()).toEqual(['4 filled', '3 filled']);
    expect(scenario.position(alice)).toBe(0);
    expect(scenario.state.triggers.size).toBe(0);
  });

  test('a stop retries once per second, not in every block', () => {
    aliceLong();
    scenario.place(alice, waiting({ price: 900_000 }));
    scenario.oracle(900_000);
    scenario.one(carol, { price: 900_000, size: 40 });
    scenario.wait(999);
    expect(orderResults(scenario.block())).toEqual([]);
    scenario.wait(1);
    expect(orderResults(scenario.block())).toEqual(['4 filled', '3 open 60']);
    expect(findOrder(scenario.state, 3)).toMatchObject({
      filled: 40,
      remaining: 60,
      original: 100,
      filledNotional: 40 * 900_000,
    });
  });

  test('an attempt without a fill reports that the position has shrunk', () => {
    aliceLong();
    scenario.place(alice, waiting({ price: 900_000 }));
    scenario.oracle(900_000);
    scenario.one(carol, { price: 950_000, size: 40 });
    scenario.one(alice, { isBuy: false, price: 950_000, size: 40 });
    expect(aSecondLater()).toEqual(['3 open 60']);
    expect(aSecondLater()).toEqual([]);
  });

  test('the limit of a stop is 1% from the mark and 1% further after each attempt that fills too little, up to 5%', () => {
    aliceLong();
    // Each bid is at an attempt's limit and fills less than half of the attempt's size.
    for (const [index, price] of [891_000, 882_000, 873_000, 864_000, 855_000].entries()) {
      scenario.one(carol, { price, size: 12 + index });
    }
    scenario.one(carol, { price: 854_900, size: 100 });
    scenario.place(alice, waiting({ price: 900_000 }));
    expect(orderResults(scenario.oracle(900_000))).toEqual(['3 filled', '9 open 88']);
    expect(aSecondLater()).toEqual(['4 filled', '9 open 75']);
    expect(aSecondLater()).toEqual(['5 filled', '9 open 61']);
    expect(aSecondLater()).toEqual(['6 filled', '9 open 46']);
    expect(aSecondLater()).toEqual(['7 filled', '9 open 30']);
    expect(aSecondLater()).toEqual([]);
    // A mark one tick lower reaches the last bid.
    scenario.wait(1_000);
    expect(orderResults(scenario.oracle(899_800))).toEqual(['8 open 70', '9 filled']);
  });

  test('a stop’s limit stays the same after an attempt that fills half of its size', () => {
    aliceLong();
    scenario.one(carol, { price: 891_000, size: 50 });
    scenario.one(carol, { price: 882_000, size: 50 });
    scenario.place(alice, waiting({ price: 900_000 }));
    expect(orderResults(scenario.oracle(900_000))).toEqual(['3 filled', '5 open 50']);
    expect(aSecondLater()).toEqual([]);
    expect(aSecondLater()).toEqual(['4 filled', '5 filled']);
  });

  test('a stop waits while the mark has not reached its price, and continues once it has', () => {
    aliceLong();
    scenario.place(alice, waiting({ price: 900_000 }));
    scenario.oracle(900_000);
    scenario.one(carol, { price: 899_000, size: 100 });
    scenario.wait(1_000);
    expect(orderResults(scenario.oracle(910_000))).toEqual([]);
    expect(aSecondLater()).toEqual([]);
    scenario.wait(500);
    expect(orderResults(scenario.oracle(900_000))).toEqual(['4 filled', '3 filled']);
  });

  test('a stop does not retry while its market is halted or stale', () => {
    aliceLong();
    scenario.place(alice, waiting({ price: 900_000 }));
    scenario.oracle(900_000);
    scenario.one(carol, { price: 899_000, size: 100 });
    scenario.wait(30_001);
    expect(orderResults(scenario.block())).toEqual([]);
    expect(orderResults(scenario.oracle(900_000))).toEqual(['4 filled', '3 filled']);
  });

  test('a stop is sent as a whole, whatever its size and value', () => {
    scenario = Scenario.open({ perp: { ...PERP, maxMarketOrderSize: 60 } });
    scenario.one(bob, { isBuy: false, price: PRICE, size: 100 });
    scenario.one(alice, { price: PRICE, size: 100 });
    scenario.one(carol, { price: 900_000, size: 99 });
    group(scenario, alice, 'position', waiting({ price: 900_000 }, { size: 0 }));
    expect(orderResults(scenario.oracle(900_000))).toEqual(['3 filled', '4 open 1']);
    scenario.one(carol, { price: 900_000, size: 20 });
    expect(aSecondLater()).toEqual(['5 open 19', '4 filled']);
  });

  test('a stop ends when its owner closes the position', () => {
    aliceLong();
    scenario.place(alice, waiting({ price: 900_000 }));
    scenario.oracle(900_000);
    const orders = [order({ isBuy: false, price: 900_000, size: 100, reduceOnly: true })];
    scenario.one(carol, { price: 900_000, size: 100 });
    expect(orderResults(act(scenario, alice, { type: 'placeOrders', orders }))).toEqual([
      '4 filled',
      '3 cancelled reduceOnly',
      '5 filled',
    ]);
  });

  test('a stop is reduced when its position shrinks and sells no more than that', () => {
    aliceLong();
    scenario.place(alice, waiting({ price: 900_000 }));
    scenario.oracle(900_000);
    scenario.one(carol, { price: 900_000, size: 70 });
    scenario.one(alice, { isBuy: false, price: 900_000, size: 70, reduceOnly: true });
    scenario.one(carol, { price: 900_000, size: 100 });
    expect(aSecondLater()).toEqual(['6 open 70', '3 filled']);
    expect(scenario.position(alice)).toBe(0);
  });

  test('an armed stop can be cancelled by its owner and keeps its fills', () => {
    aliceLong();
    scenario.place(alice, waiting({ price: 900_000 }, { clientOrderId: '0x'.padEnd(34, '7') }));
    scenario.one(carol, { price: 900_000, size: 40 });
    scenario.oracle(900_000);
    const cancels = [
      { instrumentId: PERP.instrumentId, clientOrderId: '0x'.padEnd(34, '7') },
    ] as const;
    const [outcome] = act(scenario, alice, { type: 'cancelByClientId', cancels }).outcomes;
    expect(outcome?.entries).toMatchObject([{ state: 'cancelled', orderId: 3, filled: 40 }]);
    expect(aSecondLater()).toEqual([]);
  });

  test('R-fill-check: a fill not covered by margin ends the attempt but not the stop', () => {
    // The position was bought at 100 with 5.2. It is worth 1.66 at a mark of 96.5, and a close at
    // 91.7 would cost 4.8.
    scenario = Scenario.open({ accounts: [bob, carol] });
    scenario.fund(alice, 5_200_000);
    aliceLong();
    scenario.one(carol, { price: 917_000, size: 100 });
    scenario.place(alice, waiting({ price: 965_000 }));
    expect(orderResults(scenario.oracle(965_000))).toEqual(['4 open 100']);
    for (let i = 0; i < 6; i++) expect(aSecondLater()).toEqual([]);
    expect(scenario.position(alice)).toBe(100);
    scenario.one(carol, { price: 960_000, size: 100 });
    expect(aSecondLater()).toEqual(['5 filled', '4 filled']);
  });

  test('R-rounding: many attempts pay the same taker fee as one fill', () => {
    aliceLong();
    const paid: bigint[] = [];
    scenario.place(alice, waiting({ price: 900_000 }));
    scenario.oracle(900_000);
    for (let i = 0; i < 5; i++) {
      scenario.one(carol, { price: 899_900, size: 20 });
      scenario.wait(1_000);
      paid.push(...fees(scenario.block()));
    }
    expect(scenario.position(alice)).toBe(0);
    expect(paid).toHaveLength(5);
    // The product 89,990,000 × 0.00045 rounds up once to 40,496; rounded five times, the total
    // would be 40,500.
    expect(paid.reduce((a, b) => a + b, 0n)).toBe(40_496n);
  });

  test('R-grouping: orders attached to a position retry and are listed with the position', () => {
    aliceLong();
    group(
      scenario,
      alice,
      'position',
      waiting({ price: 900_000 }, { size: 0 }),
      waiting({ kind: 'takeProfit', price: 1_100_000 }, { size: 0 }),
    );
    scenario.one(carol, { price: 900_000, size: 40 });
    expect(orderResults(scenario.oracle(900_000))).toEqual(['5 filled', '3 open 60']);
    expect(accountView(scenario.state, alice)?.positions[0]?.tpsl).toMatchObject([
      { stopLoss: { orderId: 3 }, takeProfit: { orderId: 4 } },
    ]);
    scenario.one(carol, { price: 900_000, size: 60 });
    expect(aSecondLater()).toEqual(['6 filled', '3 filled', '4 cancelled siblingFilled']);
  });

  test('R-limits-of-state: a retrying stop counts as a waiting trigger', () => {
    aliceLong();
    scenario.place(alice, waiting({ price: 900_000 }));
    scenario.oracle(900_000);
    expect(scenario.state.triggers.countOf(scenario.account(alice).index)).toBe(1);
  });
});

test('R-storms: first firings come before retries', () => {
  const crowd = Array.from({ length: 10 }, (_, n) => actor(0x100 + n));
  scenario = Scenario.open({ accounts: [alice, bob, carol, ...crowd] });
  scenario.checks = false;
  aliceLong();
  scenario.place(alice, waiting({ price: 900_000 }));
  expect(orderResults(scenario.oracle(900_000))).toEqual(['3 open 100']);
  // A thousand triggers with higher ids are reached for the first time; without a position, they
  // end immediately.
  for (const person of crowd) {
    for (let action = 0; action < 2; action++) {
      scenario.place(person, ...Array.from({ length: 50 }, () => waiting({ price: 899_000 })));
    }
  }
  scenario.one(carol, { price: 898_000, size: 100 });
  scenario.wait(1_000);
  const first = orderResults(scenario.oracle(899_000));
  expect(first).toHaveLength(1_000);
  expect(new Set(first.map((line) => line.split(' ')[1]))).toEqual(new Set(['rejected']));
  expect(orderResults(scenario.block())).toEqual(['1004 filled', '3 filled']);
});
