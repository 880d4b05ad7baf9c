import type { State } from '@oddlot/engine';
import { buildTree } from '../reserves/build-tree.ts';
import {
  createTreeHasher,
  treeFolder,
  type TreeHasher,
  treeSecret,
} from '../reserves/tree-file.ts';
import type { IndexerReport, Question } from './indexer-messages.ts';

/** Who is further behind than this has other things to do first. */
const BLOCKS_WAITED_MAX = 10_000;

/** Trees over what is owed that were asked for: each is built of one state, at or behind its block. */
export class TreeOrders {
  readonly #tell: (report: IndexerReport) => void;
  readonly #folder: string;
  #orders: Question[] = [];
  #hasher: Promise<TreeHasher> | undefined;

  constructor(options: {
    readonly tell: (report: IndexerReport) => void;
    /** The data folder. */
    readonly data: string;
  }) {
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

  /** Builds what is due; one tree is for all who wait. The state must not change meanwhile. */
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
