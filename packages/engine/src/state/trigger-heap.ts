import type { TriggerOrder } from './trigger-order.ts';

/** Up to this many entries a heap is not worth a clean-up. */
const CLEAN_UP_MIN = 64;

/**
 * Waiting orders of one instrument and direction, the price that is reached first on top. Orders
 * that ended leave their entry behind; it goes when it is reached, or when the dead outnumber the
 * living. A binary heap.
 */
export class TriggerHeap {
  /** 1 for orders that fire above their price, −1 for those that fire below: keys then rise. */
  readonly #sign: 1 | -1;
  #entries: TriggerOrder[] = [];
  #dead = 0;

  constructor(sign: 1 | -1) {
    this.#sign = sign;
  }

  push(trigger: TriggerOrder): void {
    const entries = this.#entries;
    entries.push(trigger);
    let child = entries.length - 1;
    while (child > 0) {
      const parent = (child - 1) >> 1;
      if (!this.#isBefore(child, parent)) break;
      this.#swap(child, parent);
      child = parent;
    }
  }

  /** Says that an order of the heap has ended. */
  left(isLive: (trigger: TriggerOrder) => boolean): void {
    this.#dead += 1;
    const { length } = this.#entries;
    if (length < CLEAN_UP_MIN || 2 * this.#dead < length) return;
    const living = this.#entries.filter(isLive);
    this.#entries = [];
    this.#dead = 0;
    for (const trigger of living) this.push(trigger);
  }

  /** Takes the live orders whose price, signed as the heap is, lies at or below the mark's. */
  take(signedMark: number, isLive: (trigger: TriggerOrder) => boolean): TriggerOrder[] {
    const reached: TriggerOrder[] = [];
    for (;;) {
      const [first] = this.#entries;
      if (first === undefined || this.#key(first) > signedMark) return reached;
      this.#pop();
      if (isLive(first)) reached.push(first);
      else this.#dead -= 1;
    }
  }

  #pop(): void {
    const entries = this.#entries;
    const last = entries.pop();
    if (entries.length === 0 || last === undefined) return;
    entries[0] = last;
    let parent = 0;
    for (;;) {
      const left = 2 * parent + 1;
      if (left >= entries.length) return;
      const right = left + 1;
      const least = right < entries.length && this.#isBefore(right, left) ? right : left;
      if (!this.#isBefore(least, parent)) return;
      this.#swap(least, parent);
      parent = least;
    }
  }

  #key({ request }: TriggerOrder): number {
    return this.#sign * request.trigger.price;
  }

  #isBefore(a: number, b: number): boolean {
    const x = this.#entries[a];
    const y = this.#entries[b];
    if (x === undefined || y === undefined) return false;
    const [xKey, yKey] = [this.#key(x), this.#key(y)];
    return xKey < yKey || (xKey === yKey && x.orderId < y.orderId);
  }

  #swap(a: number, b: number): void {
    const x = this.#entries[a];
    const y = this.#entries[b];
    if (x === undefined || y === undefined) return;
    this.#entries[a] = y;
    this.#entries[b] = x;
  }
}
