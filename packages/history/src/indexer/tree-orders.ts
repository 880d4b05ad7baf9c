import type { State } from '@oddlot/engine';
import { buildTree } from '../reserves/build-tree.ts';
import {
  createTreeHasher,
  treeFolder,
  type TreeHasher,
  treeSecret,
} from '../reserves/tree-file.ts';
import type { IndexerReport, Question } from './indexer-messages.ts';

/** A thread that is further behind answers without a tree. */
const BLOCKS_WAITED_MAX = 10_000;

/** Requests for reserves trees: each tree has one state, at or after the requested block. */
export class TreeOrders {
  readonly #tell: (report: IndexerReport) => void;
  readonly #folder: string;
  #orders: Question[] = [];
  #hasher: Promise<TreeHasher> | undefined;

  constructor(options: { readonly tell: (report: IndexerReport) => void; readonly data: string }) {
    this.#tell = options.tell;
    this.#folder = treeFolder(options.data);
  }

  get hasOrders(): boolean {
    return this.#orders.length > 0;
  }

  take(order: Question, height: number): void {
    if (order.height - height <= BLOCKS_WAITED_MAX) this.#orders.push(order);
    else this.#tell({ type: 'behind', id: order.id, asOf: { height, timeMs: 0 } });
  }

  isDue(height: number): boolean {
    return this.#orders.some((order) => order.height <= height);
  }

  /** Builds one tree for all due requests. The state must not change meanwhile. */
  async build(options: {
    readonly state: State;
    readonly head: { readonly height: number; readonly timeMs: number };
    readonly pause: () => Promise<void>;
  }): Promise<void> {
    const { height, timeMs } = options.head;
    const due = this.#orders.filter((order) => order.height <= height);
    if (due.length === 0) return;
    this.#orders = this.#orders.filter((order) => order.height > height);
    try {
      const hasher = await (this.#hasher ??= createTreeHasher());
      const secret = treeSecret(this.#folder);
      const answer = await buildTree({ ...options, height, secret, folder: this.#folder, hasher });
      for (const { id } of due) {
        this.#tell({ type: 'answer', id, asOf: { height, timeMs }, answer, workMs: 0 });
      }
    } catch (error) {
      for (const { id } of due) this.#tell({ type: 'failed', id, error });
    }
  }
}
