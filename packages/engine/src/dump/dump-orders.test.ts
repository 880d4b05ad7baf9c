import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { State } from '../state/state.ts';
import { alice, bob, order, Scenario } from '@oddlot/testing/engine/scenario';
import { dump, dumpPacked, restore } from './dump.ts';
import { dumpOrderBlocks, narrowColumn, ordersOfBlocks } from './dump-orders.ts';

const COUNT = 30;
const IN_A_BLOCK = 7;

const nameOf = (count: number): string => `0x${count.toString(16).padStart(32, '0')}`;

/** Returns orders from two accounts at a few prices; every third order has a client order id. */
function manyOrders(): Scenario {
  const scenario = Scenario.open();
  for (let count = 0; count < COUNT; count += 1) {
    const shape = { price: 900_000 + 100 * (count % 4), size: 20 };
    const named = count % 3 === 0 ? { ...shape, clientOrderId: nameOf(count) } : shape;
    scenario.place(count % 2 === 0 ? alice : bob, order(named));
  }
  return scenario;
}

function queueOf({ perps, pool }: State): number[] {
  const ids: number[] = [];
  perps.get(1)!.book.forEachSlot(true, (slot) => ids.push(pool.orderId[slot]!));
  return ids;
}

test('blocks contain every order once, sorted by id, in the narrowest columns', () => {
  const { state } = manyOrders();
  const rows = dump(state).orders;
  const blocks = [...dumpOrderBlocks(state, IN_A_BLOCK)];
  expect(blocks.map(({ orderId }) => orderId.length)).toEqual([7, 7, 7, 7, 2]);
  expect(blocks[0]).toMatchObject({
    flags: expect.any(Uint8Array),
    price: expect.any(Uint32Array),
    acceptedMs: expect.any(Float64Array),
    reserves: [],
  });
  const stored = ordersOfBlocks(blocks);
  expect(stored.count).toBe(rows.length);
  for (const [row, [orderId, , , , , price]] of rows.entries()) {
    const clientOrderId = row % 3 === 0 ? nameOf(row) : null;
    expect(stored.at(row)).toMatchObject({ orderId, price, clientOrderId, reserve: '0' });
    expect(stored.rankOf(row)).toBe(stored.at(row).rank);
  }
});

test('a venue without orders has no order blocks', () => {
  const { state } = Scenario.open();
  expect([...dumpOrderBlocks(state)]).toEqual([]);
  expect(restore(dumpPacked(state)).pool.size).toBe(0);
});

test('orders are restored to their queue positions, whatever order they are stored in', () => {
  const { state } = manyOrders();
  const orders = [...dumpOrderBlocks(state, IN_A_BLOCK)];
  // All blocks except the last have equal lengths.
  const turned = [...orders.slice(0, -1).toReversed(), ...orders.slice(-1)];
  for (const each of [orders, turned]) {
    const copy = restore({ ...dumpPacked(state), orders: each });
    expect(queueOf(copy)).toEqual(queueOf(state));
    expect(JSON.stringify(dump(copy))).toBe(JSON.stringify(dump(state)));
  }
});

test.each([
  [[], Uint8Array],
  [[0, 255], Uint8Array],
  [[256, 1], Uint16Array],
  [[65_535], Uint16Array],
  [[65_536], Uint32Array],
  [[2 ** 32 - 1], Uint32Array],
  [[2 ** 32], Float64Array],
  [[1, -1], Float64Array],
  [[-0], Float64Array],
  [[0.5], Float64Array],
])('the values %j are stored in the narrowest column type', (values, form) => {
  expect(narrowColumn(Float64Array.from(values))).toBeInstanceOf(form);
});

test('every number is restored exactly', () => {
  const number = fc.oneof(fc.nat(300), fc.nat(70_000), fc.maxSafeNat(), fc.double());
  const property = fc.property(fc.array(number), (values) => {
    const column = narrowColumn(Float64Array.from(values));
    expect(values.every((value, row) => Object.is(column[row], value))).toBe(true);
    expect(column).toHaveLength(values.length);
  });
  fc.assert(property);
});
