import { readFileSync, writeFileSync } from 'node:fs';
import { LevelBook } from '../packages/engine/src/book/level-book.ts';
import { NONE, OrderPool, SIDE_BUY } from '../packages/engine/src/book/order-pool.ts';
import { createRandom } from './report.ts';

/**
 * The order flows for the book comparison, generated in advance and identical for all books.
 * Untimed segments restore the depth.
 *
 * - A: 60% cancels, 40% new orders, of which 10% cross; 1,000 levels, about 100,000 resting orders
 * - B: 98% adds near the best price, 2% sweeps of about 50 makers; 100 levels, about 10,000 resting orders
 * - C: 36% cancels, 24% amends, 40% new orders, of which 10% cross; levels and depth as in A
 * - D: like A, with 1,000 resting orders
 */
export const FLOWS = ['A', 'B', 'C', 'D'] as const;
export type FlowName = (typeof FLOWS)[number];

const PLACE = 0;
const CANCEL = 1;
/** Cancels an order and places it again under the same id, at the end of the queue. */
const AMEND = 2;

/** A range of operations, which either is timed or restores the depth. */
export type Segment = {
  readonly round: number;
  readonly from: number;
  readonly to: number;
  readonly isTimed: boolean;
};

type Columns = {
  readonly kind: Int32Array;
  readonly id: Int32Array;
  readonly isBuy: Int32Array;
  readonly price: Int32Array;
  readonly size: Int32Array;
};

export type Flow = Columns & { readonly segments: readonly Segment[] };

/**
 * Writes a flow for the book processes as int32 values: the number of rows, the number of segments,
 * the end of each segment, one column after another, the round of each segment, and whether it is
 * timed.
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
  /** The probability of a cancel or an amend, in percent. */
  readonly cancel: number;
  readonly amend: number;
  /**
   * The probability, in permille, that a new order crosses, and the number of makers that it is
   * meant to match.
   */
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
  readonly operations: number;
  /** The number of resting orders, as a fraction of the full depth. */
  readonly depthShare: number;
};

/** Creates a flow of rounds. Each round first fills the book untimed and then runs timed. */
export function createFlow({ name, rounds, operations, depthShare }: FlowOptions): Flow {
  const shape = SHAPES[name];
  const resting = Math.max(50, Math.floor(shape.resting * depthShare));
  const maker = new FlowMaker(shape, name.charCodeAt(0));
  const segments: Segment[] = [];
  for (let round = 0; round < rounds; round++) {
    // A flow with more cancels than adds is divided into parts, so that the depth falls by at most
    // a third.
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

/**
 * Executes the operations while writing them, because only open orders can be cancelled or amended.
 */
class FlowMaker {
  readonly #shape: Shape;
  readonly #random: { below: (limit: number) => number };
  readonly #rows: number[] = [];
  readonly #book = new PoolBook((id) => this.#removeOrder(id));
  /** Ids of open orders, in no particular sequence, and the index of each. */
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
    const percent = this.#random.below(100);
    if (percent < cancel && this.#live.length > 0) this.#cancel();
    else if (percent < cancel + amend && this.#live.length > 0) this.#amend();
    else if (this.#random.below(1_000) < cross) this.#cross();
    else this.rest();
  }

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
    this.#removeOrder(id);
  }

  #amend(): void {
    const id = this.#live[this.#random.below(this.#live.length)]!;
    const isBuy = this.#book.isBuy(id);
    const price = this.#ownPrice(isBuy);
    const size = 1 + this.#random.below(SIZE_MAX);
    this.#rows.push(AMEND, id, isBuy ? 1 : 0, price, size);
    this.#book.amend(id, isBuy, price, size);
  }

  /**
   * Adds an order that crosses all levels. Its size is at most the available size, so no part of it
   * rests.
   */
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

  #removeOrder(id: number): void {
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

/** The engine's order pool and book in a minimal matching loop. */
export class PoolBook implements FlowBook {
  readonly #pool = new OrderPool();
  readonly #book = new LevelBook(this.#pool, 1);
  readonly #onFilled: ((id: number) => void) | undefined;
  #clock = 0;
  traded = 0;

  /** `onFilled` receives each resting order that is filled completely. */
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

  /** Visits buy orders before sell orders, and on each side the best price first. */
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
