import type { OrderRequest, TriggerRequest } from '../command.ts';

/** An order that waits off the book for the mark (R-trigger). */
export type TriggerOrder = {
  readonly orderId: number;
  readonly accountIndex: number;
  readonly request: OrderRequest & { readonly trigger: TriggerRequest };
  readonly createdMs: number;
  /** The group that it is a child of, if any (R-grouping). */
  readonly groupId: number | undefined;
  /** A child whose parent has not filled: it waits for that first. */
  isDormant: boolean;
  /** Largest size it may have when it fires: the filled size of a parent that ended early. */
  sizeMax: number | undefined;
};

/** Waiting orders, found by id, by account, and by the mark that fires them. */
export class TriggerBook {
  readonly #byId = new Map<number, TriggerOrder>();
  readonly #byAccount = new Map<number, Set<TriggerOrder>>();
  /** By instrument: orders that fire when the mark is at or above, at or below their price. */
  readonly #above = new Map<number, TriggerHeap>();
  readonly #below = new Map<number, TriggerHeap>();

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

  /** By order id, for a dump. */
  all(): TriggerOrder[] {
    return [...this.#byId.values()].sort((a, b) => a.orderId - b.orderId);
  }

  add(trigger: TriggerOrder): void {
    this.#byId.set(trigger.orderId, trigger);
    let own = this.#byAccount.get(trigger.accountIndex);
    if (own === undefined) {
      own = new Set();
      this.#byAccount.set(trigger.accountIndex, own);
    }
    own.add(trigger);
    if (!trigger.isDormant) this.#arm(trigger);
  }

  /** Lets a child wait for its price now that its parent has filled. */
  wake(trigger: TriggerOrder, sizeMax: number): void {
    trigger.isDormant = false;
    trigger.sizeMax = sizeMax;
    this.#arm(trigger);
  }

  remove(trigger: TriggerOrder): void {
    this.#byId.delete(trigger.orderId);
    const own = this.#byAccount.get(trigger.accountIndex);
    own?.delete(trigger);
    if (own?.size === 0) this.#byAccount.delete(trigger.accountIndex);
  }

  /** The orders of an instrument that a mark fires, by order id. They stay until removed. */
  due(instrumentId: number, mark: number): TriggerOrder[] {
    const isLive = (trigger: TriggerOrder): boolean => this.#byId.get(trigger.orderId) === trigger;
    const above = this.#above.get(instrumentId)?.reached(mark, isLive) ?? [];
    const below = this.#below.get(instrumentId)?.reached(-mark, isLive) ?? [];
    return [...above, ...below].sort((a, b) => a.orderId - b.orderId);
  }

  #arm(trigger: TriggerOrder): void {
    const { instrumentId, trigger: condition } = trigger.request;
    const heaps = firesAbove(trigger) ? this.#above : this.#below;
    let heap = heaps.get(instrumentId);
    if (heap === undefined) {
      heap = new TriggerHeap();
      heaps.set(instrumentId, heap);
    }
    heap.push(firesAbove(trigger) ? condition.price : -condition.price, trigger);
  }
}

/** A take-profit sell and a stop-loss buy fire on the way up; the other two on the way down. */
export function firesAbove({ request }: Pick<TriggerOrder, 'request'>): boolean {
  return (request.trigger.kind === 'takeProfit') !== request.isBuy;
}

/**
 * A binary heap by key, lowest first. Orders that ended leave their entry behind; it goes when it
 * is reached, or when the dead outnumber the living.
 */
class TriggerHeap {
  #entries: { readonly key: number; readonly trigger: TriggerOrder }[] = [];

  push(key: number, trigger: TriggerOrder): void {
    const entries = this.#entries;
    entries.push({ key, trigger });
    let child = entries.length - 1;
    while (child > 0) {
      const parent = (child - 1) >> 1;
      if (!this.#before(child, parent)) break;
      this.#swap(child, parent);
      child = parent;
    }
  }

  /** Live orders with a key at or below the mark's. They are looked at, not taken. */
  reached(mark: number, isLive: (trigger: TriggerOrder) => boolean): TriggerOrder[] {
    const due: { readonly key: number; readonly trigger: TriggerOrder }[] = [];
    for (;;) {
      const first = this.#entries[0];
      if (first === undefined || first.key > mark) break;
      this.#pop();
      if (isLive(first.trigger)) due.push(first);
    }
    for (const { key, trigger } of due) this.push(key, trigger);
    return due.map(({ trigger }) => trigger);
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
      const least = right < entries.length && this.#before(right, left) ? right : left;
      if (!this.#before(least, parent)) return;
      this.#swap(least, parent);
      parent = least;
    }
  }

  #before(a: number, b: number): boolean {
    const x = this.#entries[a];
    const y = this.#entries[b];
    if (x === undefined || y === undefined) return false;
    return x.key < y.key || (x.key === y.key && x.trigger.orderId < y.trigger.orderId);
  }

  #swap(a: number, b: number): void {
    const x = this.#entries[a];
    const y = this.#entries[b];
    if (x === undefined || y === undefined) return;
    this.#entries[a] = y;
    this.#entries[b] = x;
  }
}
