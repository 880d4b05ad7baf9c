import { assert } from '@oddlot/units';
import { NONE as NO_LEVEL } from './order-index.ts';

/**
 * The memory layout of a price level: two Int32 and two Float64 numbers. Each offset is relative to
 * the level, so that fields that are used together are adjacent.
 */
export const LEVEL_FIELDS = {
  LEVEL_STEP: 2,
  /** The first order of the queue as a slot, in the Int32 array. */
  HEAD: 0,
  /** The last order of the queue as a slot, in the Int32 array. */
  TAIL: 1,
  /** The number of orders, in the Float64 array. */
  COUNT: 0,
  /** The total size of all orders in lots, in the Float64 array. */
  TOTAL: 1,
} as const;

// The compiler inlines constants of this module; imported ones would be read each time.
const { COUNT, HEAD, LEVEL_STEP, TAIL, TOTAL } = LEVEL_FIELDS;
const NONE = NO_LEVEL;

const BLOCK = 8;
/** Above this price, the block number would no longer fit into 31 bits. */
export const PRICE_MAX = BLOCK * 2 ** 31 - 1;

/**
 * These are the offsets in a block's index entry: the block number, the bits of its open levels,
 * and the position of its levels.
 */
const NUMBER = 0;
const BITS = 1;
const FIRST_LEVEL = 2;
const ENTRY = 3;

/**
 * The initial number of blocks; it is small because most books are thin and a venue can list
 * thousands of them.
 */
const BLOCKS_START = 2;
/** The length of a block in elements of the level arrays. */
const BLOCK_STEP = BLOCK * LEVEL_STEP;
/** Below this number of elements, a loop is faster than a call of `copyWithin`. */
const SHORT_MOVE = 48;

/**
 * The price levels of one side of a book. Neighbouring prices share a block, and a level is a
 * position in a block. Bits mark the open levels: near the best price, where levels are dense,
 * opening or closing a level sets a bit, and the next level is found by counting zeros. Only the
 * blocks are sorted, from the worst to the best. When prices are far apart, each level has its own
 * block, and the side is a sorted array. The number of a block, and the position of a level in it,
 * are larger for better prices: on the sell side their bits are inverted.
 */
export class LevelSide {
  /** The arrays of the levels (see `LEVEL_FIELDS`), which are replaced when the side grows. */
  ints = new Int32Array(BLOCKS_START * BLOCK_STEP);
  floats = new Float64Array(BLOCKS_START * BLOCK_STEP);

  /**
   * The mask that inverts the bits of numbers and positions: 0 on the buy side, −1 on the sell
   * side.
   */
  readonly #flip: number;
  /**
   * The index has an entry for each block, the best one last, followed by the entries of free
   * blocks.
   */
  #index = freshIndex(BLOCKS_START);
  /** The index at which the entries of free blocks start. */
  #end = 0;
  #best = NONE;
  #bestPrice = 0;

  constructor(isBuy: boolean) {
    this.#flip = isBuy ? 0 : -1;
  }

  copy(): LevelSide {
    const copy = new LevelSide(this.#flip === 0);
    copy.ints = this.ints.slice();
    copy.floats = this.floats.slice();
    copy.#index = this.#index.slice();
    copy.#end = this.#end;
    copy.#best = this.#best;
    copy.#bestPrice = this.#bestPrice;
    return copy;
  }

  get best(): number {
    return this.#best;
  }

  /** The best price, or 0, which is not a valid price, if no level is open. */
  get bestPrice(): number {
    return this.#bestPrice;
  }

  open(price: number): number {
    const number = this.#numberOf(price);
    const at = this.#search(number);
    if (at === this.#end || this.#index[at] !== number) this.#insertBlock(at, number);
    const index = this.#index;
    const place = this.#placeOf(price);
    const level = index[at + FIRST_LEVEL]! + LEVEL_STEP * place;
    const bits = index[at + BITS]!;
    if ((bits & (1 << place)) !== 0) return level;
    index[at + BITS] = bits | (1 << place);
    this.ints[level + HEAD] = NONE;
    this.ints[level + TAIL] = NONE;
    if (at === this.#end - ENTRY) this.#findBest();
    return level;
  }

  /** Closes the level at this price after its last order was removed. */
  close(level: number, price: number): void {
    const index = this.#index;
    const at = this.#search(this.#numberOf(price));
    const place = this.#placeOf(price);
    const isThere = index[at + FIRST_LEVEL]! + LEVEL_STEP * place === level;
    assert(isThere, 'level side: a level is at its price');
    const isEmpty = this.floats[level + COUNT] === 0 && this.floats[level + TOTAL] === 0;
    assert(isEmpty, 'level side: a level that is closed is empty');
    const bits = index[at + BITS]! & ~(1 << place);
    index[at + BITS] = bits;
    if (bits === 0) this.#removeBlock(at);
    if (level === this.#best) this.#findBest();
  }

  worse(price: number): number {
    const index = this.#index;
    const number = this.#numberOf(price);
    const at = this.#search(number);
    if (at < this.#end && index[at] === number) {
      const below = index[at + BITS]! & ((1 << this.#placeOf(price)) - 1);
      if (below !== 0) return index[at + FIRST_LEVEL]! + LEVEL_STEP * highest(below);
    }
    return at === 0 ? NONE : this.#bestOf(at - ENTRY);
  }

  /** Asserts that blocks are sorted and that a level is open exactly if it has orders. */
  checkConsistency(): void {
    const index = this.#index;
    for (let at = 0; at < index.length; at += ENTRY) {
      const isUsed = at < this.#end;
      const isSorted = at === 0 || index[at - ENTRY]! < index[at]!;
      assert(!isUsed || isSorted, 'level side: the blocks are sorted');
      assert((index[at + BITS] !== 0) === isUsed, 'level side: a block has a level');
      for (let place = 0; place < BLOCK; place += 1) {
        const level = index[at + FIRST_LEVEL]! + LEVEL_STEP * place;
        const isOpen = (index[at + BITS]! & (1 << place)) !== 0;
        const hasOrders = this.floats[level + COUNT] !== 0;
        assert(isOpen === hasOrders, 'level side: an open level has orders');
      }
    }
    const [best, price] = [this.#best, this.#bestPrice];
    this.#findBest();
    assert(best === this.#best && price === this.#bestPrice, 'level side: the best is known');
  }

  #numberOf(price: number): number {
    return Math.floor(price / BLOCK) ^ this.#flip;
  }

  #placeOf(price: number): number {
    return (price ^ this.#flip) & (BLOCK - 1);
  }

  #search(number: number): number {
    const index = this.#index;
    const last = this.#end - ENTRY;
    if (last < 0) return 0;
    // The number of entries up to the last one is at most the number of block numbers between them.
    // If no number is missing, which is usual near the best price, the first guess is correct.
    const ahead = index[last]! - number;
    if (ahead < 0) return this.#end;
    let low = Math.max(last - ENTRY * ahead, 0);
    if (index[low] === number) return low;
    let high = this.#end;
    while (low < high) {
      const half = Math.trunc((high - low) / (2 * ENTRY));
      const middle = low + ENTRY * half;
      if (index[middle]! < number) low = middle + ENTRY;
      else high = middle;
    }
    return low;
  }

  #bestOf(at: number): number {
    return this.#index[at + FIRST_LEVEL]! + LEVEL_STEP * highest(this.#index[at + BITS]!);
  }

  #findBest(): void {
    const last = this.#end - ENTRY;
    if (last < 0) {
      this.#best = NONE;
      this.#bestPrice = 0;
      return;
    }
    const number = this.#index[last]! ^ this.#flip;
    const place = (highest(this.#index[last + BITS]!) ^ this.#flip) & (BLOCK - 1);
    this.#best = this.#bestOf(last);
    this.#bestPrice = BLOCK * number + place;
  }

  #insertBlock(at: number, number: number): void {
    if (this.#end === this.#index.length) this.#grow();
    const index = this.#index;
    const first = index[this.#end + FIRST_LEVEL]!;
    move(index, { from: at, to: at + ENTRY, count: this.#end - at });
    index[at + NUMBER] = number;
    index[at + BITS] = 0;
    index[at + FIRST_LEVEL] = first;
    this.#end += ENTRY;
  }

  #removeBlock(at: number): void {
    const index = this.#index;
    const first = index[at + FIRST_LEVEL]!;
    this.#end -= ENTRY;
    move(index, { from: at + ENTRY, to: at, count: this.#end - at });
    index[this.#end + BITS] = 0;
    index[this.#end + FIRST_LEVEL] = first;
  }

  #grow(): void {
    const blocks = 2 * Math.floor(this.#index.length / ENTRY);
    const ints = new Int32Array(blocks * BLOCK_STEP);
    const floats = new Float64Array(blocks * BLOCK_STEP);
    const index = freshIndex(blocks);
    ints.set(this.ints);
    floats.set(this.floats);
    index.set(this.#index);
    this.ints = ints;
    this.floats = floats;
    this.#index = index;
  }
}

function freshIndex(blocks: number): Int32Array {
  const index = new Int32Array(blocks * ENTRY);
  for (let block = 0; block < blocks; block += 1) {
    index[block * ENTRY + FIRST_LEVEL] = block * BLOCK_STEP;
  }
  return index;
}

function highest(bits: number): number {
  return 31 - Math.clz32(bits);
}

function move(
  array: Int32Array,
  { from, to, count }: { from: number; to: number; count: number },
): void {
  if (count >= SHORT_MOVE) array.copyWithin(to, from, from + count);
  else if (from < to) for (let at = count - 1; at >= 0; at -= 1) array[to + at] = array[from + at]!;
  else for (let at = 0; at < count; at += 1) array[to + at] = array[from + at]!;
}
