import { timeMs } from '@oddlot/units';
import { describe, expect, test } from 'vitest';
import { DueQueue } from '../collections/heap.ts';
import type { OrderUpdated } from '../messages/event.ts';
import { findOrder } from '../read/read.ts';
import { alice, bob, type OrderShape, Scenario } from '@oddlot/testing/engine/scenario';

const PRICE = 1_000_000;

/** Returns a buy that expires this many milliseconds from now. */
function gtd(scenario: Scenario, ms: number, shape: Partial<OrderShape> = {}): OrderShape {
  const expireMs = timeMs(scenario.nowMs + ms);
  return { price: PRICE, size: 20, timeInForce: 'gtd', expireMs, ...shape };
}

describe('R-tif: a gtd order rests until it expires', () => {
  test('a gtd order needs an expiry at least 5 s ahead', () => {
    const scenario = Scenario.open();
    const minMs = scenario.nowMs + 5_000;
    const soon = scenario.one(alice, gtd(scenario, 4_999));
    expect(soon.reject).toEqual({ reason: 'expiryTooSoon', minMs });
    const none = scenario.one(alice, { price: PRICE, size: 20, timeInForce: 'gtd' });
    expect(none.reject?.reason).toBe('expiryTooSoon');
    expect(scenario.one(alice, gtd(scenario, 5_000)).state).toBe('open');
  });

  test('a gtd order rests until consensus time reaches its expiry', () => {
    const scenario = Scenario.open();
    const { orderId } = scenario.one(alice, gtd(scenario, 10_000));
    scenario.wait(9_999);
    scenario.block();
    expect(findOrder(scenario.state, orderId!)).toBeDefined();
    scenario.wait(1);
    const { events } = scenario.block();
    const [expired] = events;
    expect(expired).toMatchObject({
      commandIndex: -1,
      status: 'cancelled',
      cancelCause: 'expired',
    });
    expect(scenario.account(alice).margin.initial).toBe(0n);
  });

  test('R-order-of-events: a gtd order expires before the commands in the block that reaches its expiry', () => {
    const scenario = Scenario.open();
    scenario.one(alice, gtd(scenario, 10_000));
    scenario.wait(10_000);
    const entry = scenario.one(bob, { isBuy: false, price: PRICE, size: 20, timeInForce: 'ioc' });
    expect(entry).toMatchObject({ state: 'cancelled', filled: 0 });
  });

  test('an expired gtd order keeps its fills', () => {
    const scenario = Scenario.open();
    const { orderId } = scenario.one(alice, gtd(scenario, 10_000));
    scenario.one(bob, { isBuy: false, price: PRICE, size: 12 });
    scenario.wait(60_000);
    const { events } = scenario.block();
    const expired = events.find((event): event is OrderUpdated => event.type === 'orderUpdated');
    expect(expired?.order).toMatchObject({ orderId, remaining: 8, filled: 12, original: 20 });
    expect(scenario.position(alice)).toBe(12);
  });

  test('a gtd order that has already been filled or cancelled does not expire', () => {
    const scenario = Scenario.open();
    const filled = scenario.one(alice, gtd(scenario, 10_000));
    scenario.one(bob, { isBuy: false, price: PRICE, size: 20 });
    const cancelled = scenario.one(alice, gtd(scenario, 10_000));
    scenario.cancel(alice, cancelled.orderId!);
    scenario.wait(10_000);
    expect(scenario.block().events.filter(({ type }) => type === 'orderUpdated')).toEqual([]);
    expect(filled.orderId).toBe(1);
  });

  test('gtd orders that expire in the same block are ordered by due time and order id', () => {
    const scenario = Scenario.open();
    const due = [9_000, 8_000, 9_000, 7_000, 8_000].map(
      (ms) => scenario.one(alice, gtd(scenario, ms, { price: 900_000 })).orderId!,
    );
    scenario.wait(20_000);
    const ended = scenario
      .block()
      .events.filter((event): event is OrderUpdated => event.type === 'orderUpdated')
      .map((event) => event.order.orderId);
    expect(ended).toEqual([due[3], due[1], due[4], due[0], due[2]]);
  });

  test('the expiry time is ignored if an order is not gtd', () => {
    const scenario = Scenario.open();
    const expireMs = timeMs(scenario.nowMs + 1);
    const { orderId } = scenario.one(alice, { price: PRICE, size: 20, expireMs });
    scenario.wait(10_000);
    scenario.block();
    expect(findOrder(scenario.state, orderId!)).toMatchObject({ expireMs: undefined });
  });
});

test('the due queue returns due entries ordered by time and id, and drops stale ones', () => {
  const queue = new DueQueue();
  for (const [dueMs, orderId] of [
    [5, 9],
    [3, 4],
    [5, 1],
    [4, 7],
    [3, 2],
  ] as const) {
    queue.push(dueMs, orderId);
  }
  expect(queue.popDue(2)).toBeUndefined();
  expect([queue.popDue(4), queue.popDue(4)]).toEqual([2, 4]);
  queue.retain((orderId) => orderId !== 7);
  expect(queue.size).toBe(2);
  expect([queue.popDue(9), queue.popDue(9), queue.popDue(9)]).toEqual([1, 9, undefined]);
});

test('stale entries do not accumulate in the expiry queue', () => {
  const scenario = Scenario.open();
  scenario.checks = false;
  for (let i = 0; i < 3_000; i++) {
    const { orderId } = scenario.one(alice, gtd(scenario, 86_400_000));
    scenario.cancel(alice, orderId!);
  }
  expect(scenario.state.expiries.size).toBeLessThan(1_100);
});
