import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { accountView, triggerOrders } from '../read/read.ts';
import { alice, bob, carol, order, Scenario } from '@oddlot/testing/engine/scenario';
import { act, checkRestarts, group, story, waiting } from '@oddlot/testing/engine/waiting';

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

describe('R-grouping: what hangs on a position', () => {
  beforeEach(() => {
    scenario.one(bob, { isBuy: false, price: PRICE, size: 100 });
    scenario.one(alice, { price: PRICE, size: 100 });
  });
  const whole = [
    { ...takeProfit, size: 0 },
    { ...stopLoss, size: 0 },
  ];
  const positionOf = (): unknown => accountView(scenario.state, alice)?.positions[0]?.tpsl;

  test('needs a position on the right side', () => {
    const [entry] = group(scenario, carol, 'position', stopLoss).entries ?? [];
    expect(entry?.reject?.reason).toBe('reduceOnlyIncreases');
    const wrong = { ...stopLoss, isBuy: true };
    expect(group(scenario, alice, 'position', wrong).entries?.[0]?.reject?.reason).toBe(
      'reduceOnlyIncreases',
    );
  });

  test('shows with the position, one entry an action, and nowhere else', () => {
    group(scenario, alice, 'position', ...whole);
    group(scenario, alice, 'position', { ...stopLoss, size: 40 });
    const createdMs = scenario.nowMs;
    const stop = { triggerPrice: 900_000, isMarket: true, price: 900_000 };
    expect(positionOf()).toEqual([
      {
        createdMs,
        size: 0,
        takeProfit: { orderId: 3, triggerPrice: 1_100_000, isMarket: false, price: 1_100_000 },
        stopLoss: { orderId: 4, ...stop },
      },
      { createdMs, size: 40, takeProfit: undefined, stopLoss: { orderId: 5, ...stop } },
    ]);
    expect(triggerOrders(scenario.state, alice)).toEqual([]);
  });

  test('without a size it takes the whole position as it is then, and its sibling goes', () => {
    group(scenario, alice, 'position', ...whole);
    scenario.one(bob, { isBuy: false, price: PRICE, size: 50 });
    scenario.one(alice, { price: PRICE, size: 50 });
    scenario.one(carol, { price: 900_000, size: 150 });
    expect(story(scenario.oracle(900_000))).toEqual([
      '7 filled',
      '4 filled',
      '3 cancelled siblingFilled',
    ]);
    expect(scenario.position(alice)).toBe(0);
  });

  test('with a size it takes that part, clipped to the position', () => {
    group(scenario, alice, 'position', { ...stopLoss, size: 40 });
    group(scenario, alice, 'position', { ...stopLoss, size: 90 });
    scenario.one(carol, { price: 900_000, size: 200 });
    expect(story(scenario.oracle(900_000))).toEqual([
      '5 open 160',
      '3 filled',
      '5 open 100',
      '4 filled',
    ]);
    expect(scenario.position(alice)).toBe(0);
  });

  test('dies with the position: closed by hand', () => {
    group(scenario, alice, 'position', ...whole);
    scenario.one(carol, { price: PRICE, size: 100 });
    const orders = [order({ isBuy: false, price: PRICE, size: 100 })];
    expect(story(act(scenario, alice, { type: 'placeOrders', orders }))).toEqual([
      '5 filled',
      '3 cancelled reduceOnly',
      '4 cancelled reduceOnly',
      '6 filled',
    ]);
  });

  test('dies with the position: closed as a maker', () => {
    group(scenario, alice, 'position', ...whole);
    scenario.one(alice, { isBuy: false, price: PRICE, size: 100 });
    const orders = [order({ price: PRICE, size: 100 })];
    expect(story(act(scenario, carol, { type: 'placeOrders', orders }))).toEqual([
      '5 filled',
      '3 cancelled reduceOnly',
      '4 cancelled reduceOnly',
      '6 filled',
    ]);
  });

  test('dies with the position: flipped', () => {
    group(scenario, alice, 'position', ...whole);
    scenario.one(carol, { price: PRICE, size: 150 });
    scenario.one(alice, { isBuy: false, price: PRICE, size: 150 });
    expect(scenario.position(alice)).toBe(-50);
    expect(scenario.state.triggers.size).toBe(0);
  });

  test('survives a position that shrinks', () => {
    group(scenario, alice, 'position', ...whole);
    scenario.one(carol, { price: PRICE, size: 60 });
    scenario.one(alice, { isBuy: false, price: PRICE, size: 60 });
    expect(scenario.state.triggers.size).toBe(2);
  });

  test('a part that its stop could not sell keeps the take-profit', () => {
    group(scenario, alice, 'position', ...whole);
    scenario.one(carol, { price: 900_000, size: 30 });
    expect(story(scenario.oracle(900_000))).toEqual(['5 filled', '4 open 70']);
    expect(scenario.state.triggers.size).toBe(2);
    expect(story(scenario.oracle(1_100_000))).toEqual(['3 open 70']);
    // In the book it is an open order; the position's entry has the stop alone, which tries on.
    expect(positionOf()).toMatchObject([
      { createdMs: scenario.nowMs, size: 0, takeProfit: undefined, stopLoss: { orderId: 4 } },
    ]);
    expect(
      story(
        act(scenario, carol, {
          type: 'placeOrders',
          orders: [order({ price: 1_100_000, size: 70 })],
        }),
      ),
    ).toEqual(['3 filled', '4 cancelled siblingFilled', '6 filled']);
    expect(scenario.state.groups.all()).toEqual([]);
  });

  test('a fired take-profit and its sleeping stop go when the position is closed by hand', () => {
    group(scenario, alice, 'position', ...whole);
    scenario.oracle(1_100_000);
    scenario.one(carol, { price: 1_090_000, size: 100 });
    const orders = [order({ isBuy: false, price: 1_090_000, size: 100 })];
    expect(story(act(scenario, alice, { type: 'placeOrders', orders }))).toEqual([
      '5 filled',
      '3 cancelled reduceOnly',
      '4 cancelled reduceOnly',
      '6 filled',
    ]);
  });

  test('R-hedge: hangs on the leg that it names and dies with that one alone', () => {
    scenario = Scenario.open();
    act(scenario, alice, { type: 'updatePositionMode', mode: 'hedge' });
    scenario.one(bob, { isBuy: false, price: PRICE, size: 100 });
    scenario.one(alice, { price: PRICE, size: 100 });
    scenario.one(bob, { price: PRICE, size: 100 });
    scenario.one(alice, { isBuy: false, price: PRICE, size: 100 });
    group(scenario, alice, 'position', stopLoss);
    const short = waiting({ price: 1_200_000 }, { isBuy: true, size: 0 });
    group(scenario, alice, 'position', short);
    scenario.one(carol, { price: PRICE, size: 100 });
    // Closes the long leg.
    const orders = [order({ isBuy: false, price: PRICE, size: 100, reduceOnly: true })];
    expect(story(act(scenario, alice, { type: 'placeOrders', orders }))).toEqual([
      '7 filled',
      '5 cancelled reduceOnly',
      '8 filled',
    ]);
    expect(scenario.state.triggers.all().map(({ orderId }) => orderId)).toEqual([6]);
  });
});
