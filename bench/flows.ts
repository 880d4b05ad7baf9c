import { readFileSync, writeFileSync } from 'node:fs';
import { LevelBook } from '../packages/engine/src/book/level-book.ts';
import { NONE, OrderPool, SIDE_BUY } from '../packages/engine/src/book/order-pool.ts';
import { createRandom } from './report.ts';

/**
 * The order flows that books are compared on. A flow is generated ahead and is the same for every
 * book: operations in columns, in segments of which some only bring the book back to its depth.
 *
 * A  60 % cancels, 40 % new orders of which 10 % cross; 1,000 levels, about 100,000 resting
 * B  98 % adds near the touch, 2 % sweeps of about 50 makers; 100 levels, about 10,000 resting
 * C  36 % cancels, 24 % amends, 40 % new orders of which 10 % cross; levels and depth as A
 * D  as A with 1,000 resting
 */
export const FLOWS = ['A', 'B', 'C', 'D'] as const;
export type FlowName = (typeof FLOWS)[number];

const PLACE = 0;
const CANCEL = 1;
/** Cancel and place again under the same id, at the end of the queue. */
const AMEND = 2;

/** A part of a flow; only the timed ones count. */
export type Segment = {
  readonly round: number;
  readonly from: number;
  readonly to: number;
  readonly isTimed: boolean;
};

/** Operations, a column a field. */
type Columns = {
  readonly kind: Int32Array;
  readonly id: Int32Array;
  readonly isBuy: Int32Array;
  readonly price: Int32Array;
  readonly size: Int32Array;
};

export type Flow = Columns & { readonly segments: readonly Segment[] };

/**
 * Writes a flow for the processes that run it: rows, segments, where each segment ends, the columns
 * one after the other, the rounds of the segments and whether they are timed, all of it as int32.
 */
export function writeFlow(file: string, flow: Flow): void {
  const { kind, id, isBuy, price, size, segments } = flow;
  const ends = segments.map(({ to }) => to);
  const rounds = segments.map(({ round }) => round);
  const timed = segments.map(({ isTimed }) => (isTimed ? 1 : 0));
  const head = Int32Array.of(kind.length, segments.length, ...ends);
  const parts = [head, kind, id, isBuy, price, size, Int32Array.of(...rounds, ...timed)];
  writeFileSync(file, Buffer.concat(parts.map((part) => Buffer.from(part.buffer))));
}

export function readFlow(file: string): Flow {
  const words = new Int32Array(Uint8Array.from(readFileSync(file)).buffer);
  const [rows = 0, count = 0] = words;
  const columnsAt = 2 + count;
  const column = (index: number): Int32Array =>
    words.slice(columnsAt + index * rows, columnsAt + (index + 1) * rows);
  const roundsAt = columnsAt + 5 * rows;
  const segments = Array.from({ length: count }, (_, index) => ({
    round: words[roundsAt + index]!,
    from: index === 0 ? 0 : words[1 + index]!,
    to: words[2 + index]!,
    isTimed: words[roundsAt + count + index] === 1,
  }));
  const [kind, id, isBuy, price, size] = [column(0), column(1), column(2), column(3), column(4)];
  return { kind, id, isBuy, price, size, segments };
}

/** Runs a part of a flow. */
export function runSegment(book: FlowBook, columns: Columns, { from, to }: Segment): void {
  const { kind, id, isBuy, price, size } = columns;
  for (let at = from; at < to; at++) {
    if (kind[at] === PLACE) book.place(id[at]!, isBuy[at] === 1, price[at]!, size[at]!);
    else if (kind[at] === CANCEL) book.cancel(id[at]!);
    else book.amend(id[at]!, isBuy[at] === 1, price[at]!, size[at]!);
  }
}

const MIDDLE = 1_000_000;
const SIZE_MAX = 100;
const SWEPT_MAKERS = 50;

type Shape = {
  readonly resting: number;
  readonly levelsPerSide: number;
  /** Chances in 100. */
  readonly cancel: number;
  readonly amend: number;
  /** Chances in 1,000 that a new order crosses, and how many makers it is meant for. */
  readonly cross: number;
  readonly makers: number;
};

const SHAPES: Readonly<Record<FlowName, Shape>> = {
  A: { resting: 100_000, levelsPerSide: 500, cancel: 60, amend: 0, cross: 100, makers: 1 },
  B: { resting: 10_000, levelsPerSide: 50, cancel: 0, amend: 0, cross: 20, makers: SWEPT_MAKERS },
  C: { resting: 100_000, levelsPerSide: 500, cancel: 36, amend: 24, cross: 100, makers: 1 },
  D: { resting: 1_000, levelsPerSide: 500, cancel: 60, amend: 0, cross: 100, makers: 1 },
};

export type FlowOptions = {
  readonly name: FlowName;
  readonly rounds: number;
  /** Timed operations of a round. */
  readonly operations: number;
  /** The part of the usual depth that rests. */
  readonly depthShare: number;
};

/** Generates a flow of some rounds: each fills the book up, untimed, and then runs timed. */
export function createFlow({ name, rounds, operations, depthShare }: FlowOptions): Flow {
  const shape = SHAPES[name];
  const resting = Math.max(50, Math.floor(shape.resting * depthShare));
  const maker = new FlowMaker(shape, name.charCodeAt(0));
  const segments: Segment[] = [];
  for (let round = 0; round < rounds; round++) {
    // Flows that cancel more than they add are cut so that the depth stays within a third.
    const parts = Math.ceil(operations / resting);
    for (let part = 0; part < parts; part++) {
      const filling = maker.length;
      while (maker.resting < resting) maker.rest();
      const from = maker.length;
      segments.push({ round, from: filling, to: from, isTimed: false });
      for (let count = 0; count < operations / parts; count++) maker.next();
      segments.push({ round, from, to: maker.length, isTimed: true });
    }
  }
  return { ...maker.columns(), segments };
}

/** Writes operations while it executes them, since only live orders are cancelled and amended. */
class FlowMaker {
  readonly #shape: Shape;
  readonly #random: { below: (limit: number) => number };
  readonly #rows: number[] = [];
  readonly #book = new PoolBook((id) => this.#gone(id));
  /** Ids of live orders in no order, and the place of each in the list. */
  readonly #live: number[] = [];
  readonly #placeOf = new Map<number, number>();
  #nextId = 1;

  constructor(shape: Shape, seed: number) {
    this.#shape = shape;
    this.#random = createRandom(seed * 7_919);
  }

  get length(): number {
    return this.#rows.length / 5;
  }

  get resting(): number {
    return this.#live.length;
  }

  next(): void {
    const { cancel, amend, cross } = this.#shape;
    const dice = this.#random.below(100);
    if (dice < cancel && this.#live.length > 0) this.#cancel();
    else if (dice < cancel + amend && this.#live.length > 0) this.#amend();
    else if (this.#random.below(1_000) < cross) this.#cross();
    else this.rest();
  }

  /** An order on its own side of the middle, which nothing on the other side reaches. */
  rest(): void {
    const isBuy = this.#random.below(2) === 0;
    this.#place(isBuy, this.#ownPrice(isBuy), 1 + this.#random.below(SIZE_MAX));
  }

  columns(): Columns {
    const column = (at: number): Int32Array =>
      Int32Array.from({ length: this.length }, (_, row) => this.#rows[row * 5 + at]!);
    return { kind: column(0), id: column(1), isBuy: column(2), price: column(3), size: column(4) };
  }

  #cancel(): void {
    const id = this.#live[this.#random.below(this.#live.length)]!;
    this.#rows.push(CANCEL, id, 0, 0, 0);
    this.#book.cancel(id);
    this.#gone(id);
  }

  #amend(): void {
    const id = this.#live[this.#random.below(this.#live.length)]!;
    const isBuy = this.#book.isBuy(id);
    const price = this.#ownPrice(isBuy);
    const size = 1 + this.#random.below(SIZE_MAX);
    this.#rows.push(AMEND, id, isBuy ? 1 : 0, price, size);
    this.#book.amend(id, isBuy, price, size);
  }

  /** At a price that reaches everything, for no more than there is: nothing of it rests. */
  #cross(): void {
    const isBuy = this.#random.below(2) === 0;
    const there = this.#book.totalSize(!isBuy);
    if (there === 0) return this.rest();
    const { makers, levelsPerSide } = this.#shape;
    const wanted = makers === 1 ? 1 + this.#random.below(SIZE_MAX) : makers * (SIZE_MAX / 2);
    const price = isBuy ? MIDDLE + levelsPerSide : MIDDLE - levelsPerSide;
    return this.#place(isBuy, price, Math.min(wanted, there));
  }

  #place(isBuy: boolean, price: number, size: number): void {
    const id = this.#nextId++;
    this.#rows.push(PLACE, id, isBuy ? 1 : 0, price, size);
    this.#book.place(id, isBuy, price, size);
    if (!this.#book.isLive(id)) return;
    this.#placeOf.set(id, this.#live.length);
    this.#live.push(id);
  }

  #ownPrice(isBuy: boolean): number {
    const distance = 1 + this.#random.below(this.#shape.levelsPerSide);
    return isBuy ? MIDDLE - distance : MIDDLE + distance;
  }

  #gone(id: number): void {
    const place = this.#placeOf.get(id)!;
    const last = this.#live.pop()!;
    this.#placeOf.delete(id);
    if (last === id) return;
    this.#live[place] = last;
    this.#placeOf.set(last, place);
  }
}

/** A book that executes a flow. Ids are consecutive, starting with 1. */
export type FlowBook = {
  place(id: number, isBuy: boolean, price: number, size: number): void;
  cancel(id: number): void;
  amend(id: number, isBuy: boolean, price: number, size: number): void;
};

/** The engine's pool and book under the smallest loop that matches: trade, then rest. */
export class PoolBook implements FlowBook {
  readonly #pool = new OrderPool();
  readonly #book = new LevelBook(this.#pool, 1);
  readonly #onFilled: ((id: number) => void) | undefined;
  #clock = 0;
  /** Lots traded so far. */
  traded = 0;

  /** Tells of each resting order that a new one has used up. */
  constructor(onFilled?: (id: number) => void) {
    this.#onFilled = onFilled;
  }

  place(id: number, isBuy: boolean, price: number, size: number): void {
    const pool = this.#pool;
    const book = this.#book;
    let left = size;
    while (left > 0 && book.crosses(isBuy, price)) {
      const slot = book.best(!isBuy);
      const resting = pool.remaining[slot]!;
      const filled = left < resting ? left : resting;
      book.fill(slot, filled);
      left -= filled;
      this.traded += filled;
      if (filled === resting) this.#end(slot);
    }
    if (left > 0) this.#rest(id, isBuy, price, left);
  }

  cancel(id: number): void {
    const slot = this.#pool.find(id);
    if (slot === NONE) return;
    this.#book.remove(slot);
    this.#pool.release(slot);
  }

  amend(id: number, isBuy: boolean, price: number, size: number): void {
    this.cancel(id);
    this.place(id, isBuy, price, size);
  }

  isLive(id: number): boolean {
    return this.#pool.find(id) !== NONE;
  }

  isBuy(id: number): boolean {
    return (this.#pool.flags[this.#pool.find(id)]! & SIDE_BUY) !== 0;
  }

  totalSize(isBuy: boolean): number {
    return this.#book.totalSize(isBuy);
  }

  /** Calls back for every resting order, buys first, best first. */
  forEach(visit: (id: number, price: number, size: number) => void): void {
    const pool = this.#pool;
    for (const isBuy of [true, false]) {
      this.#book.forEachSlot(isBuy, (slot) => {
        visit(pool.orderId[slot]!, pool.price[slot]!, pool.remaining[slot]!);
      });
    }
  }

  #rest(id: number, isBuy: boolean, price: number, size: number): void {
    const pool = this.#pool;
    const slot = pool.allocate(id);
    this.#clock += 1;
    pool.price[slot] = price;
    pool.remaining[slot] = size;
    pool.acceptedMs[slot] = this.#clock;
    pool.rank[slot] = this.#clock;
    pool.instrument[slot] = 1;
    pool.flags[slot] = isBuy ? SIDE_BUY : 0;
    this.#book.insert(slot);
  }

  #end(slot: number): void {
    const id = this.#pool.orderId[slot]!;
    this.#book.remove(slot);
    this.#pool.release(slot);
    this.#onFilled?.(id);
  }
}
