import { Heap } from '../collections/heap.ts';
import { LayeredMap } from '../collections/maps.ts';
import type { OrderRequest, TriggerRequest } from '../messages/command.ts';
import type { OrderBuilder } from './account.ts';

/** Waiting orders, found by id, by account, and by the mark that fires them. */
export class TriggerBook {
  #byId = new Map<number, TriggerOrder>();
  #byAccount = new Map<number, Set<TriggerOrder>>();
  /** By instrument: orders that fire when the mark is at or above, at or below their price. */
  readonly #above = new Map<number, TriggerHeap>();
  readonly #below = new Map<number, TriggerHeap>();
  /** Reached by the mark and not fired yet: by due time, then order id. */
  #overdue: TriggerOrder[] = [];
  /** By instrument: orders that have fired and try again, the one that may do so first on top. */
  readonly #retries = new Map<number, Heap<TriggerOrder>>();
  #retryCount = 0;
  /** Instruments in which an order has begun to wait since it was asked who is reached, or tries again. */
  readonly #toCheck = new Set<number>();
  /** The one that is trying right now: until that is over, it does not wait. */
  #atWork: TriggerOrder | undefined;
  /** Orders that fired and rest in the book, by order id. */
  #fired = new Map<number, FiredTrigger>();

  /**
   * A book with the same orders, which may be changed without changing this one; this one must stand
   * still meanwhile. It is for commands and not for blocks: no mark fires the orders that it took
   * over, for the queues that only a block asks are left behind.
   */
  fork(): TriggerBook {
    const fork = new TriggerBook();
    const byId = new LayeredMap(this.#byId, (trigger) => ({ ...trigger }));
    // An order that has left by id before its account was looked at is not taken over.
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

  /** The order when it waits; one that is trying at this moment does not. */
  find(orderId: number): TriggerOrder | undefined {
    if (this.#byId.size === 0) return undefined;
    const trigger = this.#byId.get(orderId);
    return trigger === this.#atWork ? undefined : trigger;
  }

  /** True when some order has fired and tries again. */
  get hasRetries(): boolean {
    return this.#retryCount > 0;
  }

  /** In order of creation. */
  ofAccount(accountIndex: number): Iterable<TriggerOrder> {
    return this.#byAccount.get(accountIndex) ?? [];
  }

  /** How many wait, of one account in all. */
  countOf(accountIndex: number): number {
    return this.#byAccount.get(accountIndex)?.size ?? 0;
  }

  /** By order id, for a dump. */
  all(): TriggerOrder[] {
    return [...this.#byId.values()].sort((a, b) => a.orderId - b.orderId);
  }

  /** Orders are added by id, so that an account's stand in order of creation. */
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

  /** A child may sell what its parent has filled; with the first fill it starts to wait for its price. */
  grow(trigger: TriggerOrder, sizeMax: number): void {
    trigger.sizeMax = sizeMax;
    if (!trigger.isDormant) return;
    trigger.isDormant = false;
    this.#wait(trigger);
  }

  /** While it tries, an order is not there to be cancelled by what its fills bring about. */
  startWork(trigger: TriggerOrder): void {
    this.#atWork = trigger;
  }

  endWork(): void {
    this.#atWork = undefined;
  }

  /** Keeps a fired order armed for its rest. */
  arm(trigger: TriggerOrder, firing: Firing): void {
    if (trigger.firing === undefined) this.#retryCount += 1;
    trigger.firing = firing;
    trigger.dueMs = undefined;
    this.retryLater(trigger);
  }

  /** Lets a fired order try from the time on that it says. */
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
   * Takes the fired orders of an instrument that may try again, by that time, then order id. One whose
   * price the mark has left waits for it as it did before it fired.
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

  /** Takes the orders of an instrument that a mark fires out of the heaps; they are due now. */
  takeReached(instrumentId: number, mark: number, timeMs: number): TriggerOrder[] {
    const isLive = (trigger: TriggerOrder): boolean => this.isLive(trigger);
    if ((this.#retries.get(instrumentId)?.size ?? 0) === 0) this.#toCheck.delete(instrumentId);
    const above = this.#above.get(instrumentId)?.take(mark, isLive) ?? [];
    const below = this.#below.get(instrumentId)?.take(-mark, isLive) ?? [];
    const reached = [...above, ...below];
    for (const trigger of reached) if (trigger.firing === undefined) trigger.dueMs = timeMs;
    return reached;
  }

  /** Takes the orders that earlier blocks left over, first due first. */
  takeOverdue(): TriggerOrder[] {
    const left = this.#overdue;
    this.#overdue = [];
    return left.filter((trigger) => this.isLive(trigger));
  }

  /** Keeps a reached order for the next block, behind those that are kept already. */
  postpone(trigger: TriggerOrder): void {
    this.#overdue.push(trigger);
  }

  /** Restored orders come by id; the ones left over queue by due time first. */
  sortOverdue(): void {
    this.#overdue.sort((a, b) => (a.dueMs ?? 0) - (b.dueMs ?? 0) || a.orderId - b.orderId);
  }

  /** Remembers that a resting order was a trigger, until it ends. */
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

  /** Instruments in which the same mark may reach an order that it did not reach before. */
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

/** True while the mark is at or beyond the price of an order. */
function isReached(trigger: TriggerOrder, mark: number): boolean {
  const { price } = trigger.request.trigger;
  return firesAbove(trigger) ? mark >= price : mark <= price;
}

/** Both have fired: an order that waits for its first firing is in no queue of retries. */
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
  /** The group that it is a child of, if any (R-grouping). */
  readonly groupId: number | undefined;
  /** Attached to a position, not to a parent. */
  readonly isPositionTpsl: boolean;
  /** A child whose parent has filled nothing: it waits for that first. */
  isDormant: boolean;
  /** Largest size it may have when it fires: what its parent has filled so far. */
  sizeMax: number | undefined;
  /** When the mark reached it in a block that had no room to fire it (R-storms). */
  dueMs: number | undefined;
  /** Set once it has fired and tries on for its rest. */
  firing: Firing | undefined;
};

/**
 * A reducing market trigger that has fired and is not filled in full: it stays armed for its rest and
 * tries again (R-trigger).
 */
export type Firing = {
  filled: number;
  /** Sum of price × size over the fills, micro-USDC. */
  filledNotional: number;
  /** Lots still to fill, at least 1. */
  rest: number;
  /** How far from the mark its next try may trade, 10^-8. */
  slippageE8: number;
  /** When it may try again. */
  nextMs: number;
  /** Rounding that the taker fee has paid ahead, 10^-8 micro-USDC (R-rounding). */
  feeOverpaid: number;
  /** Who charges for it, with what the tries so far have left uncharged. */
  readonly builder: OrderBuilder | undefined;
};

/** What an order in the book remembers of the trigger that it was. */
export type FiredTrigger = {
  readonly trigger: TriggerRequest;
  readonly isPositionTpsl: boolean;
};

/** Up to this many entries a heap is not worth a clean-up. */
const CLEAN_UP_MIN = 64;

/**
 * Waiting orders of one instrument and direction, the price that is reached first on top. Orders
 * that ended leave their entry behind; it goes when it is reached, or when the dead outnumber the
 * living.
 */
class TriggerHeap {
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
