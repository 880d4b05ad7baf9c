import { Heap } from '../collections/heap.ts';
import { LayeredMap } from '../collections/maps.ts';
import type { OrderRequest, TriggerRequest } from '../messages/command.ts';
import type { OrderBuilder } from './account.ts';

/** The waiting trigger orders, indexed by id, by account, and by the mark at which they fire. */
export class TriggerBook {
  #byId = new Map<number, TriggerOrder>();
  #byAccount = new Map<number, Set<TriggerOrder>>();
  /**
   * The orders by instrument: those in `#above` fire when the mark is at or above their price, and
   * those in `#below` when it is at or below.
   */
  readonly #above = new Map<number, TriggerHeap>();
  readonly #below = new Map<number, TriggerHeap>();
  /** The orders that the mark has reached but that have not yet fired, by due time and order id. */
  #overdue: TriggerOrder[] = [];
  /**
   * The orders that have fired and are retrying, by instrument; the heap returns the next retry
   * first.
   */
  readonly #retries = new Map<number, Heap<TriggerOrder>>();
  #retryCount = 0;
  /** The instruments with an order that has started to wait or retry since the last check. */
  readonly #toCheck = new Set<number>();
  /** The order that is currently being executed. It does not count as waiting in the meantime. */
  #atWork: TriggerOrder | undefined;
  /** The triggers of fired orders that now rest in the book, by order id. */
  #fired = new Map<number, FiredTrigger>();

  /**
   * Returns a book with the same orders. Changes to it do not affect this book, which must not
   * change while the fork exists. The fork is for commands, not blocks: no mark fires its copied
   * orders, because the queues used by blocks are not copied.
   */
  fork(): TriggerBook {
    const fork = new TriggerBook();
    const byId = new LayeredMap(this.#byId, (trigger) => ({ ...trigger }));
    // An order removed by id before its account was first read must not be copied.
    const stillThere = ({ orderId }: TriggerOrder): TriggerOrder[] => {
      const trigger = byId.get(orderId);
      return trigger === undefined ? [] : [trigger];
    };
    fork.#byId = byId;
    fork.#byAccount = new LayeredMap(
      this.#byAccount,
      (own) => new Set([...own].flatMap(stillThere)),
    );
    fork.#fired = new LayeredMap(this.#fired);
    fork.#retryCount = this.#retryCount;
    return fork;
  }

  get size(): number {
    return this.#byId.size;
  }

  /** Returns a waiting order, or undefined while it is being executed. */
  find(orderId: number): TriggerOrder | undefined {
    if (this.#byId.size === 0) return undefined;
    const trigger = this.#byId.get(orderId);
    return trigger === this.#atWork ? undefined : trigger;
  }

  get hasRetries(): boolean {
    return this.#retryCount > 0;
  }

  ofAccount(accountIndex: number): Iterable<TriggerOrder> {
    return this.#byAccount.get(accountIndex) ?? [];
  }

  countOf(accountIndex: number): number {
    return this.#byAccount.get(accountIndex)?.size ?? 0;
  }

  /** Returns all waiting orders, sorted by id for the dump. */
  all(): TriggerOrder[] {
    return [...this.#byId.values()].sort((a, b) => a.orderId - b.orderId);
  }

  /**
   * Adds an order. Orders must be added in order of their ids, so that each account's orders are in
   * order of creation.
   */
  add(trigger: TriggerOrder): void {
    this.#byId.set(trigger.orderId, trigger);
    let own = this.#byAccount.get(trigger.accountIndex);
    if (own === undefined) {
      own = new Set();
      this.#byAccount.set(trigger.accountIndex, own);
    }
    own.add(trigger);
    if (trigger.firing !== undefined) {
      this.#retryCount += 1;
      this.retryLater(trigger);
    } else if (trigger.dueMs !== undefined) this.#overdue.push(trigger);
    else if (!trigger.isDormant) this.#wait(trigger);
  }

  /**
   * Raises the maximum size of a child to the filled size of its parent. With the parent's first
   * fill, the child starts to wait for its trigger price.
   */
  grow(trigger: TriggerOrder, sizeMax: number): void {
    trigger.sizeMax = sizeMax;
    if (!trigger.isDormant) return;
    trigger.isDormant = false;
    this.#wait(trigger);
  }

  /**
   * Marks an order as being executed, so that the consequences of its own fills cannot cancel it.
   */
  startWork(trigger: TriggerOrder): void {
    this.#atWork = trigger;
  }

  endWork(): void {
    this.#atWork = undefined;
  }

  arm(trigger: TriggerOrder, firing: Firing): void {
    if (trigger.firing === undefined) this.#retryCount += 1;
    trigger.firing = firing;
    trigger.dueMs = undefined;
    this.retryLater(trigger);
  }

  retryLater(trigger: TriggerOrder): void {
    const { instrumentId } = trigger.request;
    let retries = this.#retries.get(instrumentId);
    if (retries === undefined) {
      retries = new Heap(triesBefore);
      this.#retries.set(instrumentId, retries);
    }
    retries.push(trigger);
    this.#toCheck.add(instrumentId);
  }

  /**
   * Removes and returns the fired orders of an instrument that are due to retry, by retry time and
   * order id. If the mark no longer reaches the trigger price of an order, the order waits for it
   * again.
   */
  takeRetries(instrumentId: number, mark: number, timeMs: number): TriggerOrder[] {
    const retries = this.#retries.get(instrumentId);
    const due: TriggerOrder[] = [];
    while (retries?.first?.firing !== undefined && retries.first.firing.nextMs <= timeMs) {
      const trigger = retries.pop();
      if (trigger === undefined || !this.isLive(trigger)) continue;
      if (isReached(trigger, mark)) due.push(trigger);
      else this.#wait(trigger);
    }
    return due;
  }

  remove(trigger: TriggerOrder): void {
    if (!this.#byId.delete(trigger.orderId)) return;
    const own = this.#byAccount.get(trigger.accountIndex);
    own?.delete(trigger);
    if (own?.size === 0) this.#byAccount.delete(trigger.accountIndex);
    if (trigger === this.#atWork) this.#atWork = undefined;
    if (trigger.firing !== undefined) this.#retryCount -= 1;
    else if (!trigger.isDormant && trigger.dueMs === undefined) {
      this.#heapOf(trigger).left((each) => this.isLive(each));
    }
  }

  /** Returns false once the order has been cancelled or executed. */
  isLive(trigger: TriggerOrder): boolean {
    return this.#byId.get(trigger.orderId) === trigger;
  }

  /** Removes and returns the orders of an instrument that a mark fires, and makes them due now. */
  takeReached(instrumentId: number, mark: number, timeMs: number): TriggerOrder[] {
    const isLive = (trigger: TriggerOrder): boolean => this.isLive(trigger);
    if ((this.#retries.get(instrumentId)?.size ?? 0) === 0) this.#toCheck.delete(instrumentId);
    const above = this.#above.get(instrumentId)?.take(mark, isLive) ?? [];
    const below = this.#below.get(instrumentId)?.take(-mark, isLive) ?? [];
    const reached = [...above, ...below];
    for (const trigger of reached) if (trigger.firing === undefined) trigger.dueMs = timeMs;
    return reached;
  }

  /** Removes and returns the orders that earlier blocks deferred, earliest due time first. */
  takeOverdue(): TriggerOrder[] {
    const left = this.#overdue;
    this.#overdue = [];
    return left.filter((trigger) => this.isLive(trigger));
  }

  /** Defers a reached order to the next block, behind the orders already deferred. */
  postpone(trigger: TriggerOrder): void {
    this.#overdue.push(trigger);
  }

  /** Sorts a restored book's deferred orders, which were added by id, by due time. */
  sortOverdue(): void {
    this.#overdue.sort((a, b) => (a.dueMs ?? 0) - (b.dueMs ?? 0) || a.orderId - b.orderId);
  }

  /** Stores the trigger of a fired order that now rests in the book. */
  remember(orderId: number, fired: FiredTrigger): void {
    this.#fired.set(orderId, fired);
  }

  forget(orderId: number): void {
    if (this.#fired.size > 0) this.#fired.delete(orderId);
  }

  firedAs(orderId: number): FiredTrigger | undefined {
    return this.#fired.size === 0 ? undefined : this.#fired.get(orderId);
  }

  /** Returns the triggers of resting orders, sorted by order id for the dump. */
  allFired(): (readonly [orderId: number, fired: FiredTrigger])[] {
    return [...this.#fired].sort((a, b) => a[0] - b[0]);
  }

  /** Returns the instruments in which an unchanged mark may reach further orders. */
  instrumentsToCheck(): readonly number[] {
    return this.#toCheck.size === 0 ? [] : [...this.#toCheck];
  }

  #wait(trigger: TriggerOrder): void {
    this.#heapOf(trigger).push(trigger);
    this.#toCheck.add(trigger.request.instrumentId);
  }

  #heapOf(trigger: TriggerOrder): TriggerHeap {
    const { instrumentId } = trigger.request;
    const heaps = firesAbove(trigger) ? this.#above : this.#below;
    let heap = heaps.get(instrumentId);
    if (heap === undefined) {
      heap = new TriggerHeap(firesAbove(trigger) ? 1 : -1);
      heaps.set(instrumentId, heap);
    }
    return heap;
  }
}

/**
 * Returns true for take-profit sells and stop-loss buys, which fire when the mark rises; the other
 * two kinds fire when it falls.
 */
function firesAbove({ request }: Pick<TriggerOrder, 'request'>): boolean {
  return (request.trigger.kind === 'takeProfit') !== request.isBuy;
}

function isReached(trigger: TriggerOrder, mark: number): boolean {
  const { price } = trigger.request.trigger;
  return firesAbove(trigger) ? mark >= price : mark <= price;
}

/**
 * Compares two fired orders by the time of their next attempt. An order that has not fired is not
 * in a retry queue.
 */
export function triesBefore(a: TriggerOrder, b: TriggerOrder): boolean {
  const [x, y] = [a.firing?.nextMs ?? 0, b.firing?.nextMs ?? 0];
  return x < y || (x === y && a.orderId < b.orderId);
}

/**
 * A trigger order that waits outside the book until the mark reaches its trigger price (R-trigger).
 */
export type TriggerOrder = {
  readonly orderId: number;
  readonly accountIndex: number;
  readonly request: OrderRequest & { readonly trigger: TriggerRequest };
  readonly createdMs: number;
  /** The id of the order's group, if any (R-grouping). */
  readonly groupId: number | undefined;
  /** True if the order is attached to a position, not to a parent order. */
  readonly isPositionTpsl: boolean;
  /** True for a child order while its parent has no fills. The first fill activates the child. */
  isDormant: boolean;
  /** The largest size at which the order can fire: its parent's filled size. */
  sizeMax: number | undefined;
  /** The time at which the mark reached the order in a block that could not fire it (R-storms). */
  dueMs: number | undefined;
  /** The progress of an order that has fired and is retrying its unfilled size. */
  firing: Firing | undefined;
};

/**
 * The progress of a reducing market trigger that has fired but is not fully filled. It stays armed
 * and retries its unfilled size (R-trigger).
 */
export type Firing = {
  filled: number;
  /** The sum of price × size over the fills, in micro-USDC. */
  filledNotional: number;
  /** The lots still to fill, at least 1. */
  rest: number;
  /** The distance from the mark for the next attempt, in 10^-8. */
  slippageE8: number;
  nextMs: number;
  /**
   * The amount by which rounding has overcharged the taker fee, in 10^-8 micro-USDC (R-rounding).
   */
  feeOverpaid: number;
  /** The builder, with the fraction of its fee left uncharged by earlier attempts. */
  readonly builder: OrderBuilder | undefined;
};

export type FiredTrigger = {
  readonly trigger: TriggerRequest;
  readonly isPositionTpsl: boolean;
};

/** A heap is cleaned up only if it has at least this many entries. */
const CLEAN_UP_MIN = 64;

/**
 * The waiting orders of one instrument and direction, with the order that the mark reaches first on
 * top. Ended orders leave their entry in the heap. The entry is removed when the mark reaches it or
 * when ended entries make up half of the heap.
 */
class TriggerHeap {
  /**
   * The sign of the heap keys: 1 for orders that fire above their price, −1 for orders that fire
   * below it.
   */
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

  /** Counts an order in the heap as ended, and removes ended entries if there are many. */
  left(isLive: (trigger: TriggerOrder) => boolean): void {
    this.#dead += 1;
    const { size } = this.#heap;
    if (size < CLEAN_UP_MIN || 2 * this.#dead < size) return;
    this.#heap.retain(isLive);
    this.#dead = 0;
  }

  /** Removes and returns the live orders whose signed price is at or below the signed mark. */
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
