import { LayeredMap } from '../collections/layered-map.ts';
import { TriggerHeap } from './trigger-heap.ts';
import type { FiredTrigger, TriggerOrder } from './trigger-order.ts';

/** Waiting orders, found by id, by account, and by the mark that fires them. */
export class TriggerBook {
  #byId = new Map<number, TriggerOrder>();
  #byAccount = new Map<number, Set<TriggerOrder>>();
  /** By instrument: orders that fire when the mark is at or above, at or below their price. */
  readonly #above = new Map<number, TriggerHeap>();
  readonly #below = new Map<number, TriggerHeap>();
  /** Reached by the mark and not fired yet: by due time, then order id. */
  #overdue: TriggerOrder[] = [];
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
    return fork;
  }

  get size(): number {
    return this.#byId.size;
  }

  find(orderId: number): TriggerOrder | undefined {
    return this.#byId.get(orderId);
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
    if (trigger.dueMs !== undefined) this.#overdue.push(trigger);
    else if (!trigger.isDormant) this.#heapOf(trigger).push(trigger);
  }

  /** Lets a child wait for its price now that its parent has filled. */
  wake(trigger: TriggerOrder, sizeMax: number): void {
    trigger.isDormant = false;
    trigger.sizeMax = sizeMax;
    this.#heapOf(trigger).push(trigger);
  }

  remove(trigger: TriggerOrder): void {
    if (!this.#byId.delete(trigger.orderId)) return;
    const own = this.#byAccount.get(trigger.accountIndex);
    own?.delete(trigger);
    if (own?.size === 0) this.#byAccount.delete(trigger.accountIndex);
    if (!trigger.isDormant && trigger.dueMs === undefined) {
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
    const above = this.#above.get(instrumentId)?.take(mark, isLive) ?? [];
    const below = this.#below.get(instrumentId)?.take(-mark, isLive) ?? [];
    const reached = [...above, ...below];
    for (const trigger of reached) trigger.dueMs = timeMs;
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
export function firesAbove({ request }: Pick<TriggerOrder, 'request'>): boolean {
  return (request.trigger.kind === 'takeProfit') !== request.isBuy;
}
