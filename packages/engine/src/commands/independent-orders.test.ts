import { afterEach, beforeEach, expect, test } from 'vitest';
import type { PlaceOrdersCommand } from '../messages/command.ts';
import { openOrders } from '../read/read.ts';
import { alice, order, type OrderShape, Scenario } from '@oddlot/testing/engine/scenario';
import { act, checkRestarts, sign } from '@oddlot/testing/engine/waiting';
import { checkCommand } from './commands.ts';

const GOOD: OrderShape = { price: 900_000, size: 20 };
const OFF_TICK: OrderShape = { ...GOOD, price: 900_000.5 };
const SMALL: OrderShape = { ...GOOD, size: 1 };
const REDUCING: OrderShape = { ...GOOD, reduceOnly: true };
let scenario: Scenario;

beforeEach(() => {
  scenario = Scenario.open();
});
afterEach(() => {
  checkRestarts(scenario);
});

function command(...shapes: readonly OrderShape[]): Omit<PlaceOrdersCommand, 'authority'> {
  return { type: 'placeOrders', orders: shapes.map(order), areIndependent: true };
}

function checked(given: Omit<PlaceOrdersCommand, 'authority'>) {
  return checkCommand(scenario.state, sign(scenario, alice, given), scenario.state.timeMs);
}

test.each<[string, OrderShape, string]>([
  ['a price off the tick', OFF_TICK, 'priceOffTick'],
  ['a small value', SMALL, 'valueBelowMin'],
  ['nothing to reduce', REDUCING, 'reduceOnlyIncreases'],
])('R-independent: an order with %s does not affect the others', (_, bad, reason) => {
  const given = command(bad, GOOD, bad);
  expect(checked(given).reject).toBeUndefined();
  const { entries } = act(scenario, alice, given).outcomes[0]!;
  expect(entries?.map(({ reject, state }) => reject?.reason ?? state)).toEqual([
    reason,
    'open',
    reason,
  ]);
  expect(openOrders(scenario.state, alice)).toHaveLength(1);
  const { areIndependent: _flag, ...dependent } = given;
  expect(checked(dependent)).toMatchObject({ reject: { reason }, rejectIndex: 0 });
});

test('R-independent: an action in which no order would succeed is rejected with the first reason', () => {
  expect(checked(command(SMALL, OFF_TICK))).toMatchObject({
    reject: { reason: 'valueBelowMin' },
    rejectIndex: 0,
  });
});
