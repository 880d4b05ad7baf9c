import type { Hash, MicroUsdc } from '@oddlot/units';
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

/**
 * Queued orders by due time, then arrival. Delays differ from market to market but are few, so one
 * sorted list per delay would do; a single list with insertion from the end is simpler and as quick.
 */
export class DelayQueue {
  nextId = 1;
  readonly #orders: QueuedOrder[] = [];
  /** How many at the front have been taken. */
  #taken = 0;

  get size(): number {
    return this.#orders.length - this.#taken;
  }

  /** When the first is due; undefined when none waits. */
  get nextDueMs(): number | undefined {
    return this.#orders[this.#taken]?.dueMs;
  }

  push(order: QueuedOrder): void {
    const orders = this.#orders;
    let at = orders.length;
    while (at > this.#taken && (orders[at - 1]?.dueMs ?? 0) > order.dueMs) at--;
    orders.splice(at, 0, order);
  }

  /** Takes the next order that is due; undefined when none is. */
  takeDue(timeMs: number): QueuedOrder | undefined {
    const first = this.#orders[this.#taken];
    if (first === undefined || first.dueMs > timeMs) return undefined;
    this.#taken += 1;
    // Moves the rest to the front once as much has left as stays.
    if (this.#taken * 2 > this.#orders.length) {
      this.#orders.splice(0, this.#taken);
      this.#taken = 0;
    }
    return first;
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

  /** By due time, then arrival. */
  all(): readonly QueuedOrder[] {
    return this.#orders.slice(this.#taken);
  }
}
