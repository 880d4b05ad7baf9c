import { LayeredMap } from '../collections/maps.ts';
import type { Holding } from './account.ts';

/** A group of orders (R-grouping): a bracket of a parent and its children, or the TP/SL orders of a position. */
export type OrderGroup = {
  /** The id of its first order. */
  readonly groupId: number;
  readonly kind: 'normal' | 'position';
  readonly accountIndex: number;
  /** The leg whose position the children reduce. */
  readonly holding: Holding;
  /** The side of the position of a position group. */
  readonly isLong: boolean;
  readonly createdMs: number;
  /** The requested part of the position; 0 is the whole. */
  readonly quantity: number;
  /** The parent while it is live; children are dormant until it fills. */
  parentId: number | undefined;
  /** Live children by id, waiting or in the book: at most two, and one cancels the other. */
  childIds: readonly number[];
};

/** The groups, indexed by each of their orders and by position. */
export class GroupBook {
  #byOrder = new Map<number, OrderGroup>();
  readonly #byPosition = new Map<Holding, Set<OrderGroup>>();
  /** Set in a fork. */
  #origin:
    | { readonly book: GroupBook; readonly copy: (group: OrderGroup) => OrderGroup }
    | undefined;

  /**
   * A book with the same groups; changes do not affect this one, which must not change meanwhile. `holdingOf` returns the
   * copy of a group's holding; the code that copies a holding calls `adopt`.
   */
  fork(holdingOf: (group: OrderGroup) => Holding): GroupBook {
    const fork = new GroupBook();
    const copies = new Map<OrderGroup, OrderGroup>();
    const copy = (group: OrderGroup): OrderGroup => {
      // Copying the holding may adopt its groups, including this one, so it comes first.
      const holding = holdingOf(group);
      let copied = copies.get(group);
      if (copied === undefined) {
        copied = { ...group, holding };
        copies.set(group, copied);
      }
      return copied;
    };
    fork.#origin = { book: this, copy };
    fork.#byOrder = new LayeredMap(this.#byOrder, copy);
    return fork;
  }

  /** In a fork: attaches the groups of an original holding to its copy. */
  adopt(original: Holding, copied: Holding): void {
    if (this.#origin === undefined) return;
    const { book, copy } = this.#origin;
    const attached = book.#byPosition.get(original);
    if (attached !== undefined) this.#byPosition.set(copied, new Set([...attached].map(copy)));
  }

  /** The group that an order is in, as parent or child. */
  of(orderId: number): OrderGroup | undefined {
    return this.#byOrder.size === 0 ? undefined : this.#byOrder.get(orderId);
  }

  /** The groups of a position, in order of creation. */
  attachedTo(holding: Holding): Iterable<OrderGroup> {
    return this.#byPosition.size === 0 ? [] : (this.#byPosition.get(holding) ?? []);
  }

  /** By group id, for a dump. */
  all(): OrderGroup[] {
    return [...new Set(this.#byOrder.values())].sort((a, b) => a.groupId - b.groupId);
  }

  /** Groups must be added by id, so that those of a position are in order of creation. */
  add(group: OrderGroup): void {
    if (group.parentId !== undefined) this.#byOrder.set(group.parentId, group);
    for (const childId of group.childIds) this.#byOrder.set(childId, group);
    if (group.kind !== 'position') return;
    const attached = this.#byPosition.get(group.holding);
    if (attached === undefined) this.#byPosition.set(group.holding, new Set([group]));
    else attached.add(group);
  }

  /** The parent ended; its children remain. */
  parentLeft(group: OrderGroup): void {
    if (group.parentId !== undefined) this.#byOrder.delete(group.parentId);
    group.parentId = undefined;
  }

  /** A child ended; a group without children is removed. */
  childLeft(group: OrderGroup, childId: number): void {
    this.#byOrder.delete(childId);
    group.childIds = group.childIds.filter((each) => each !== childId);
    if (group.childIds.length > 0) return;
    this.parentLeft(group);
    const attached = this.#byPosition.get(group.holding);
    attached?.delete(group);
    if (attached?.size === 0) this.#byPosition.delete(group.holding);
  }
}
