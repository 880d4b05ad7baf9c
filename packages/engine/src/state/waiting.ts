import { LayeredMap } from '../collections/maps.ts';
import { type Holding, holdingKey, type Leg } from './account.ts';
import { DueQueue } from '../collections/heap.ts';

/** Orders that belong together (R-grouping): a parent and its children, or what hangs on a position. */
export type OrderGroup = {
  /** The id of its first order. */
  readonly groupId: number;
  readonly kind: 'normal' | 'position';
  readonly accountIndex: number;
  /** The leg whose position the children reduce. */
  readonly holding: Holding;
  /** The side of the position that a position group hangs on. */
  readonly isLong: boolean;
  readonly createdMs: number;
  /** The part of the position that was named; 0 is the whole. */
  readonly quantity: number;
  /** The parent while it is live; children sleep until it has filled. */
  parentId: number | undefined;
  /** Children that are live, waiting or in the book, by id: at most two, one cancels the other. */
  childIds: readonly number[];
};

/** The groups, found by any of their orders and by the position that they hang on. */
export class GroupBook {
  #byOrder = new Map<number, OrderGroup>();
  readonly #byPosition = new Map<Holding, Set<OrderGroup>>();
  /** Set in a fork. */
  #origin:
    | { readonly book: GroupBook; readonly copy: (group: OrderGroup) => OrderGroup }
    | undefined;

  /**
   * A book with the same groups, which may be changed without changing this one; this one must stand
   * still meanwhile. `holdingOf` gives the holding that takes the place of a group's own; whoever
   * makes a holding's copy tells it to `adopt`.
   */
  fork(holdingOf: (group: OrderGroup) => Holding): GroupBook {
    const fork = new GroupBook();
    const copies = new Map<OrderGroup, OrderGroup>();
    const copy = (group: OrderGroup): OrderGroup => {
      // Making the holding may adopt what hangs on it, this group too, so it goes first.
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

  /** In a fork: what hangs on a holding of the origin hangs on its copy. */
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

  /** The groups that hang on a position, in order of creation. */
  attachedTo(holding: Holding): Iterable<OrderGroup> {
    return this.#byPosition.size === 0 ? [] : (this.#byPosition.get(holding) ?? []);
  }

  /** By group id, for a dump. */
  all(): OrderGroup[] {
    return [...new Set(this.#byOrder.values())].sort((a, b) => a.groupId - b.groupId);
  }

  /** Groups are added by id, so that a position's stand in order of creation. */
  add(group: OrderGroup): void {
    if (group.parentId !== undefined) this.#byOrder.set(group.parentId, group);
    for (const childId of group.childIds) this.#byOrder.set(childId, group);
    if (group.kind !== 'position') return;
    const attached = this.#byPosition.get(group.holding);
    if (attached === undefined) this.#byPosition.set(group.holding, new Set([group]));
    else attached.add(group);
  }

  /** The parent has ended; its children go their own way. */
  parentLeft(group: OrderGroup): void {
    if (group.parentId !== undefined) this.#byOrder.delete(group.parentId);
    group.parentId = undefined;
  }

  /** A child has ended; a group without children is gone. */
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

/** Above this many entries the queue is rebuilt when most of them were replaced. */
const REBUILD_MIN = 1_024;

/** When whose orders are to be cancelled: one time an account, set ahead again and again. */
export class CancelSchedules {
  /** By account index. */
  #times = new Map<number, number>();
  /** Holds replaced times too: an account is due when its own time says so. */
  #queue = new DueQueue();

  /**
   * Schedules that may be changed without changing these, which must stand still meanwhile. They are
   * for commands and not for blocks: nothing of what they took over falls due.
   */
  fork(): CancelSchedules {
    const fork = new CancelSchedules();
    fork.#times = new LayeredMap(this.#times);
    return fork;
  }

  of(accountIndex: number): number | undefined {
    return this.#times.get(accountIndex);
  }

  /** By account index, for a dump. */
  all(): (readonly [accountIndex: number, atMs: number])[] {
    return [...this.#times].sort((a, b) => a[0] - b[0]);
  }

  set(accountIndex: number, atMs: number): void {
    this.#times.set(accountIndex, atMs);
    this.#queue.push(atMs, accountIndex);
    if (this.#queue.size > REBUILD_MIN && this.#queue.size > 2 * this.#times.size) this.#rebuild();
  }

  remove(accountIndex: number): void {
    this.#times.delete(accountIndex);
  }

  /** Takes the schedules due at or before a time, in no particular order. */
  takeDue(timeMs: number): { readonly accountIndex: number; readonly atMs: number }[] {
    const due: { readonly accountIndex: number; readonly atMs: number }[] = [];
    for (;;) {
      const accountIndex = this.#queue.popDue(timeMs);
      if (accountIndex === undefined) return due;
      const atMs = this.#times.get(accountIndex);
      if (atMs === undefined || atMs > timeMs) continue;
      this.#times.delete(accountIndex);
      due.push({ accountIndex, atMs });
    }
  }

  #rebuild(): void {
    this.#queue = new DueQueue();
    for (const [accountIndex, atMs] of this.#times) this.#queue.push(atMs, accountIndex);
  }
}

/** A position being turned round: closed first, then opened on the other side. */
export type ReverseJob = {
  readonly accountIndex: number;
  readonly instrumentId: number;
  /** The leg that is closed. */
  readonly leg: Leg;
  /** Signed. */
  readonly sizeAtStart: number;
  readonly startedMs: number;
  readonly isIsolated: boolean;
  phase: 'closing' | 'opening';
  /** Lots that the job's own orders have closed, and opened. */
  closed: number;
  opened: number;
};

/** One job at a time for an account's leg of an instrument. */
export function reverseJobKey(accountIndex: number, instrumentId: number, leg: Leg): string {
  return `${accountIndex}:${holdingKey(instrumentId, leg)}`;
}

/** The job of a holding's account and leg. */
export function holdingJobKey(accountIndex: number, { leg, perp }: Holding): string {
  return reverseJobKey(accountIndex, perp.definition.instrumentId, leg);
}
