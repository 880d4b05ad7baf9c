import fc from 'fast-check';
import { expect, test } from 'vitest';

import { LevelBook } from './level-book.ts';
import { NONE, OrderPool, SIDE_BUY } from './order-pool.ts';
import { ReferenceBook } from './reference-book.ts';

/**
 * The number of random histories. Random steps run on the level book and on the flat reference
 * book, and all observable results are compared after each step. A step refers to "the n-th live
 * order" instead of an id, so that a failure shrinks to a few steps. Few prices make long queues
 * and short-lived levels; a wide range of prices makes the index move and grow, and the widest
 * range gives each level its own block. Time often does not advance, so that ties are broken by
 * rank.
 */
const RUNS = Number(process.env['FUZZ_RUNS'] ?? 50);
const INSTRUMENT = 3;

type Step =
  | { kind: 'add'; isBuy: boolean; price: number; size: number; afterMs: number }
  | { kind: 'cancel'; nth: number }
  | { kind: 'fill'; nth: number; part: number }
  | { kind: 'resize'; nth: number; size: number }
  | { kind: 'reprice'; nth: number; price: number; size: number; lookBackMs: number };

const nth = fc.nat(60);
const size = fc.integer({ min: 1, max: 9 });

function steps(priceMax: number, lengthMax: number): fc.Arbitrary<Step[]> {
  const price = fc.integer({ min: 1, max: priceMax });
  const kind = <K extends string>(name: K) => fc.constant(name);
  const lookBackMs = fc.nat(8);
  const step = fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({
        kind: kind('add'),
        isBuy: fc.boolean(),
        price,
        size,
        afterMs: fc.nat(2),
      }),
    },
    { weight: 2, arbitrary: fc.record({ kind: kind('cancel'), nth }) },
    { weight: 2, arbitrary: fc.record({ kind: kind('fill'), nth, part: fc.nat(8) }) },
    { weight: 1, arbitrary: fc.record({ kind: kind('resize'), nth, size }) },
    {
      weight: 2,
      arbitrary: fc.record({ kind: kind('reprice'), nth, price, size, lookBackMs }),
    },
  );
  return fc.array(step, { minLength: 1, maxLength: lengthMax, size: 'max' });
}

class Pair {
  readonly pool: OrderPool;
  readonly book: LevelBook;
  readonly reference: ReferenceBook;
  readonly live: number[];
  #nextId: number;
  #nowMs: number;

  /**
   * Creates a pair of books, or a fork of `origin`: the pool and the book are forked, and
   * everything else is copied.
   */
  constructor(origin?: Pair) {
    this.pool = origin?.pool.fork() ?? new OrderPool(1);
    this.book = origin?.book.fork(this.pool) ?? new LevelBook(this.pool, INSTRUMENT);
    this.reference = origin?.reference.copy() ?? new ReferenceBook();
    this.live = [...(origin?.live ?? [])];
    this.#nextId = origin === undefined ? 1 : origin.#nextId;
    this.#nowMs = origin === undefined ? 0 : origin.#nowMs;
  }

  run(step: Step): number {
    if (step.kind === 'add') return this.#add(step);
    if (this.live.length === 0) return 0;
    const at = step.nth % this.live.length;
    const id = this.live[at]!;
    const slot = this.pool.find(id);
    if (step.kind === 'cancel') return this.#cancel(at, slot);
    if (step.kind === 'resize') {
      this.book.resize(slot, step.size);
      this.reference.resize(id, step.size);
      return 1;
    }
    if (step.kind === 'fill') {
      const left = this.reference.get(id).size;
      const part = Math.min(left, step.part + 1);
      this.book.fill(slot, part);
      this.reference.fill(id, part);
      return part === left ? 1 + this.#cancel(at, slot) : 1;
    }
    return this.#reprice(id, slot, step);
  }

  #add(step: Step & { kind: 'add' }): number {
    const { isBuy, price, afterMs } = step;
    const { pool } = this;
    this.#nowMs += afterMs;
    const id = this.#nextId;
    this.#nextId += 1;
    const slot = pool.allocate(id);
    pool.instrument[slot] = INSTRUMENT;
    pool.price[slot] = price;
    pool.remaining[slot] = step.size;
    pool.rank[slot] = id;
    pool.acceptedMs[slot] = this.#nowMs;
    pool.flags[slot] = isBuy ? SIDE_BUY : 0;
    this.book.insert(slot);
    const queueMs = this.#nowMs;
    this.reference.add({ orderId: id, isBuy, price, size: step.size, rank: id, queueMs });
    this.live.push(id);
    return 1;
  }

  #cancel(at: number, slot: number): number {
    this.book.remove(slot);
    this.pool.release(slot);
    this.reference.remove(this.live[at]!);
    this.live.splice(at, 1);
    return 1;
  }

  #reprice(id: number, slot: number, step: Step & { kind: 'reprice' }): number {
    const { price, lookBackMs } = step;
    const notBeforeMs = this.#nowMs - lookBackMs;
    const { isBuy, rank } = this.reference.get(id);
    const queueMs = Math.max(this.pool.acceptedMs[slot]!, notBeforeMs);
    this.book.remove(slot);
    this.pool.price[slot] = price;
    this.pool.remaining[slot] = step.size;
    this.book.insert(slot, notBeforeMs);
    this.reference.remove(id);
    this.reference.add({ orderId: id, isBuy, price, size: step.size, rank, queueMs });
    return 2;
  }
}

function compare({ book, pool, reference, live }: Pair, probes: number[]): void {
  // This check comes first and the loop below is bounded, so that a broken link fails the test
  // instead of causing an endless loop.
  book.checkConsistency();
  pool.checkConsistency();
  for (const isBuy of [true, false]) {
    const expected = reference.priority(isBuy);
    const visited: number[] = [];
    book.forEachSlot(isBuy, (slot) => visited.push(pool.orderId[slot]!));
    expect(visited).toEqual(expected);
    const walked: number[] = [];
    for (let slot = book.best(isBuy); slot !== NONE; slot = book.next(slot)) {
      walked.push(pool.orderId[slot]!);
      if (walked.length > expected.length) break;
    }
    expect(walked).toEqual(expected);
    expect(walked[0]).toBe(reference.best(isBuy));
    const levels = reference.levels(isBuy, Infinity);
    expect(book.levels(isBuy, Infinity)).toEqual(levels);
    expect(book.levels(isBuy, 2)).toEqual(reference.levels(isBuy, 2));
    expect(book.bestPrice(isBuy)).toBe(levels[0]?.price ?? 0);
    expect(book.bestSize(isBuy)).toBe(levels[0]?.size ?? 0);
    expect(book.totalSize(isBuy)).toBe(levels.reduce((sum, level) => sum + level.size, 0));
    for (const price of probes) {
      expect(book.crosses(isBuy, price)).toBe(reference.crosses(isBuy, price));
    }
  }
  const ahead = live.map((id) => reference.aheadOf(id));
  const slots = live.map((id) => pool.find(id));
  expect(slots.map((slot) => book.aheadOf(slot, live.length))).toEqual(ahead);
  // With a smaller limit, the result must be either correct or undefined.
  const near = slots.map((slot) => book.aheadOf(slot, 1));
  expect(near.map((each, at) => each ?? ahead[at])).toEqual(ahead);
  expect(book.orderCount).toBe(live.length);
}

test.each([
  { priceMax: 6, lengthMax: 80, runs: RUNS },
  { priceMax: 400, lengthMax: 160, runs: Math.ceil(RUNS * 0.25) },
  { priceMax: 9_000_000_000, lengthMax: 160, runs: Math.ceil(RUNS * 0.25) },
])(
  'the level book matches the reference book for prices up to $priceMax',
  ({ priceMax, lengthMax, runs }) => {
    const probe = fc.integer({ min: 1, max: priceMax });
    const probes = fc.array(probe, { minLength: 6, maxLength: 6 });
    const property = fc.property(steps(priceMax, lengthMax), probes, (sequence, prices) => {
      const pair = new Pair();
      for (const step of sequence) {
        const before = pair.book.version;
        const changes = pair.run(step);
        expect(pair.book.version - before).toBe(changes);
        compare(pair, prices);
      }
    });
    fc.assert(property, { numRuns: runs });
  },
);

test('a fork of a book changes independently of its origin', () => {
  const property = fc.property(
    steps(6, 60),
    fc.array(steps(6, 12), { maxLength: 4 }),
    (first, forks) => {
      const pair = new Pair();
      for (const step of first) pair.run(step);
      // Each fork reuses the memory of the previous one.
      for (const sequence of forks) {
        const fork = new Pair(pair);
        for (const step of sequence) fork.run(step);
        compare(fork, [1, 3, 6]);
        compare(pair, [1, 3, 6]);
        pair.run(sequence[0]!);
      }
    },
  );
  fc.assert(property, { numRuns: RUNS });
});
