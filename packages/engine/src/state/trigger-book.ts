import { Heap } from '../collections/heap.ts';
import { LayeredMap } from '../collections/maps.ts';
import type { OrderRequest, TriggerRequest } from '../messages/command.ts';
import type { OrderBuilder } from './account.ts';

/** Waiting orders by id, by account, and by the mark that fires them. */
export class TriggerBook {
  #byId = new Map<number, TriggerOrder>();
  #byAccount = new Map<number, Set<TriggerOrder>>();
  /** By instrument: orders that fire when the mark is at or above, or at or below, their price. */
  readonly #above = new Map<number, TriggerHeap>();
  readonly #below = new Map<number, TriggerHeap>();
  /** Reached by the mark but not fired yet: by due time, then order id. */
  #overdue: TriggerOrder[] = [];
  /** By instrument: orders that have fired and retry, the next one on top. */
  readonly #retries = new Map<number, Heap<TriggerOrder>>();
  #retryCount = 0;
  /** Instruments with an order that started to wait or to retry since the last check. */
  readonly #toCheck = new Set<number>();
  /** The order that is being tried, which does not wait meanwhile. */
  #atWork: TriggerOrder | undefined;
  /** Resting orders that were triggers, by order id. */
  #fired = new Map<number, FiredTrigger>();

  /**
   * A book with the same orders that can change without changing this one, which must not change meanwhile. It serves
   * commands and not blocks: no mark fires copied orders, because the queues for blocks are not copied.
   */
  fork(): TriggerBook {
    const fork = new TriggerBook();
    const byId = new LayeredMap(this.#byId, (trigger) => ({ ...trigger }));
    // An order removed by id before its account was first read is not copied.
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

  /** The order while it waits, but not while it is being tried. */
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

  /** By order id, for a dump. */
  all(): TriggerOrder[] {
    return [...this.#byId.values()].sort((a, b) => a.orderId - b.orderId);
  }

  /** Orders are added by id, so that an account's orders are in order of creation. */
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

  /** Raises a child to its parent's filled size; the first fill starts its wait for the price. */
  grow(trigger: TriggerOrder, sizeMax: number): void {
    trigger.sizeMax = sizeMax;
    if (!trigger.isDormant) return;
    trigger.isDormant = false;
    this.#wait(trigger);
  }

  /** During a try, the order cannot be cancelled by consequences of its own fills. */
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
   * Removes and returns the fired orders of an instrument that may retry, by that time, then order
   * id. An order whose price is no longer reached waits for it as before its first firing.
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

  /** False once the order was cancelled or fired. */
  isLive(trigger: TriggerOrder): boolean {
    return this.#byId.get(trigger.orderId) === trigger;
  }

  /** Removes and returns the orders of an instrument that a mark fires; they are due now. */
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

  /** Defers a reached order to the next block, after the ones already deferred. */
  postpone(trigger: TriggerOrder): void {
    this.#overdue.push(trigger);
  }

  /** Restored orders arrive by id; deferred ones are queued by due time first. */
  sortOverdue(): void {
    this.#overdue.sort((a, b) => (a.dueMs ?? 0) - (b.dueMs ?? 0) || a.orderId - b.orderId);
  }

  /** Stores the trigger of a resting order until it ends. */
  remember(orderId: number, fired: FiredTrigger): void {
    this.#fired.set(orderId, fired);
  }

  forget(orderId: number): void {
    if (this.#fired.size > 0) this.#fired.delete(orderId);
  }

  firedAs(orderId: number): FiredTrigger | undefined {
    return this.#fired.size === 0 ? undefined : this.#fired.get(orderId);
  }

  /** By order id, for a dump. */
  allFired(): (readonly [orderId: number, fired: FiredTrigger])[] {
    return [...this.#fired].sort((a, b) => a[0] - b[0]);
  }

  /** Instruments in which an unchanged mark may reach further orders. */
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

/** A take-profit sell and a stop-loss buy fire on the way up; the other two on the way down. */
function firesAbove({ request }: Pick<TriggerOrder, 'request'>): boolean {
  return (request.trigger.kind === 'takeProfit') !== request.isBuy;
}

function isReached(trigger: TriggerOrder, mark: number): boolean {
  const { price } = trigger.request.trigger;
  return firesAbove(trigger) ? mark >= price : mark <= price;
}

/** Both have fired: an order before its first firing is in no queue of retries. */
export function triesBefore(a: TriggerOrder, b: TriggerOrder): boolean {
  const [x, y] = [a.firing?.nextMs ?? 0, b.firing?.nextMs ?? 0];
  return x < y || (x === y && a.orderId < b.orderId);
}

/** An order that waits off the book for the mark (R-trigger). */
export type TriggerOrder = {
  readonly orderId: number;
  readonly accountIndex: number;
  readonly request: OrderRequest & { readonly trigger: TriggerRequest };
  readonly createdMs: number;
  /** The group of its parent, if any (R-grouping). */
  readonly groupId: number | undefined;
  /** Attached to a position instead of a parent. */
  readonly isPositionTpsl: boolean;
  /** A child whose parent has no fills yet, for which it waits first. */
  isDormant: boolean;
  /** The largest size at which it may fire: the filled size of its parent. */
  sizeMax: number | undefined;
  /** The time at which the mark reached it in a block that could not fire it (R-storms). */
  dueMs: number | undefined;
  /** Present once it has fired and retries its rest. */
  firing: Firing | undefined;
};

/**
 * A reducing market trigger that has fired and is not fully filled: it stays armed for its rest and
 * retries (R-trigger).
 */
export type Firing = {
  filled: number;
  /** Sum of price × size over the fills, micro-USDC. */
  filledNotional: number;
  /** Lots still to fill, at least 1. */
  rest: number;
  /** The distance from the mark for its next try, 10^-8. */
  slippageE8: number;
  /** The time of the next try. */
  nextMs: number;
  /** The overcharge of the taker fee by rounding, in 10^-8 micro-USDC (R-rounding). */
  feeOverpaid: number;
  /** The builder, with the uncharged part of earlier tries. */
  readonly builder: OrderBuilder | undefined;
};

/** The trigger of an order that now rests in the book. */
export type FiredTrigger = {
  readonly trigger: TriggerRequest;
  readonly isPositionTpsl: boolean;
};

/** Up to this many entries a heap is not cleaned up. */
const CLEAN_UP_MIN = 64;

/**
 * Waiting orders of one instrument and direction, the price that is reached first on top. Ended orders leave their
 * entry behind; it is removed when it is reached, or when stale entries outnumber live ones.
 */
class TriggerHeap {
  /** 1 for orders that fire above their price, −1 for those below, so that keys increase. */
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

  /** Reports that an order of the heap has ended. */
  left(isLive: (trigger: TriggerOrder) => boolean): void {
    this.#dead += 1;
    const { size } = this.#heap;
    if (size < CLEAN_UP_MIN || 2 * this.#dead < size) return;
    this.#heap.retain(isLive);
    this.#dead = 0;
  }

  /** Removes and returns the live orders whose signed price is at or below the mark's. */
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
