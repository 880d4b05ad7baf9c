import { LayeredMap } from '../collections/maps.ts';
import type { Holding } from './account.ts';

/**
 * A group of orders (R-grouping): a parent order with its TP/SL children, or the TP/SL orders of a
 * position.
 */
export type OrderGroup = {
  readonly groupId: number;
  readonly kind: 'normal' | 'position';
  readonly accountIndex: number;
  /** The leg whose position the children reduce. */
  readonly holding: Holding;
  /** The side of the position to which a position group is attached. */
  readonly isLong: boolean;
  readonly createdMs: number;
  /** The size that the client requested, in lots; 0 means the whole position. */
  readonly quantity: number;
  /** The id of the parent while it is live. The children stay dormant until it fills. */
  parentId: number | undefined;
  /**
   * The ids of the live children, which are waiting or resting in the book. There are at most two;
   * the first to execute cancels the other.
   */
  childIds: readonly number[];
};

/** The order groups, indexed by each of their orders and by position. */
export class GroupBook {
  #byOrder = new Map<number, OrderGroup>();
  readonly #byPosition = new Map<Holding, Set<OrderGroup>>();
  /** The original book and the function that copies its groups; set only in a fork. */
  #origin:
    | { readonly book: GroupBook; readonly copy: (group: OrderGroup) => OrderGroup }
    | undefined;

  /**
   * Returns a book with the same groups. Changes to it do not affect this book, which must not
   * change while the fork is in use. `holdingOf` returns the copy of a group's holding, and the
   * code that copies a holding must call `adopt`.
   */
  fork(holdingOf: (group: OrderGroup) => Holding): GroupBook {
    const fork = new GroupBook();
    const copies = new Map<OrderGroup, OrderGroup>();
    const copy = (group: OrderGroup): OrderGroup => {
      // Copying a holding can adopt its groups, including this one, so the holding is copied first.
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

  /**
   * Attaches copies of the groups of an original holding to the copied holding. This has an effect
   * only in a fork.
   */
  adopt(original: Holding, copied: Holding): void {
    if (this.#origin === undefined) return;
    const { book, copy } = this.#origin;
    const attached = book.#byPosition.get(original);
    if (attached !== undefined) this.#byPosition.set(copied, new Set([...attached].map(copy)));
  }

  of(orderId: number): OrderGroup | undefined {
    return this.#byOrder.size === 0 ? undefined : this.#byOrder.get(orderId);
  }

  /** Returns a position's groups in order of creation. */
  attachedTo(holding: Holding): Iterable<OrderGroup> {
    return this.#byPosition.size === 0 ? [] : (this.#byPosition.get(holding) ?? []);
  }

  /** Returns all groups, sorted by id for the dump. */
  all(): OrderGroup[] {
    return [...new Set(this.#byOrder.values())].sort((a, b) => a.groupId - b.groupId);
  }

  /**
   * Adds a group. Groups must be added in order of their ids, so that each position's groups are in
   * order of creation.
   */
  add(group: OrderGroup): void {
    if (group.parentId !== undefined) this.#byOrder.set(group.parentId, group);
    for (const childId of group.childIds) this.#byOrder.set(childId, group);
    if (group.kind !== 'position') return;
    const attached = this.#byPosition.get(group.holding);
    if (attached === undefined) this.#byPosition.set(group.holding, new Set([group]));
    else attached.add(group);
  }

  /** Removes a parent that has ended from its group; the children remain. */
  parentLeft(group: OrderGroup): void {
    if (group.parentId !== undefined) this.#byOrder.delete(group.parentId);
    group.parentId = undefined;
  }

  /**
   * Removes a child that has ended from its group, and the group itself if it has no other
   * children.
   */
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
