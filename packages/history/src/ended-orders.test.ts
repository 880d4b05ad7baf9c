import type { BlockResult, EngineEvent, OrderStatus } from '@oddlot/engine';
import { address } from '@oddlot/units';
import { expect, test } from 'vitest';
import { EndedOrders } from './receipts.ts';

const alice = address(`0x${'a1'.repeat(20)}`);
const bob = address(`0x${'b0'.repeat(20)}`);
const CLOID = '0x000102030405060708090a0b0c0d0e0f';
const instrumentId = 3;

function updated(orderId: number, status: OrderStatus, clientOrderId?: string): EngineEvent {
  const order = {
    orderId,
    account: alice,
    instrumentId,
    clientOrderId,
    filled: 2,
    filledNotional: 7,
  };
  return { type: 'orderUpdated', commandIndex: 0, status, order } as unknown as EngineEvent;
}

function ended(ordersMax: number, ...events: EngineEvent[]): EndedOrders {
  const orders = new EndedOrders(ordersMax);
  orders.onBlock({ result: { events } as unknown as BlockResult });
  return orders;
}

const filled = { orderId: 5, clientOrderId: CLOID, state: 'filled', filled: 2, filledNotional: 7 };

test('an ended order is found by order id or client order id, but only for its owner and instrument', () => {
  const orders = ended(9, updated(5, 'open', CLOID), updated(5, 'filled', CLOID));
  expect(orders.find(alice, { instrumentId, orderId: 5 })).toEqual(filled);
  const clientOrderId = CLOID.toUpperCase().replace('0X', '0x');
  expect(orders.find(alice, { instrumentId, clientOrderId })).toEqual(filled);
  expect(orders.find(bob, { instrumentId, orderId: 5 })).toBeUndefined();
  expect(orders.find(bob, { instrumentId, clientOrderId })).toBeUndefined();
  expect(orders.find(alice, { instrumentId: 4, orderId: 5 })).toBeUndefined();
  expect(orders.find(alice, { instrumentId, orderId: 6 })).toBeUndefined();
  orders.clear();
  expect(orders.find(alice, { instrumentId, orderId: 5 })).toBeUndefined();
});

test('a limited number of ended orders is kept, a client order id finds its newest order, and a restored copy is equal', () => {
  const events = [
    updated(1, 'cancelled', CLOID),
    updated(2, 'cancelled'),
    updated(5, 'filled', CLOID),
  ];
  const orders = ended(2, ...events);
  const copy = new EndedOrders(2);
  copy.restore(JSON.parse(JSON.stringify(orders.dump())));
  for (const each of [orders, copy]) {
    expect(each.find(alice, { instrumentId, orderId: 1 })).toBeUndefined();
    expect(each.find(alice, { instrumentId, orderId: 2 })).toMatchObject({ state: 'cancelled' });
    expect(each.find(alice, { instrumentId, clientOrderId: CLOID })).toEqual(filled);
    expect(each.dump()).toEqual(orders.dump());
  }
});
