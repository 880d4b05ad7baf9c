import { assert } from '@oddlot/units';

/** Levels of a new side. Most books are thin, and a venue may list thousands of them. */
const LEVELS_START = 16;
/** Below this many elements a loop moves them faster than the call of `copyWithin` starts. */
const SHORT_MOVE = 24;

/**
 * The price levels of one side of a book, sorted from the worst to the best.
 *
 * The best stands at the end: levels come and go near the touch, so little moves. The sort key is
 * the price for buys and the negated price for sells, so that a greater key is better on both sides
 * and one search serves both.
 */
export class LevelSide {
  #keys = new Float64Array(LEVELS_START);
  #levels = new Int32Array(LEVELS_START);
  #count = 0;
  readonly #sign: number;

  constructor(isBuy: boolean) {
    this.#sign = isBuy ? 1 : -1;
  }

  copy(): LevelSide {
    const copy = new LevelSide(this.#sign === 1);
    copy.#keys = this.#keys.slice();
    copy.#levels = this.#levels.slice();
    copy.#count = this.#count;
    return copy;
  }

  /** How many levels there are. */
  get count(): number {
    return this.#count;
  }

  /** The level at a position; `count - 1` is the best. */
  levelAt(position: number): number {
    return this.#levels[position]!;
  }

  /** The price at a position; `count - 1` is the best. */
  priceAt(position: number): number {
    return this.#sign * this.#keys[position]!;
  }

  /** The first position whose price is not worse than the given one; `count` if all are worse. */
  search(price: number): number {
    const keys = this.#keys;
    const key = this.#sign * price;
    let low = 0;
    let high = this.#count;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (keys[middle]! < key) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Puts a level at the position that `search` gave for its price. */
  insertAt(position: number, price: number, level: number): void {
    if (this.#count === this.#keys.length) this.#grow();
    const keys = this.#keys;
    const levels = this.#levels;
    const count = this.#count;
    if (count - position < SHORT_MOVE) {
      for (let to = count; to > position; to -= 1) {
        keys[to] = keys[to - 1]!;
        levels[to] = levels[to - 1]!;
      }
    } else {
      keys.copyWithin(position + 1, position, count);
      levels.copyWithin(position + 1, position, count);
    }
    keys[position] = this.#sign * price;
    levels[position] = level;
    this.#count = count + 1;
  }

  /** Takes out the level at a position. */
  removeAt(position: number): void {
    const keys = this.#keys;
    const levels = this.#levels;
    const count = this.#count;
    assert(position >= 0 && position < count, 'level side: only a level that is there is removed');
    if (count - position < SHORT_MOVE) {
      for (let from = position + 1; from < count; from += 1) {
        keys[from - 1] = keys[from]!;
        levels[from - 1] = levels[from]!;
      }
    } else {
      keys.copyWithin(position, position + 1, count);
      levels.copyWithin(position, position + 1, count);
    }
    this.#count = count - 1;
  }

  #grow(): void {
    const keys = new Float64Array(2 * this.#keys.length);
    keys.set(this.#keys);
    this.#keys = keys;
    const levels = new Int32Array(2 * this.#levels.length);
    levels.set(this.#levels);
    this.#levels = levels;
  }
}
