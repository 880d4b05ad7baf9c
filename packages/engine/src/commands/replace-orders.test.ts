import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { CommandResult } from '../messages/block.ts';
import type { OrderTarget, PlaceOrdersCommand } from '../messages/command.ts';
import { findOrder, openOrders } from '../read/read.ts';
import { alice, bob, order, type OrderShape, Scenario } from '@oddlot/testing/engine/scenario';
import { act, checkRestarts, sign, orderResults, waiting } from '@oddlot/testing/engine/waiting';
import { checkCommand } from './commands.ts';

const PRICE = 1_000_000;
const GOOD = { price: 910_000, size: 20 };
const CLOID = `0x${'ab'.repeat(16)}`;
let scenario: Scenario;

beforeEach(() => {
  scenario = Scenario.open();
});
afterEach(() => {
  checkRestarts(scenario);
});

type Replacement = readonly [OrderTarget, PlaceOrdersCommand['orders'][number]];

function command(...replacements: readonly Replacement[]) {
  return {
    type: 'placeOrders',
    orders: replacements.map(([, each]) => each),
    replaces: replacements.map(([target]) => target),
  } as const;
}

function replace(...replacements: readonly Replacement[]): CommandResult {
  return act(scenario, alice, command(...replacements)).outcomes[0] ?? {};
}

const byId = (orderId: number, shape: OrderShape): Replacement => [{ orderId }, order(shape)];
const resting = (shape: Partial<OrderShape> = {}) =>
  scenario.one(alice, { price: 900_000, size: 100, ...shape });

describe('R-replace: an order can replace a live order', () => {
  test('a replacement cancels the live order and gets a new id', () => {
    resting();
    const change = byId(1, { price: 910_000, size: 70, isBuy: false });
    const lines = orderResults(act(scenario, alice, command(change)));
    expect(lines).toEqual(['1 cancelled userCanceled', '2 open 70']);
    expect(openOrders(scenario.state, alice)).toMatchObject([{ orderId: 2, isBuy: false }]);
  });

  test('a replacement can reuse the client order id of the order it replaces, and identify that order by it', () => {
    resting({ clientOrderId: CLOID });
    const target = { clientOrderId: CLOID };
    const next = order({ price: 910_000, size: 100, clientOrderId: CLOID });
    expect(replace([target, next]).entries).toMatchObject([{ orderId: 2, state: 'open' }]);
    expect(replace([target, next]).entries).toMatchObject([{ orderId: 3, state: 'open' }]);
  });

  test('a replacement can use the margin and the share of the position that the old order used', () => {
    scenario.one(bob, { isBuy: false, price: PRICE, size: 50 });
    scenario.one(alice, { price: PRICE, size: 50 });
    const stop: OrderShape = { isBuy: false, reduceOnly: true, size: 50, price: 1_010_000 };
    scenario.one(alice, stop);
    const change = byId(3, { ...stop, price: 1_020_000 });
    expect(replace(change).entries).toMatchObject([{ orderId: 4, state: 'open' }]);
  });

  test('a waiting trigger order can be replaced by a trigger order or by another order', () => {
    scenario.place(alice, waiting({ price: 800_000 }));
    const moved = waiting({ price: 790_000 });
    expect(replace([{ orderId: 1 }, moved]).entries).toMatchObject([{ orderId: 2, state: 'open' }]);
    const limit = byId(2, { price: 900_000, size: 20 });
    expect(replace(limit).entries).toMatchObject([{ orderId: 3, state: 'open' }]);
  });

  test('the replacements in an action are independent of each other', () => {
    resting();
    resting();
    const entries = replace(
      byId(1, { price: 910_000, size: 20 }),
      byId(1, { price: 920_000, size: 20 }),
      byId(2, { price: 930_000, size: 20 }),
    ).entries;
    expect(entries?.map(({ reject, state }) => reject?.reason ?? state)).toEqual([
      'open',
      'orderNotLive',
      'open',
    ]);
  });

  test('a replacement that is itself invalid leaves the old order unchanged', () => {
    resting();
    for (const shape of [{ price: 910_000.5 }, { size: 0 }, { price: 0 }, { size: 1 }]) {
      const bad = byId(1, { price: 910_000, size: 10, ...shape });
      expect(replace(bad).entries?.[0]?.state ?? 'rejected').toBe('rejected');
      expect(findOrder(scenario.state, 1)).toMatchObject({ remaining: 100 });
    }
  });

  test('a replacement rejected because of the venue’s state has already cancelled the old order', () => {
    resting();
    scenario.one(bob, { isBuy: false, price: PRICE, size: 50 });
    const crossing = byId(1, { price: PRICE, size: 50, timeInForce: 'alo' });
    expect(replace(crossing).entries?.[0]?.reject?.reason).toBe('postOnlyWouldTrade');
    expect(openOrders(scenario.state, alice)).toEqual([]);
  });
});

describe('R-replace: admission anticipates the result of replacements', () => {
  const reason = (given: object) =>
    checkCommand(scenario.state, sign(scenario, alice, given as never), scenario.state.timeMs);

  test.each<[string, object, string]>([
    ['an order that is not live', command(byId(9, { price: 900_000, size: 20 })), 'orderNotLive'],
    ['an order of another account', command(byId(2, { price: 900_000, size: 20 })), 'orderNotLive'],
    ['a price off the tick', command(byId(1, { price: 900_000.5, size: 20 })), 'priceOffTick'],
    ['a group', { ...command(byId(1, GOOD)), grouping: 'position' }, 'groupingInvalid'],
    ['fewer targets than orders', { ...command(byId(1, GOOD)), replaces: [] }, 'groupingInvalid'],
  ])('admission rejects replacements: %s', (_, given, expected) => {
    resting();
    scenario.one(bob, { price: 900_000, size: 20 });
    expect(reason(given).reject?.reason).toBe(expected);
  });

  test('an action is admitted if one of its replacements would succeed', () => {
    resting();
    const given = command(byId(9, GOOD), byId(1, GOOD));
    expect(reason(given).reject).toBeUndefined();
  });

  test('a replacement is admitted if all it needs is what the old order uses', () => {
    resting({ clientOrderId: CLOID });
    const next = order({ price: 910_000, size: 100, clientOrderId: CLOID });
    expect(reason(command([{ orderId: 1 }, next])).reject).toBeUndefined();
  });
});
