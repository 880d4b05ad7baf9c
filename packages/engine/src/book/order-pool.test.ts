import fc from 'fast-check';
import { expect, test } from 'vitest';

import { emptyOwnList, NONE, OrderPool } from './order-pool.ts';

const RUNS = Number(process.env['FUZZ_RUNS'] ?? 120);

function fieldsOf(pool: OrderPool): Float64Array[] {
  const arrays = Object.values(pool).filter((field) => ArrayBuffer.isView(field));
  return (arrays as Float64Array[]).filter(
    (each) => each !== pool.floats && !Object.is(each, pool.ints),
  );
}

test('an order is found under its id until it is released', () => {
  const pool = new OrderPool();
  const slot = pool.allocate(7);
  expect(pool.find(7)).toBe(slot);
  expect(pool.find(8)).toBe(NONE);
  expect(pool.size).toBe(1);
  pool.release(slot);
  expect(pool.find(7)).toBe(NONE);
  expect(pool.size).toBe(0);
});

test('a released slot is reused for an order that is not in any list', () => {
  const pool = new OrderPool();
  const list = emptyOwnList();
  const slot = pool.allocate(1);
  pool.ownAppend(list, slot);
  pool.clientOrderIds.set(slot, 'mine');
  pool.ownRemove(list, slot);
  pool.release(slot);

  expect(pool.allocate(2)).toBe(slot);
  expect(pool.orderId[slot]).toBe(2);
  for (const link of [pool.level, pool.ownNext, pool.ownPrev]) expect(link[slot]).toBe(NONE);
  expect(pool.clientOrderIds.size).toBe(0);
});

test('each field has its own position in memory', () => {
  const pool = new OrderPool();
  const slots = [pool.allocate(1), pool.allocate(2)];
  const fields = fieldsOf(pool);
  expect(fields).toHaveLength(20);
  const places = slots.flatMap((slot) => fields.map((field, at) => ({ field, slot, at })));
  for (const { field, slot, at } of places) field[slot] = 100 * slot + at;
  for (const { field, slot, at } of places) expect(field[slot]).toBe(100 * slot + at);
});

test('reserving capacity keeps the existing orders and accepts new ones', () => {
  const pool = new OrderPool(2);
  const first = pool.allocate(1);
  pool.price[first] = 100;
  pool.reserve(100);
  const { capacity } = pool;
  expect(capacity).toBeGreaterThanOrEqual(100);
  pool.reserve(5);
  for (let id = 2; id <= 100; id += 1) pool.price[pool.allocate(id)] = 100 * id;
  expect(pool.capacity).toBe(capacity);
  for (let id = 1; id <= 100; id += 1) expect(pool.price[pool.find(id)]).toBe(100 * id);
});

test('the pool grows by doubling and keeps every field of every order', () => {
  const pool = new OrderPool(2);
  const count = 37;
  for (let id = 0; id < count; id += 1) {
    const slot = pool.allocate(id);
    for (const field of fieldsOf(pool)) {
      if (field !== pool.orderId) field[slot] = id;
    }
  }
  expect(pool.capacity).toBe(64);
  for (let id = 0; id < count; id += 1) {
    for (const field of fieldsOf(pool)) expect(field[pool.find(id)]).toBe(id);
  }
});

test('ids beyond 32 bits with the same low half are distinct', () => {
  const pool = new OrderPool();
  const ids = [5, 5 + 2 ** 32, 5 + 2 ** 33, 5 + 2 ** 40, Number.MAX_SAFE_INTEGER, 0];
  const slots = ids.map((id) => pool.allocate(id));
  expect(ids.map((id) => pool.find(id))).toEqual(slots);
  expect(pool.find(5 + 2 ** 34)).toBe(NONE);
});

test('incorrect calls to the pool stop the process', () => {
  const pool = new OrderPool();
  const slot = pool.allocate(1);
  expect(() => pool.allocate(1)).toThrow('used once');
  expect(() => pool.allocate(-1)).toThrow('a count');
  expect(() => pool.allocate(0.5)).toThrow('a count');
  expect(() => pool.release(NONE)).toThrow('live order');
  expect(() => pool.release(500)).toThrow('live order');
  pool.level[slot] = 0;
  expect(() => pool.release(slot)).toThrow('in no book');
  pool.level[slot] = NONE;
  pool.release(slot);
  expect(() => pool.release(slot)).toThrow('live order');
  pool.checkConsistency();
});

test('an owner’s list keeps its insertion order when orders are removed', () => {
  const pool = new OrderPool();
  const list = emptyOwnList();
  const slots = [1, 2, 3, 4].map((id) => pool.allocate(id));
  const ids = (): number[] => {
    const found: number[] = [];
    for (let slot = list.head; slot !== NONE; slot = pool.ownNext[slot]!) {
      found.push(pool.orderId[slot]!);
    }
    return found;
  };
  for (const slot of slots) pool.ownAppend(list, slot);
  expect(() => pool.release(slots[1]!)).toThrow('list of its owner');
  expect(() => pool.ownRemove(emptyOwnList(), slots[0]!)).toThrow('of the list');
  pool.ownRemove(list, slots[1]!);
  expect(ids()).toEqual([1, 3, 4]);
  pool.ownRemove(list, slots[0]!);
  pool.ownRemove(list, slots[3]!);
  expect(ids()).toEqual([3]);
  expect(list).toEqual({ head: slots[2], tail: slots[2], count: 1 });
  pool.ownAppend(list, slots[0]!);
  expect(ids()).toEqual([3, 1]);
  pool.ownRemove(list, slots[0]!);
  pool.ownRemove(list, slots[2]!);
  expect(list).toEqual(emptyOwnList());
});

/**
 * Compares the pool with a `Map`. Ids come from a small range, so that both halves of their 53 bits
 * repeat. Removals refer to the n-th live order, so that failures can shrink.
 */
test('the pool finds the same orders as a Map, through growth and deletion', () => {
  const id = fc.tuple(fc.integer({ min: 0, max: 300 }), fc.constantFrom(0, 2 ** 32, 2 ** 52));
  const step = fc.oneof(
    { weight: 3, arbitrary: id.map(([low, high]) => ({ add: low + high })) },
    { weight: 2, arbitrary: fc.nat(400).map((nth) => ({ releaseNth: nth })) },
  );
  const property = fc.property(
    fc.array(step, { maxLength: 600, size: 'max' }),
    fc.integer(),
    (steps, salt) => {
      const pool = new OrderPool(4, salt);
      const model = new Map<number, number>();
      for (const each of steps) {
        if ('add' in each) {
          if (model.has(each.add)) continue;
          const slot = pool.allocate(each.add);
          expect([...model.values()]).not.toContain(slot);
          model.set(each.add, slot);
        } else if (model.size > 0) {
          const orderId = [...model.keys()][each.releaseNth % model.size]!;
          pool.release(model.get(orderId)!);
          model.delete(orderId);
          expect(pool.find(orderId)).toBe(NONE);
        }
        expect(pool.size).toBe(model.size);
      }
      for (const [orderId, slot] of model) expect(pool.find(orderId)).toBe(slot);
      for (let low = 0; low <= 300; low += 1) expect(pool.find(low)).toBe(model.get(low) ?? NONE);
      pool.checkConsistency();
    },
  );
  fc.assert(property, { numRuns: RUNS });
});

test('a fork has its own orders and those of its origin, and never changes the origin', () => {
  const pool = new OrderPool(2);
  const list = emptyOwnList();
  for (const id of [1, 2, 3]) {
    const slot = pool.allocate(id);
    pool.price[slot] = 100 * id;
    pool.clientOrderIds.set(slot, `order ${id}`);
    pool.ownAppend(list, slot);
  }
  const fork = pool.fork();
  const forked = { ...list };
  fork.needList(forked);
  const second = fork.find(2);
  fork.ownRemove(forked, second);
  fork.release(second);
  // These orders exceed the capacity, so the fork has to grow.
  for (let id = 10; id < 2_010; id += 1) fork.price[fork.allocate(id)] = id;

  expect([fork.size, pool.size]).toEqual([2_002, 3]);
  expect(fork.price[fork.find(3)]).toBe(300);
  expect(fork.price[fork.find(2_009)]).toBe(2_009);
  expect(fork.find(2)).toBe(NONE);
  expect([...fork.clientOrderIds.values()]).toEqual(['order 1', 'order 3']);
  expect(fork.ownNext[fork.find(1)]).toBe(fork.find(3));
  fork.checkConsistency();

  expect(pool.find(10)).toBe(NONE);
  expect(pool.price[pool.find(2)]).toBe(200);
  expect(pool.clientOrderIds.size).toBe(3);
  expect(list.count).toBe(3);
  pool.checkConsistency();
});

test('a fork becomes invalid when the next one is created, and cannot be forked itself', () => {
  const pool = new OrderPool();
  pool.allocate(1);
  const first = pool.fork();
  first.find(1);
  const second = pool.fork();
  expect(() => first.find(1)).toThrow('a fork is used until the next one is made');
  expect(second.orderId[second.find(1)]).toBe(1);
  expect(() => second.fork()).toThrow('a fork is not forked again');
});
