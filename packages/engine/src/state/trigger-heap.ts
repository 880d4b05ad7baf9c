import { Heap } from '../collections/heap.ts';
import type { TriggerOrder } from './trigger-order.ts';

/** Up to this many entries a heap is not worth a clean-up. */
const CLEAN_UP_MIN = 64;

/**
 * Waiting orders of one instrument and direction, the price that is reached first on top. Orders
 * that ended leave their entry behind; it goes when it is reached, or when the dead outnumber the
 * living.
 */
export class TriggerHeap {
  /** 1 for orders that fire above their price, −1 for those that fire below: keys then rise. */
  readonly #sign: 1 | -1;
  readonly #heap: Heap<TriggerOrder>;
  #dead = 0;

  constructor(sign: 1 | -1) {
    this.#sign = sign;
    this.#heap = new Heap(sign === 1 ? isLower : isHigher);
  }

  push(trigger: TriggerOrder): void {
    this.#heap.push(trigger);
  }

  /** Says that an order of the heap has ended. */
  left(isLive: (trigger: TriggerOrder) => boolean): void {
    this.#dead += 1;
    const { size } = this.#heap;
    if (size < CLEAN_UP_MIN || 2 * this.#dead < size) return;
    this.#heap.retain(isLive);
    this.#dead = 0;
  }

  /** Takes the live orders whose price, signed as the heap is, lies at or below the mark's. */
  take(signedMark: number, isLive: (trigger: TriggerOrder) => boolean): TriggerOrder[] {
    const reached: TriggerOrder[] = [];
    for (;;) {
      const { first } = this.#heap;
      if (first === undefined || this.#sign * first.request.trigger.price > signedMark) {
        return reached;
      }
      this.#heap.pop();
      if (isLive(first)) reached.push(first);
      else this.#dead -= 1;
    }
  }
}

function isLower(a: TriggerOrder, b: TriggerOrder): boolean {
  const [x, y] = [a.request.trigger.price, b.request.trigger.price];
  return x < y || (x === y && a.orderId < b.orderId);
}

function isHigher(a: TriggerOrder, b: TriggerOrder): boolean {
  const [x, y] = [a.request.trigger.price, b.request.trigger.price];
  return x > y || (x === y && a.orderId < b.orderId);
}
