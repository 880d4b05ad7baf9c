import type { Hash, MicroUsdc } from '@oddlot/units';
import { Heap } from '../collections/heap.ts';
import type { OrderRequest } from '../messages/command.ts';

/** R-delay: an outcome order that was accepted and waits to reach the book. */
export type QueuedOrder = {
  /** By arrival. */
  readonly queueId: number;
  readonly accountIndex: number;
  readonly request: OrderRequest;
  /** The action that it came with, and its place there. */
  readonly txHash: Hash;
  readonly index: number;
  readonly dueMs: number;
  readonly acceptedMs: number;
  /** Money of a buy; a sell has reserved its shares in the holding. */
  readonly reserve: MicroUsdc;
};

/** Queued orders by due time, then arrival: many wait when a market has a delay and a crowd. */
export class DelayQueue {
  nextId = 1;
  readonly #orders = new Heap<QueuedOrder>((a, b) => byDue(a, b) < 0);
  /** How many of an action wait. */
  readonly #byAction = new Map<string, number>();

  get size(): number {
    return this.#orders.size;
  }

  /** When the first is due; undefined when none waits. */
  get nextDueMs(): number | undefined {
    return this.#orders.first?.dueMs;
  }

  push(order: QueuedOrder): void {
    this.#orders.push(order);
    this.#byAction.set(order.txHash, (this.#byAction.get(order.txHash) ?? 0) + 1);
  }

  /** Takes the next order that is due; undefined when none is. */
  takeDue(timeMs: number): QueuedOrder | undefined {
    const { first } = this.#orders;
    if (first === undefined || first.dueMs > timeMs) return undefined;
    this.#orders.pop();
    const left = (this.#byAction.get(first.txHash) ?? 0) - 1;
    if (left > 0) this.#byAction.set(first.txHash, left);
    else this.#byAction.delete(first.txHash);
    return first;
  }

  /** Whether an order of the action waits. */
  hasAction(txHash: string): boolean {
    return this.#byAction.has(txHash);
  }

  /**
   * The queue of a fork, which executes commands and not blocks: they add to the queue and never look
   * at what waits in it, so it starts empty.
   */
  fork(): DelayQueue {
    const queue = new DelayQueue();
    queue.nextId = this.nextId;
    return queue;
  }

  /** Sells of an account that wait, in no order. */
  *sellsOf(accountIndex: number): Iterable<QueuedOrder> {
    if (this.size === 0) return;
    for (const order of this.#orders.all()) {
      if (order.accountIndex === accountIndex && order.request.reduceOnly) yield order;
    }
  }

  /** By due time, then arrival. */
  all(): readonly QueuedOrder[] {
    return [...this.#orders.all()].sort(byDue);
  }
}

function byDue(a: QueuedOrder, b: QueuedOrder): number {
  return a.dueMs - b.dueMs || a.queueId - b.queueId;
}
