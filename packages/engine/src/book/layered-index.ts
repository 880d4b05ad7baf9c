import { assert } from '@oddlot/units';
import { NONE, type OrderIndex } from './order-index.ts';

/** From order id to slot. */
export type SlotIndex = Pick<OrderIndex, 'get' | 'add' | 'delete' | 'size'>;

/** An index on top of another one, which it never changes and which must stand still meanwhile. */
export class LayeredIndex {
  readonly #below: SlotIndex;
  /** Slots of what was added, `NONE` for what was deleted. */
  readonly #changes = new Map<number, number>();
  #size: number;

  constructor(below: SlotIndex) {
    this.#below = below;
    this.#size = below.size;
  }

  get size(): number {
    return this.#size;
  }

  get(orderId: number): number {
    return this.#changes.get(orderId) ?? this.#below.get(orderId);
  }

  add(orderId: number, slot: number): void {
    assert(this.get(orderId) === NONE, 'layered index: an order id is used once');
    this.#changes.set(orderId, slot);
    this.#size += 1;
  }

  delete(orderId: number): void {
    assert(this.get(orderId) !== NONE, 'layered index: only a stored order id is deleted');
    this.#changes.set(orderId, NONE);
    this.#size -= 1;
  }
}
