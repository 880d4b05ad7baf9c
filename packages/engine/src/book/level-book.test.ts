import { expect, test } from 'vitest';

import { LevelBook } from './level-book.ts';
import { NONE, OrderPool, SIDE_BUY } from './order-pool.ts';

const INSTRUMENT = 3;

/**
 * Runs a table of operations, one per line. After `=>`, a line shows the side it changed, best
 * price first, as `price: id(size) id(size)` with `|` between levels. An order's rank is its id, so
 * a lower id was accepted earlier: at 1,000 ms times the id.
 * - `buy|sell <id> <size>@<price>`: places a new order
 * - `cancel <id>`: removes and releases the order
 * - `fill <id> <size>`: fills the order, and removes it when nothing is left
 * - `resize <id> <size>`: amends only the size
 * - `amend <id> <size>@<price> [notBefore <ms>]`: amends to another price
 */
function check(table: string): LevelBook {
  const pool = new OrderPool();
  const book = new LevelBook(pool, INSTRUMENT);
  for (const line of table.split('\n').map((each) => each.trim())) {
    if (line === '') continue;
    const [operation, expected] = line.split('=>').map((each) => each.trim());
    const isBuy = perform(book, pool, operation!.split(/\s+/));
    expect(`${operation} => ${show(book, pool, isBuy)}`).toBe(`${operation} => ${expected}`);
    book.checkConsistency();
    pool.checkConsistency();
  }
  return book;
}

function perform(book: LevelBook, pool: OrderPool, words: string[]): boolean {
  const [verb, idText, amount, , notBefore] = words;
  const id = Number(idText);
  const [size, price] = (amount ?? '').split('@').map(Number);
  if (verb === 'buy' || verb === 'sell') {
    place(book, pool, { id, isBuy: verb === 'buy', price: price!, size: size! });
    return verb === 'buy';
  }
  const slot = pool.find(id);
  const isBuy = (pool.flags[slot]! & SIDE_BUY) !== 0;
  if (verb === 'resize') book.resize(slot, size!);
  if (verb === 'fill') book.fill(slot, size!);
  if (verb === 'cancel' || pool.remaining[slot] === 0) {
    book.remove(slot);
    pool.release(slot);
  }
  if (verb === 'amend') {
    book.remove(slot);
    pool.price[slot] = price!;
    pool.remaining[slot] = size!;
    book.insert(slot, Number(notBefore ?? 0));
  }
  return isBuy;
}

function place(
  book: LevelBook,
  pool: OrderPool,
  order: { id: number; isBuy: boolean; price: number; size: number },
): number {
  const slot = pool.allocate(order.id);
  pool.instrument[slot] = INSTRUMENT;
  pool.price[slot] = order.price;
  pool.remaining[slot] = order.size;
  pool.rank[slot] = order.id;
  pool.acceptedMs[slot] = 1_000 * order.id;
  pool.flags[slot] = order.isBuy ? SIDE_BUY : 0;
  book.insert(slot);
  return slot;
}

function show(book: LevelBook, pool: OrderPool, isBuy: boolean): string {
  const levels = new Map<number, string>();
  book.forEachSlot(isBuy, (slot) => {
    const price = pool.price[slot]!;
    const order = `${pool.orderId[slot]}(${pool.remaining[slot]})`;
    levels.set(price, `${levels.get(price) ?? `${price}:`} ${order}`);
  });
  return [...levels.values()].join(' | ') || 'empty';
}

test('the better price trades first, then the earlier order', () => {
  check(`
    buy  1 5@100  => 100: 1(5)
    buy  2 6@101  => 101: 2(6) | 100: 1(5)
    buy  3 7@100  => 101: 2(6) | 100: 1(5) 3(7)
    buy  4 8@99   => 101: 2(6) | 100: 1(5) 3(7) | 99: 4(8)
    sell 5 5@105  => 105: 5(5)
    sell 6 6@104  => 104: 6(6) | 105: 5(5)
    sell 7 7@105  => 104: 6(6) | 105: 5(5) 7(7)
    sell 8 8@106  => 104: 6(6) | 105: 5(5) 7(7) | 106: 8(8)
  `);
});

test('a level is removed with its last order and is empty when reopened', () => {
  check(`
    sell 1 5@100  => 100: 1(5)
    sell 2 6@101  => 100: 1(5) | 101: 2(6)
    sell 3 7@102  => 100: 1(5) | 101: 2(6) | 102: 3(7)
    cancel 2      => 100: 1(5) | 102: 3(7)
    cancel 1      => 102: 3(7)
    fill 3 2      => 102: 3(5)
    fill 3 5      => empty
    sell 4 1@101  => 101: 4(1)
  `);
});

test('the first, a middle or the last order can leave a level’s queue', () => {
  check(`
    buy 1 1@50  => 50: 1(1)
    buy 2 1@50  => 50: 1(1) 2(1)
    buy 3 1@50  => 50: 1(1) 2(1) 3(1)
    buy 4 1@50  => 50: 1(1) 2(1) 3(1) 4(1)
    cancel 2    => 50: 1(1) 3(1) 4(1)
    cancel 4    => 50: 1(1) 3(1)
    cancel 1    => 50: 3(1)
    buy 5 1@50  => 50: 3(1) 5(1)
  `);
});

test('an order keeps its queue position when its size changes in either direction', () => {
  check(`
    buy 1 5@100   => 100: 1(5)
    buy 2 5@100   => 100: 1(5) 2(5)
    resize 1 2    => 100: 1(2) 2(5)
    resize 1 50   => 100: 1(50) 2(5)
  `);
});

test('an order amended to another price is queued by its acceptance time', () => {
  check(`
    sell 1 1@100    => 100: 1(1)
    sell 2 2@101    => 100: 1(1) | 101: 2(2)
    sell 3 3@101    => 100: 1(1) | 101: 2(2) 3(3)
    sell 4 4@100    => 100: 1(1) 4(4) | 101: 2(2) 3(3)
    amend 3 3@100   => 100: 1(1) 3(3) 4(4) | 101: 2(2)
    amend 1 9@101   => 100: 3(3) 4(4) | 101: 1(9) 2(2)
    amend 4 4@101   => 100: 3(3) | 101: 1(9) 2(2) 4(4)
  `);
});

test('an amended order is queued as if accepted no earlier than the given time', () => {
  check(`
    buy 1 1@90                     => 90: 1(1)
    buy 2 1@80                     => 90: 1(1) | 80: 2(1)
    buy 5 1@100                    => 100: 5(1) | 90: 1(1) | 80: 2(1)
    buy 7 1@100                    => 100: 5(1) 7(1) | 90: 1(1) | 80: 2(1)
    buy 9 1@100                    => 100: 5(1) 7(1) 9(1) | 90: 1(1) | 80: 2(1)
    amend 2 1@100 notBefore 6000   => 100: 5(1) 2(1) 7(1) 9(1) | 90: 1(1)
    amend 1 1@100 notBefore 8000   => 100: 5(1) 2(1) 7(1) 1(1) 9(1)
    amend 7 1@90  notBefore 6000   => 100: 5(1) 2(1) 1(1) 9(1) | 90: 7(1)
    amend 7 1@100 notBefore 6500   => 100: 5(1) 2(1) 7(1) 1(1) 9(1)
  `);
});

test('levels are summed, counted and limited to the requested number', () => {
  const book = check(`
    buy 1 5@100  => 100: 1(5)
    buy 2 6@99   => 100: 1(5) | 99: 2(6)
    buy 3 7@100  => 100: 1(5) 3(7) | 99: 2(6)
    fill 1 4     => 100: 1(1) 3(7) | 99: 2(6)
    resize 2 60  => 100: 1(1) 3(7) | 99: 2(60)
  `);
  const levels = [
    { price: 100, size: 8, count: 2 },
    { price: 99, size: 60, count: 1 },
  ];
  expect(book.levels(true, 10)).toEqual(levels);
  expect(book.levels(true, 1)).toEqual(levels.slice(0, 1));
  expect(book.levels(true, 0)).toEqual([]);
  expect(book.levels(false, 10)).toEqual([]);
  expect(book.totalSize(true)).toBe(68);
  expect(book.totalSize(false)).toBe(0);
  expect(book.orderCount).toBe(3);
});

test('an order crosses at the best opposite price and beyond it', () => {
  const empty = check('');
  expect(empty.bestPrice(true)).toBe(0);
  expect(empty.best(false)).toBe(NONE);
  expect(empty.crosses(true, 1)).toBe(false);
  expect(empty.crosses(false, 1)).toBe(false);
  const book = check(`
    buy  1 1@99   => 99: 1(1)
    sell 2 1@101  => 101: 2(1)
  `);
  expect([100, 101, 102].map((price) => book.crosses(true, price))).toEqual([false, true, true]);
  expect([100, 99, 98].map((price) => book.crosses(false, price))).toEqual([false, true, true]);
  expect([book.bestPrice(true), book.bestPrice(false)]).toEqual([99, 101]);
});

test('iterating over a side visits its orders in trading order', () => {
  const pool = new OrderPool();
  const book = new LevelBook(pool, INSTRUMENT);
  const prices = [100, 102, 100, 101, 102];
  prices.forEach((price, at) => place(book, pool, { id: at + 1, isBuy: false, price, size: 1 }));
  const ids: number[] = [];
  for (let slot = book.best(false); slot !== NONE; slot = book.next(slot)) {
    ids.push(pool.orderId[slot]!);
    if (ids.length > prices.length) break;
  }
  expect(ids).toEqual([1, 3, 4, 2, 5]);
});

test('each change increments the version of a book, and reads do not', () => {
  const pool = new OrderPool();
  const book = new LevelBook(pool, INSTRUMENT);
  expect(book.version).toBe(0);
  const slot = place(book, pool, { id: 1, isBuy: true, price: 10, size: 5 });
  expect(book.version).toBe(1);
  book.fill(slot, 1);
  expect(book.version).toBe(2);
  book.resize(slot, 9);
  expect(book.version).toBe(3);
  book.levels(true, 5);
  book.next(slot);
  book.checkConsistency();
  expect(book.version).toBe(3);
  book.remove(slot);
  expect(book.version).toBe(4);
});

test('a book grows to many levels, both near the best price and far from it', () => {
  const pool = new OrderPool(1);
  const book = new LevelBook(pool, INSTRUMENT);
  const count = 500;
  for (let at = 0; at < count; at += 1) {
    // 7 and 500 are coprime, so every price occurs once, in a scattered order.
    const price = 1 + ((7 * at) % count);
    place(book, pool, { id: 2 * at, isBuy: true, price, size: 1 });
    place(book, pool, { id: 2 * at + 1, isBuy: false, price: price + count, size: 2 });
  }
  book.checkConsistency();
  expect(book.levels(true, count).map((level) => level.price)).toEqual(descending(count));
  expect(book.bestPrice(false)).toBe(count + 1);
  expect(book.totalSize(false)).toBe(2 * count);
  for (let id = 0; id < 2 * count; id += 1) {
    const slot = pool.find((id * 3) % (2 * count));
    if (slot === NONE) continue;
    book.remove(slot);
    pool.release(slot);
    if (id % 50 === 0) book.checkConsistency();
  }
  expect(book.orderCount).toBe(0);
  expect(pool.size).toBe(0);
  book.checkConsistency();
});

const descending = (count: number): number[] =>
  Array.from({ length: count }, (_, at) => count - at);

test('prices far apart stay in order, up to the highest price', () => {
  const pool = new OrderPool();
  const book = new LevelBook(pool, INSTRUMENT);
  const prices = [2 ** 34 - 1, 9_000_000_000, 2 ** 31, 100, 99, 8, 7, 1];
  for (const [at, price] of prices.entries()) {
    place(book, pool, { id: 2 * at, isBuy: true, price, size: 1 });
    place(book, pool, { id: 2 * at + 1, isBuy: false, price, size: 1 });
  }
  book.checkConsistency();
  expect(book.levels(true, 10).map(({ price }) => price)).toEqual(prices);
  expect(book.levels(false, 10).map(({ price }) => price)).toEqual(prices.toReversed());
});

test('books that share a pool keep separate orders', () => {
  const pool = new OrderPool();
  const book = new LevelBook(pool, INSTRUMENT);
  const other = new LevelBook(pool, INSTRUMENT + 1);
  const slot = place(book, pool, { id: 1, isBuy: true, price: 10, size: 5 });
  expect(other.best(true)).toBe(NONE);
  expect(() => other.remove(slot)).toThrow('rests in this book');
  expect(() => other.insert(slot)).toThrow('rests once');
  expect(() => place(other, pool, { id: 2, isBuy: true, price: 10, size: 5 })).toThrow(
    'of this instrument',
  );
});

test('incorrect calls to a book stop the process', () => {
  const pool = new OrderPool();
  const book = new LevelBook(pool, INSTRUMENT);
  const put = (id: number, price: number, size: number): number =>
    place(book, pool, { id, isBuy: true, price, size });
  const slot = put(1, 10, 5);
  expect(() => book.insert(slot)).toThrow('rests once');
  expect(() => book.insert(NONE)).toThrow('rests once');
  expect(() => book.fill(slot, 6)).toThrow('at most');
  expect(() => book.fill(slot, 0)).toThrow('has a size');
  expect(() => book.resize(slot, 0)).toThrow('not resized');
  expect(() => put(2, 0, 5)).toThrow('positive count');
  expect(() => put(6, 2 ** 34, 5)).toThrow('positive count');
  expect(() => put(7, 10.5, 5)).toThrow('positive count');
  expect(() => put(3, 10, 0)).toThrow('something is left');
  expect(() => put(4, 10, 0.5)).toThrow('something is left');
  expect(() => put(5, 10, Number.MAX_SAFE_INTEGER)).toThrow('exact');
  expect(() => book.remove(NONE)).toThrow('rests in this book');
});

test('the consistency check finds a filled order that was left in the book', () => {
  const pool = new OrderPool();
  const book = new LevelBook(pool, INSTRUMENT);
  book.fill(place(book, pool, { id: 1, isBuy: true, price: 10, size: 5 }), 5);
  expect(() => book.checkConsistency()).toThrow('something left');
});
