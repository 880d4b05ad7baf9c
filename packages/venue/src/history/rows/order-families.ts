import type { HistOrder } from '@oddlot/protocol';
import { isLive, type OrderRecord } from './block-rows.ts';

/**
 * Parents that still have children which can change, each with its last row: whoever follows the orders of
 * an account is told a parent again when one of its children has changed and it has not. Most parents have
 * ended by then: their exits begin to wait when they are filled.
 */
export class OrderFamilies {
  readonly #parents = new Map<number, OrderRecord>();
  readonly #parentOf = new Map<number, number>();

  /** Takes the rows of a block, and returns those of parents whose children alone have changed. */
  take(records: readonly OrderRecord[]): OrderRecord[] {
    const retold = new Map<number, OrderRecord>();
    const changed = new Set(records.map(({ orderId }) => orderId));
    for (const { orderId, row } of records) {
      const parentId = this.#parentOf.get(orderId);
      const parent = parentId === undefined ? undefined : this.#parents.get(parentId);
      if (parent === undefined || parentId === undefined || changed.has(parentId)) continue;
      const told = withChild(parent, row.order);
      this.#keep(told);
      retold.set(parentId, told);
    }
    for (const record of records) if (record.row.order.children.length > 0) this.#keep(record);
    return [...retold.values()];
  }

  /** A family is kept for as long as one of its children lives. */
  #keep(parent: OrderRecord): void {
    const { orderId, row } = parent;
    const { children } = row.order;
    if (children.some(isLive)) {
      this.#parents.set(orderId, parent);
      for (const { oid } of children) this.#parentOf.set(oid, orderId);
      return;
    }
    this.#parents.delete(orderId);
    for (const { oid } of children) this.#parentOf.delete(oid);
  }

  /** True for a child of a family that is kept. */
  isChild(orderId: number): boolean {
    return this.#parentOf.has(orderId);
  }

  /** The children for whose sake a family is kept. */
  liveChildren(): number[] {
    const families = [...this.#parents.values()].map(({ row }) => row.order.children);
    return families.flatMap((children) => children.filter(isLive).map(({ oid }) => oid));
  }

  dump(): readonly OrderRecord[] {
    return [...this.#parents.values()];
  }

  restore(parents: readonly OrderRecord[]): void {
    for (const parent of parents) this.#keep(parent);
  }

  clear(): void {
    this.#parents.clear();
    this.#parentOf.clear();
  }
}

function withChild(parent: OrderRecord, changed: HistOrder): OrderRecord {
  const { order } = parent.row;
  const children = order.children.map((child) => (child.oid === changed.oid ? changed : child));
  return { ...parent, row: { ...parent.row, order: { ...order, children } } };
}
