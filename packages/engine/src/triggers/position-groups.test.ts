import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { accountView, triggerOrders } from '../read/read.ts';
import { alice, bob, carol, order, Scenario } from '@oddlot/testing/engine/scenario';
import { act, checkRestarts, group, orderResults, waiting } from '@oddlot/testing/engine/waiting';

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

describe('R-grouping: attached orders close one position and end with it', () => {
  beforeEach(() => {
    scenario.one(bob, { isBuy: false, price: PRICE, size: 100 });
    scenario.one(alice, { price: PRICE, size: 100 });
  });
  const whole = [
    { ...takeProfit, size: 0 },
    { ...stopLoss, size: 0 },
  ];
  const positionOf = (): unknown => accountView(scenario.state, alice)?.positions[0]?.tpsl;

  test('attached orders require a position on the correct side', () => {
    const [entry] = group(scenario, carol, 'position', stopLoss).entries ?? [];
    expect(entry?.reject?.reason).toBe('reduceOnlyIncreases');
    const wrong = { ...stopLoss, isBuy: true };
    expect(group(scenario, alice, 'position', wrong).entries?.[0]?.reject?.reason).toBe(
      'reduceOnlyIncreases',
    );
  });

  test('attached orders are shown only with the position, with one entry per action', () => {
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

  test('an attached order without a size closes the whole position and cancels its sibling', () => {
    group(scenario, alice, 'position', ...whole);
    scenario.one(bob, { isBuy: false, price: PRICE, size: 50 });
    scenario.one(alice, { price: PRICE, size: 50 });
    scenario.one(carol, { price: 900_000, size: 150 });
    expect(orderResults(scenario.oracle(900_000))).toEqual([
      '7 filled',
      '4 filled',
      '3 cancelled siblingFilled',
    ]);
    expect(scenario.position(alice)).toBe(0);
  });

  test('an attached order with a size closes that part, limited to the position', () => {
    group(scenario, alice, 'position', { ...stopLoss, size: 40 });
    group(scenario, alice, 'position', { ...stopLoss, size: 90 });
    scenario.one(carol, { price: 900_000, size: 200 });
    expect(orderResults(scenario.oracle(900_000))).toEqual([
      '5 open 160',
      '3 filled',
      '5 open 100',
      '4 filled',
    ]);
    expect(scenario.position(alice)).toBe(0);
  });

  test('attached orders end when their owner closes the position', () => {
    group(scenario, alice, 'position', ...whole);
    scenario.one(carol, { price: PRICE, size: 100 });
    const orders = [order({ isBuy: false, price: PRICE, size: 100 })];
    expect(orderResults(act(scenario, alice, { type: 'placeOrders', orders }))).toEqual([
      '5 filled',
      '3 cancelled reduceOnly',
      '4 cancelled reduceOnly',
      '6 filled',
    ]);
  });

  test('attached orders end when the position is closed by a maker fill', () => {
    group(scenario, alice, 'position', ...whole);
    scenario.one(alice, { isBuy: false, price: PRICE, size: 100 });
    const orders = [order({ price: PRICE, size: 100 })];
    expect(orderResults(act(scenario, carol, { type: 'placeOrders', orders }))).toEqual([
      '5 filled',
      '3 cancelled reduceOnly',
      '4 cancelled reduceOnly',
      '6 filled',
    ]);
  });

  test('attached orders end when the position is reversed', () => {
    group(scenario, alice, 'position', ...whole);
    scenario.one(carol, { price: PRICE, size: 150 });
    scenario.one(alice, { isBuy: false, price: PRICE, size: 150 });
    expect(scenario.position(alice)).toBe(-50);
    expect(scenario.state.triggers.size).toBe(0);
  });

  test('attached orders stay when the position shrinks', () => {
    group(scenario, alice, 'position', ...whole);
    scenario.one(carol, { price: PRICE, size: 60 });
    scenario.one(alice, { isBuy: false, price: PRICE, size: 60 });
    expect(scenario.state.triggers.size).toBe(2);
  });

  test('a take-profit stays for the part of a position that its stop could not sell', () => {
    group(scenario, alice, 'position', ...whole);
    scenario.one(carol, { price: 900_000, size: 30 });
    expect(orderResults(scenario.oracle(900_000))).toEqual(['5 filled', '4 open 70']);
    expect(scenario.state.triggers.size).toBe(2);
    expect(orderResults(scenario.oracle(1_100_000))).toEqual(['3 open 70']);
    // The take-profit in the book is an open order; the position's entry includes only the stop,
    // which is retrying.
    expect(positionOf()).toMatchObject([
      { createdMs: scenario.nowMs, size: 0, takeProfit: undefined, stopLoss: { orderId: 4 } },
    ]);
    expect(
      orderResults(
        act(scenario, carol, {
          type: 'placeOrders',
          orders: [order({ price: 1_100_000, size: 70 })],
        }),
      ),
    ).toEqual(['3 filled', '4 cancelled siblingFilled', '6 filled']);
    expect(scenario.state.groups.all()).toEqual([]);
  });

  test('a fired take-profit and its stop end when their owner closes the position', () => {
    group(scenario, alice, 'position', ...whole);
    scenario.oracle(1_100_000);
    scenario.one(carol, { price: 1_090_000, size: 100 });
    const orders = [order({ isBuy: false, price: 1_090_000, size: 100 })];
    expect(orderResults(act(scenario, alice, { type: 'placeOrders', orders }))).toEqual([
      '5 filled',
      '3 cancelled reduceOnly',
      '4 cancelled reduceOnly',
      '6 filled',
    ]);
  });

  test('R-hedge: attached orders belong to one leg and end with it', () => {
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
    // This order closes the long leg.
    const orders = [order({ isBuy: false, price: PRICE, size: 100, reduceOnly: true })];
    expect(orderResults(act(scenario, alice, { type: 'placeOrders', orders }))).toEqual([
      '7 filled',
      '5 cancelled reduceOnly',
      '8 filled',
    ]);
    expect(scenario.state.triggers.all().map(({ orderId }) => orderId)).toEqual([6]);
  });
});
