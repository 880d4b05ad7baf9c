import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { childOrders, triggerOrders } from '../read/read.ts';
import { alice, bob, carol, order, PERP, Scenario } from '@oddlot/testing/engine/scenario';
import { act, checkRestarts, group, sign, story, waiting } from '@oddlot/testing/engine/waiting';

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

/** Alice bids 100 lots at 100 as order 1, with a take-profit 2 and a stop-loss 3. */
function family(shape: Partial<Parameters<typeof order>[0]> = {}): void {
  const parent = order({ price: PRICE, size: 100, ...shape });
  expect(group(scenario, alice, 'normal', parent, takeProfit, stopLoss).reject).toBeUndefined();
}

function sell(size: number, price = PRICE): ReturnType<typeof act> {
  const orders = [order({ isBuy: false, price, size, timeInForce: 'ioc' })];
  return act(scenario, bob, { type: 'placeOrders', orders });
}

describe('R-grouping: valid groups', () => {
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
  ] as const)('%s: rejected as a whole (%#)', (grouping, orders) => {
    const outcome = group(scenario, alice, grouping, ...orders);
    expect(outcome.reject?.reason).toBe('groupingInvalid');
    expect(outcome.entries).toBeUndefined();
  });
});

describe('R-grouping: a parent and its children', () => {
  test('children wait behind a parent that rests', () => {
    family();
    expect(childOrders(scenario.state, 1).map(({ orderId }) => orderId)).toEqual([2, 3]);
    expect(triggerOrders(scenario.state, alice)).toEqual([]);
    expect(story(scenario.oracle(1_100_000))).toEqual([]);
  });

  test('filled as a maker, in parts: they become active with the first part and grow with it', () => {
    family();
    expect(story(sell(40))).toEqual(['1 open 60', '2 open 40', '3 open 40', '4 filled']);
    expect(childOrders(scenario.state, 1)).toEqual([]);
    expect(triggerOrders(scenario.state, alice)).toHaveLength(2);
    expect(story(sell(60))).toEqual(['1 filled', '2 open 100', '3 open 100', '5 filled']);
    expect(triggerOrders(scenario.state, alice).map(({ order: { orderId } }) => orderId)).toEqual([
      3, 2,
    ]);
    expect(story(scenario.oracle(1_100_000))).toEqual(['2 open 100']);
  });

  test('filled as a taker: they wait for their price from the start', () => {
    scenario.one(bob, { isBuy: false, price: PRICE, size: 100 });
    const parent = order({ price: PRICE, size: 100 });
    const { entries } = group(scenario, alice, 'normal', parent, takeProfit, stopLoss);
    expect(entries?.map(({ state }) => state)).toEqual(['filled', 'open', 'open']);
    expect(triggerOrders(scenario.state, alice)).toHaveLength(2);
  });

  test('the size of a child is at most the filled size of its parent', () => {
    const parent = order({ price: PRICE, size: 100 });
    group(scenario, alice, 'normal', parent, { ...takeProfit, size: 400 });
    expect(story(sell(100))).toEqual(['1 filled', '2 open 100', '3 filled']);
  });

  test('filled in part as a taker, then as a maker: they grow with it', () => {
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
    // The stop has a size of 50 and does not change with later fills.
    expect(story(sell(30))).toEqual(['2 open 30', '3 open 70', '4 open 50', '5 filled']);
    expect(story(sell(30))).toEqual(['2 filled', '3 open 100', '6 filled']);
  });

  test('an amend that crosses activates them too', () => {
    family({ price: 990_000 });
    scenario.one(bob, { isBuy: false, price: PRICE, size: 40 });
    const { instrumentId } = PERP;
    const amend = { instrumentId, target: { orderId: 1 }, price: PRICE, size: 100 } as const;
    const result = act(scenario, alice, { type: 'modifyOrder', ...amend });
    expect(story(result)).toEqual(['4 filled', '1 open 60', '2 open 40', '3 open 40']);
  });

  test('a child that fires first cancels the rest of its parent', () => {
    family();
    sell(40);
    scenario.one(carol, { price: 895_000, size: 100 });
    expect(story(scenario.oracle(900_000))).toEqual([
      '1 cancelled siblingFilled',
      '5 open 60',
      '3 filled',
      '2 cancelled siblingFilled',
    ]);
    expect(scenario.position(alice)).toBe(0);
    expect(scenario.account(alice).liveOrders).toBe(0);
  });

  test('an Ioc parent that fills in part leaves them for its filled size', () => {
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

  test('an Ioc parent that fills nothing cancels them', () => {
    const parent = order({ price: PRICE, size: 100, timeInForce: 'ioc' });
    const { entries } = group(scenario, alice, 'normal', parent, takeProfit, stopLoss);
    expect(entries?.map(({ state }) => state)).toEqual(['cancelled', 'cancelled', 'cancelled']);
  });

  test('a rejected parent cancels them, each with an id', () => {
    const parent = order({ price: PRICE, size: 50_000_000 });
    const result = act(scenario, alice, {
      type: 'placeOrders',
      orders: [parent, takeProfit, { ...stopLoss, size: 0 }],
      grouping: 'normal',
    });
    expect(story(result)).toEqual([
      '1 rejected positionLimit',
      '2 cancelled parentCanceled',
      '3 rejected sizeBelowMin',
    ]);
  });

  test('cancelled by its owner: they stay for its filled size, and are cancelled without one', () => {
    family();
    sell(40);
    const cancels = [{ instrumentId: PERP.instrumentId, orderId: 1 }];
    expect(story(act(scenario, alice, { type: 'cancelOrders', cancels }))).toEqual([
      '1 cancelled userCanceled',
    ]);
    expect(triggerOrders(scenario.state, alice).map(({ order: each }) => each.remaining)).toEqual([
      40, 40,
    ]);
    family();
    cancels[0]!.orderId = 5;
    expect(story(act(scenario, alice, { type: 'cancelOrders', cancels }))).toEqual([
      '5 cancelled userCanceled',
      '6 cancelled parentCanceled',
      '7 cancelled parentCanceled',
    ]);
  });

  test('expired: they are cancelled with it', () => {
    family({ timeInForce: 'gtd', expireMs: (scenario.nowMs + 6_000) as never });
    scenario.wait(6_000);
    expect(story(scenario.block())).toEqual([
      '1 cancelled expired',
      '2 cancelled parentCanceled',
      '3 cancelled parentCanceled',
    ]);
  });

  test('a self-trade: they are cancelled with it', () => {
    family();
    const orders = [order({ isBuy: false, price: PRICE, size: 100, timeInForce: 'ioc' })];
    expect(story(act(scenario, alice, { type: 'placeOrders', orders }))).toEqual([
      '1 cancelled selfTrade',
      '2 cancelled parentCanceled',
      '3 cancelled parentCanceled',
      '4 cancelled iocRemainder',
    ]);
  });

  test('a maker cancelled for margin after a part: they stay for its filled size', () => {
    // 5.2 covers 100 lots at 20×. 40 lots at 100 are worth 2.4 at 93; the rest would need 4.65.
    scenario = Scenario.open({ accounts: [bob, carol] });
    scenario.fund(alice, 5_200_000);
    family();
    sell(40);
    scenario.oracle(930_000);
    expect(story(sell(60))).toEqual(['1 cancelled marginCanceled', '5 cancelled iocRemainder']);
    expect(scenario.state.triggers.size).toBe(2);
  });

  test('a child that its owner cancels ends; the other stays behind the parent', () => {
    family();
    scenario.cancel(alice, 2);
    expect(story(sell(100))).toEqual(['1 filled', '3 open 100', '4 filled']);
    scenario.cancel(alice, 3);
    expect(scenario.state.groups.all()).toEqual([]);
  });

  test('both children cancelled: the parent remains alone', () => {
    family();
    scenario.cancel(alice, 2, 3);
    expect(scenario.state.groups.all()).toEqual([]);
    expect(story(sell(100))).toEqual(['1 filled', '4 filled']);
  });

  test('a trigger parent: children are listed behind it and wait while it waits or rests', () => {
    const parent = waiting(
      { kind: 'takeProfit', price: 950_000, isMarket: false },
      { isBuy: true, reduceOnly: false },
    );
    group(scenario, alice, 'normal', parent, takeProfit, stopLoss);
    const [view] = triggerOrders(scenario.state, alice);
    expect(view?.order.orderId).toBe(1);
    expect(view?.children.map(({ orderId }) => orderId)).toEqual([2, 3]);
    expect(story(scenario.oracle(950_000))).toEqual(['1 open 100']);
    expect(childOrders(scenario.state, 1)).toHaveLength(2);
    expect(story(sell(100, 950_000))).toEqual(['1 filled', '2 open 100', '3 open 100', '4 filled']);
  });

  test('a trigger parent that fails when it fires, or is cancelled, cancels them', () => {
    const parent = waiting({ kind: 'takeProfit', price: 950_000 }, { isBuy: true });
    group(scenario, alice, 'normal', parent, takeProfit);
    group(scenario, alice, 'normal', parent, stopLoss);
    scenario.cancel(alice, 3);
    expect(scenario.state.triggers.find(4)).toBeUndefined();
    expect(story(scenario.oracle(950_000))).toEqual([
      '1 rejected reduceOnlyIncreases',
      '2 cancelled parentCanceled',
    ]);
  });

  test('both due in the pass after the parent filled: the first closes the position and cancels its sibling', () => {
    const early = waiting({ kind: 'takeProfit', price: 990_000 });
    const trigger = waiting({ price: 1_010_000 });
    const parent = order({ price: PRICE, size: 100 });
    group(scenario, alice, 'normal', parent, early, trigger);
    scenario.one(carol, { price: 990_000, size: 100 });
    sell(100);
    expect(story(scenario.block())).toEqual(['4 filled', '2 filled', '3 cancelled siblingFilled']);
    expect(scenario.position(alice)).toBe(0);
  });

  test('both due, the first fills in part: the sibling fires for the rest', () => {
    const early = waiting({ kind: 'takeProfit', price: 990_000 });
    const trigger = waiting({ price: 1_010_000 });
    group(scenario, alice, 'normal', order({ price: PRICE, size: 100 }), early, trigger);
    sell(100);
    // 30 lots fill the first; the other finds none. Both retry.
    scenario.one(carol, { price: 990_000, size: 30, timeInForce: 'alo' });
    expect(scenario.position(alice)).toBe(70);
    expect(scenario.state.groups.all()).toHaveLength(1);
    scenario.one(carol, { price: 990_000, size: 100, timeInForce: 'alo' });
    scenario.wait(1_000);
    expect(story(scenario.block())).toEqual(['6 open 30', '2 filled', '3 cancelled siblingFilled']);
  });
});

describe('R-trigger: one cancels the other', () => {
  beforeEach(() => {
    family();
    sell(100);
  });

  test('a stop that fills in full cancels a take-profit that waits', () => {
    scenario.one(carol, { price: 900_000, size: 100 });
    expect(story(scenario.oracle(900_000))).toEqual([
      '5 filled',
      '3 filled',
      '2 cancelled siblingFilled',
    ]);
  });

  test('a take-profit that fired and is filled in the book cancels the stop', () => {
    scenario.oracle(1_100_000);
    const buy = (size: number): string[] => {
      const orders = [order({ price: 1_100_000, size })];
      return story(act(scenario, carol, { type: 'placeOrders', orders }));
    };
    expect(buy(40)).toEqual(['2 open 60', '5 filled']);
    expect(buy(60)).toEqual(['2 filled', '3 cancelled siblingFilled', '6 filled']);
  });

  test('the stop closes the position of a take-profit that rests in the book', () => {
    scenario.oracle(1_100_000);
    scenario.one(carol, { price: 900_000, size: 100 });
    expect(story(scenario.oracle(900_000))).toEqual([
      '5 filled',
      '2 cancelled reduceOnly',
      '3 filled',
    ]);
    expect(scenario.state.groups.all()).toEqual([]);
  });

  test('a stop that fills in part leaves the take-profit, which is cut when it fires', () => {
    scenario.one(carol, { price: 900_000, size: 30 });
    expect(story(scenario.oracle(900_000))).toEqual(['5 filled', '3 open 70']);
    expect(story(scenario.oracle(1_100_000))).toEqual(['2 open 70']);
    expect(triggerOrders(scenario.state, alice).map(({ order: each }) => each.orderId)).toEqual([
      3,
    ]);
  });

  test('a stop that fails leaves the take-profit', () => {
    act(scenario, alice, {
      type: 'placeOrders',
      orders: [order({ isBuy: false, price: 900_000, size: 100 })],
    });
    scenario.one(carol, { price: 900_000, size: 100 });
    // Alice has closed manually: the stop has no position.
    expect(scenario.position(alice)).toBe(0);
    expect(story(scenario.oracle(900_000))).toEqual(['3 rejected reduceOnlyIncreases']);
    expect(triggerOrders(scenario.state, alice).map(({ order: each }) => each.orderId)).toEqual([
      2,
    ]);
  });
});

test('an OCO race in one block: the first by class and trigger order wins', () => {
  family();
  sell(100);
  scenario.one(carol, { price: 900_000, size: 100 });
  const result = scenario.block(sign(scenario, alice, { type: 'cancelAll' }), {
    type: 'pushOracle',
    prices: [{ instrumentId: PERP.instrumentId, oracle: 900_000 }],
    observedMs: scenario.nowMs as never,
  });
  // The cancels of a block come before its triggers.
  expect(story(result)).toEqual(['2 cancelled userCanceled', '3 cancelled userCanceled']);
});
