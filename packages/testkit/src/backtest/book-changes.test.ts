import { expect, test } from 'vitest';
import { bookChanges } from './crowd.ts';

const order = (orderId: number, isBuy: boolean, price: number, remaining: number) => {
  return { orderId, isBuy, price, remaining };
};

test('book changes remove the newest orders first and add missing size at the back of the queue', () => {
  const old = order(1, true, 100, 5);
  const young = order(2, true, 100, 4);
  const alone = order(3, false, 101, 2);
  const over = order(4, false, 103, 2);
  const changes = bookChanges([young, over, alone, old], {
    bids: [
      { price: 100, size: 3 },
      { price: 99, size: 7 },
    ],
    asks: [{ price: 101, size: 6 }],
  });
  expect(changes).toEqual({
    cancelled: [young, over],
    lowered: [{ order: old, remaining: 3 }],
    missing: [
      { isBuy: true, price: 99, size: 7 },
      { isBuy: false, price: 101, size: 4 },
    ],
  });
});

test('book changes merge two levels with the same price and ignore a level of size zero', () => {
  const levels = [
    { price: 100, size: 2 },
    { price: 100, size: 1 },
    { price: 98, size: 0 },
  ];
  const { missing } = bookChanges([order(1, true, 100, 1)], { bids: levels, asks: [] });
  expect(missing).toEqual([{ isBuy: true, price: 100, size: 2 }]);
});
