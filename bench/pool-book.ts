import { LevelBook } from '../packages/engine/src/book/level-book.ts';
import { NONE, OrderPool, SIDE_BUY } from '../packages/engine/src/book/order-pool.ts';
import type { FlowBook } from './flow-book.ts';

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
