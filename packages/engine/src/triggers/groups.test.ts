import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { childOrders, triggerOrders } from '../read/read.ts';
import { alice, bob, carol, order, PERP, Scenario } from '@oddlot/testing/engine/scenario';
import {
  act,
  checkRestarts,
  group,
  sign,
  orderResults,
  waiting,
} from '@oddlot/testing/engine/waiting';

const PRICE = 1_000_000;
const takeProfit = waiting({ kind: 'takeProfit', price: 1_100_000, isMarket: false });
const stopLoss = waiting({ price: 900_000 });
let scenario: Scenario;

beforeEach(() => {
  scenario = Scenario.open();
});
afterEach(() => {
  checkRestarts(scenario);
});

/** Places alice's bid for 100 lots at 100 as order 1, with take-profit 2 and stop-loss 3. */
function family(shape: Partial<Parameters<typeof order>[0]> = {}): void {
  const parent = order({ price: PRICE, size: 100, ...shape });
  expect(group(scenario, alice, 'normal', parent, takeProfit, stopLoss).reject).toBeUndefined();
}

function sell(size: number, price = PRICE): ReturnType<typeof act> {
  const orders = [order({ isBuy: false, price, size, timeInForce: 'ioc' })];
  return act(scenario, bob, { type: 'placeOrders', orders });
}

describe('R-grouping: a group has one parent and at most two children', () => {
  const parent = order({ price: PRICE, size: 100 });
  test.each([
    ['normal', [parent]],
    ['normal', [parent, stopLoss, takeProfit, stopLoss]],
    ['normal', [parent, order({ isBuy: false, reduceOnly: true, price: PRICE, size: 100 })]],
    ['normal', [parent, { ...stopLoss, reduceOnly: false }]],
    ['normal', [parent, { ...stopLoss, isBuy: true }]],
    ['normal', [parent, { ...stopLoss, instrumentId: 2 as typeof stopLoss.instrumentId }]],
    ['position', [parent]],
    ['position', [stopLoss, stopLoss]],
    ['position', [stopLoss, takeProfit, stopLoss]],
    ['position', [{ ...stopLoss, reduceOnly: false }]],
    ['position', [stopLoss, { ...takeProfit, isBuy: true }]],
    ['position', [stopLoss, { ...takeProfit, instrumentId: 2 as typeof stopLoss.instrumentId }]],
  ] as const)(
    'an invalid group with grouping %s is rejected as a whole (%#)',
    (grouping, orders) => {
      const outcome = group(scenario, alice, grouping, ...orders);
      expect(outcome.reject?.reason).toBe('groupingInvalid');
      expect(outcome.entries).toBeUndefined();
    },
  );
});

describe('R-grouping: the parent determines the state of its children', () => {
  test('children stay dormant while their parent rests without fills', () => {
    family();
    expect(childOrders(scenario.state, 1).map(({ orderId }) => orderId)).toEqual([2, 3]);
    expect(triggerOrders(scenario.state, alice)).toEqual([]);
    expect(orderResults(scenario.oracle(1_100_000))).toEqual([]);
  });

  test('children of a maker become active with its first fill and grow with it', () => {
    family();
    expect(orderResults(sell(40))).toEqual(['1 open 60', '2 open 40', '3 open 40', '4 filled']);
    expect(childOrders(scenario.state, 1)).toEqual([]);
    expect(triggerOrders(scenario.state, alice)).toHaveLength(2);
    expect(orderResults(sell(60))).toEqual(['1 filled', '2 open 100', '3 open 100', '5 filled']);
    expect(triggerOrders(scenario.state, alice).map(({ order: { orderId } }) => orderId)).toEqual([
      3, 2,
    ]);
    expect(orderResults(scenario.oracle(1_100_000))).toEqual(['2 open 100']);
  });

  test('children of a parent filled as a taker wait for their price from the start', () => {
    scenario.one(bob, { isBuy: false, price: PRICE, size: 100 });
    const parent = order({ price: PRICE, size: 100 });
    const { entries } = group(scenario, alice, 'normal', parent, takeProfit, stopLoss);
    expect(entries?.map(({ state }) => state)).toEqual(['filled', 'open', 'open']);
    expect(triggerOrders(scenario.state, alice)).toHaveLength(2);
  });

  test('a child’s size is at most its parent’s filled size', () => {
    const parent = order({ price: PRICE, size: 100 });
    group(scenario, alice, 'normal', parent, { ...takeProfit, size: 400 });
    expect(orderResults(sell(100))).toEqual(['1 filled', '2 open 100', '3 filled']);
  });

  test('children of a parent filled first as a taker and later as a maker grow with it', () => {
    scenario.one(bob, { isBuy: false, price: PRICE, size: 40 });
    const parent = order({ price: PRICE, size: 100 });
    const { entries } = group(scenario, alice, 'normal', parent, takeProfit, {
      ...stopLoss,
      size: 50,
    });
    expect(entries?.map(({ filled, state }) => [state, filled])).toEqual([
      ['open', 40],
      ['open', 0],
      ['open', 0],
    ]);
    // The stop has a size of 50, which later fills do not affect.
    expect(orderResults(sell(30))).toEqual(['2 open 30', '3 open 70', '4 open 50', '5 filled']);
    expect(orderResults(sell(30))).toEqual(['2 filled', '3 open 100', '6 filled']);
  });

  test('an amendment that crosses the book activates the children', () => {
    family({ price: 990_000 });
    scenario.one(bob, { isBuy: false, price: PRICE, size: 40 });
    const { instrumentId } = PERP;
    const amend = { instrumentId, target: { orderId: 1 }, price: PRICE, size: 100 } as const;
    const result = act(scenario, alice, { type: 'modifyOrder', ...amend });
    expect(orderResults(result)).toEqual(['4 filled', '1 open 60', '2 open 40', '3 open 40']);
  });

  test('a child that fires before its parent is filled cancels the remainder of the parent', () => {
    family();
    sell(40);
    scenario.one(carol, { price: 895_000, size: 100 });
    expect(orderResults(scenario.oracle(900_000))).toEqual([
      '1 cancelled siblingFilled',
      '5 open 60',
      '3 filled',
      '2 cancelled siblingFilled',
    ]);
    expect(scenario.position(alice)).toBe(0);
    expect(scenario.account(alice).liveOrders).toBe(0);
  });

  test('children of a partly filled ioc parent stay for the filled size', () => {
    scenario.one(bob, { isBuy: false, price: PRICE, size: 40 });
    const parent = order({ price: PRICE, size: 100, timeInForce: 'ioc' });
    const { entries } = group(scenario, alice, 'normal', parent, takeProfit, stopLoss);
    expect(entries?.map(({ filled, state }) => [state, filled])).toEqual([
      ['cancelled', 40],
      ['open', 0],
      ['open', 0],
    ]);
    expect(triggerOrders(scenario.state, alice).map(({ order: each }) => each.remaining)).toEqual([
      40, 40,
    ]);
  });

  test('children of an ioc parent without fills are cancelled', () => {
    const parent = order({ price: PRICE, size: 100, timeInForce: 'ioc' });
    const { entries } = group(scenario, alice, 'normal', parent, takeProfit, stopLoss);
    expect(entries?.map(({ state }) => state)).toEqual(['cancelled', 'cancelled', 'cancelled']);
  });

  test('a rejected parent cancels its children, each of which has an id', () => {
    const parent = order({ price: PRICE, size: 50_000_000 });
    const result = act(scenario, alice, {
      type: 'placeOrders',
      orders: [parent, takeProfit, { ...stopLoss, size: 0 }],
      grouping: 'normal',
    });
    expect(orderResults(result)).toEqual([
      '1 rejected positionLimit',
      '2 cancelled parentCanceled',
      '3 rejected sizeBelowMin',
    ]);
  });

  test('children of a cancelled parent stay for its filled size, or are cancelled if it is zero', () => {
    family();
    sell(40);
    const cancels = [{ instrumentId: PERP.instrumentId, orderId: 1 }];
    expect(orderResults(act(scenario, alice, { type: 'cancelOrders', cancels }))).toEqual([
      '1 cancelled userCanceled',
    ]);
    expect(triggerOrders(scenario.state, alice).map(({ order: each }) => each.remaining)).toEqual([
      40, 40,
    ]);
    family();
    cancels[0]!.orderId = 5;
    expect(orderResults(act(scenario, alice, { type: 'cancelOrders', cancels }))).toEqual([
      '5 cancelled userCanceled',
      '6 cancelled parentCanceled',
      '7 cancelled parentCanceled',
    ]);
  });

  test('children of an expired parent are cancelled', () => {
    family({ timeInForce: 'gtd', expireMs: (scenario.nowMs + 6_000) as never });
    scenario.wait(6_000);
    expect(orderResults(scenario.block())).toEqual([
      '1 cancelled expired',
      '2 cancelled parentCanceled',
      '3 cancelled parentCanceled',
    ]);
  });

  test('children of a parent cancelled by a self-trade are cancelled', () => {
    family();
    const orders = [order({ isBuy: false, price: PRICE, size: 100, timeInForce: 'ioc' })];
    expect(orderResults(act(scenario, alice, { type: 'placeOrders', orders }))).toEqual([
      '1 cancelled selfTrade',
      '2 cancelled parentCanceled',
      '3 cancelled parentCanceled',
      '4 cancelled iocRemainder',
    ]);
  });

  test('children of a maker cancelled for lack of margin stay for its filled size', () => {
    // The balance of 5.2 covers 100 lots at 20×. Buying 40 lots at 100 leaves 2.4 at a mark of 93,
    // but the remainder would need 4.65.
    scenario = Scenario.open({ accounts: [bob, carol] });
    scenario.fund(alice, 5_200_000);
    family();
    sell(40);
    scenario.oracle(930_000);
    expect(orderResults(sell(60))).toEqual([
      '1 cancelled marginCanceled',
      '5 cancelled iocRemainder',
    ]);
    expect(scenario.state.triggers.size).toBe(2);
  });

  test('cancelling one child leaves the other with the parent', () => {
    family();
    scenario.cancel(alice, 2);
    expect(orderResults(sell(100))).toEqual(['1 filled', '3 open 100', '4 filled']);
    scenario.cancel(alice, 3);
    expect(scenario.state.groups.all()).toEqual([]);
  });

  test('cancelling both children leaves the parent', () => {
    family();
    scenario.cancel(alice, 2, 3);
    expect(scenario.state.groups.all()).toEqual([]);
    expect(orderResults(sell(100))).toEqual(['1 filled', '4 filled']);
  });

  test('children of a trigger parent are listed with it while it waits or rests', () => {
    const parent = waiting(
      { kind: 'takeProfit', price: 950_000, isMarket: false },
      { isBuy: true, reduceOnly: false },
    );
    group(scenario, alice, 'normal', parent, takeProfit, stopLoss);
    const [view] = triggerOrders(scenario.state, alice);
    expect(view?.order.orderId).toBe(1);
    expect(view?.children.map(({ orderId }) => orderId)).toEqual([2, 3]);
    expect(orderResults(scenario.oracle(950_000))).toEqual(['1 open 100']);
    expect(childOrders(scenario.state, 1)).toHaveLength(2);
    expect(orderResults(sell(100, 950_000))).toEqual([
      '1 filled',
      '2 open 100',
      '3 open 100',
      '4 filled',
    ]);
  });

  test('a trigger parent that is cancelled or fails when it fires cancels its children', () => {
    const parent = waiting({ kind: 'takeProfit', price: 950_000 }, { isBuy: true });
    group(scenario, alice, 'normal', parent, takeProfit);
    group(scenario, alice, 'normal', parent, stopLoss);
    scenario.cancel(alice, 3);
    expect(scenario.state.triggers.find(4)).toBeUndefined();
    expect(orderResults(scenario.oracle(950_000))).toEqual([
      '1 rejected reduceOnlyIncreases',
      '2 cancelled parentCanceled',
    ]);
  });

  test('if both children are due, the first closes the position and cancels its sibling', () => {
    const early = waiting({ kind: 'takeProfit', price: 990_000 });
    const trigger = waiting({ price: 1_010_000 });
    const parent = order({ price: PRICE, size: 100 });
    group(scenario, alice, 'normal', parent, early, trigger);
    scenario.one(carol, { price: 990_000, size: 100 });
    sell(100);
    expect(orderResults(scenario.block())).toEqual([
      '4 filled',
      '2 filled',
      '3 cancelled siblingFilled',
    ]);
    expect(scenario.position(alice)).toBe(0);
  });

  test('if both children are due and the first fills in part, the sibling fires for the remainder', () => {
    const early = waiting({ kind: 'takeProfit', price: 990_000 });
    const trigger = waiting({ price: 1_010_000 });
    group(scenario, alice, 'normal', order({ price: PRICE, size: 100 }), early, trigger);
    sell(100);
    // The first child fills 30 lots, and none are left for the other. Both retry.
    scenario.one(carol, { price: 990_000, size: 30, timeInForce: 'alo' });
    expect(scenario.position(alice)).toBe(70);
    expect(scenario.state.groups.all()).toHaveLength(1);
    scenario.one(carol, { price: 990_000, size: 100, timeInForce: 'alo' });
    scenario.wait(1_000);
    expect(orderResults(scenario.block())).toEqual([
      '6 open 30',
      '2 filled',
      '3 cancelled siblingFilled',
    ]);
  });
});

describe('R-trigger: siblings in a group share one position', () => {
  beforeEach(() => {
    family();
    sell(100);
  });

  test('a fully filled stop cancels a waiting take-profit', () => {
    scenario.one(carol, { price: 900_000, size: 100 });
    expect(orderResults(scenario.oracle(900_000))).toEqual([
      '5 filled',
      '3 filled',
      '2 cancelled siblingFilled',
    ]);
  });

  test('a fired take-profit that the book fills cancels the stop', () => {
    scenario.oracle(1_100_000);
    const buy = (size: number): string[] => {
      const orders = [order({ price: 1_100_000, size })];
      return orderResults(act(scenario, carol, { type: 'placeOrders', orders }));
    };
    expect(buy(40)).toEqual(['2 open 60', '5 filled']);
    expect(buy(60)).toEqual(['2 filled', '3 cancelled siblingFilled', '6 filled']);
  });

  test('a stop can close the position of a take-profit resting in the book', () => {
    scenario.oracle(1_100_000);
    scenario.one(carol, { price: 900_000, size: 100 });
    expect(orderResults(scenario.oracle(900_000))).toEqual([
      '5 filled',
      '2 cancelled reduceOnly',
      '3 filled',
    ]);
    expect(scenario.state.groups.all()).toEqual([]);
  });

  test('a partly filled stop keeps the take-profit, which is reduced when it fires', () => {
    scenario.one(carol, { price: 900_000, size: 30 });
    expect(orderResults(scenario.oracle(900_000))).toEqual(['5 filled', '3 open 70']);
    expect(orderResults(scenario.oracle(1_100_000))).toEqual(['2 open 70']);
    expect(triggerOrders(scenario.state, alice).map(({ order: each }) => each.orderId)).toEqual([
      3,
    ]);
  });

  test('a stop that fails keeps the take-profit', () => {
    act(scenario, alice, {
      type: 'placeOrders',
      orders: [order({ isBuy: false, price: 900_000, size: 100 })],
    });
    scenario.one(carol, { price: 900_000, size: 100 });
    // Alice has closed the position with another order, so the stop has no position to close.
    expect(scenario.position(alice)).toBe(0);
    expect(orderResults(scenario.oracle(900_000))).toEqual(['3 rejected reduceOnlyIncreases']);
    expect(triggerOrders(scenario.state, alice).map(({ order: each }) => each.orderId)).toEqual([
      2,
    ]);
  });
});

test('a block’s cancels take effect before siblings fire', () => {
  family();
  sell(100);
  scenario.one(carol, { price: 900_000, size: 100 });
  const result = scenario.block(sign(scenario, alice, { type: 'cancelAll' }), {
    type: 'pushOracle',
    prices: [{ instrumentId: PERP.instrumentId, oracle: 900_000 }],
    observedMs: scenario.nowMs as never,
  });
  // A block's cancels are executed before its triggers.
  expect(orderResults(result)).toEqual(['2 cancelled userCanceled', '3 cancelled userCanceled']);
});
