import { Worker } from 'node:worker_threads';
import type { PackedBlock } from './receipt-messages.ts';
import type { ReceiptStore } from './receipt-store.ts';
import type { RebuildData } from './rebuild-worker.ts';

export type ReceiptRebuildOptions = {
  /** The data folder. */
  readonly data: string;
  readonly store: Pick<ReceiptStore, 'fillIn' | 'missing'>;
  readonly onDone: (until: number) => void;
  /** Receipts stay missing until the next start; nothing else depends on them. */
  readonly onFailed: (error: unknown) => void;
};

/** Computes the receipts that a store has lost, on a thread of its own, while the venue serves. */
export class ReceiptRebuild {
  readonly #options: ReceiptRebuildOptions;
  #worker: Worker | undefined;
  #isRunning = false;

  constructor(options: ReceiptRebuildOptions) {
    this.#options = options;
  }

  /** From now on what is missing is computed. The journal has to be open. */
  async start(): Promise<void> {
    this.#isRunning = true;
    await this.look();
  }

  /** Begins when something is missing, anew when it is under way. */
  async look(): Promise<void> {
    await this.#end();
    const { data, store } = this.#options;
    const { missing } = store;
    // Somebody else may have begun while the one before was ending.
    if (missing === undefined || !this.#isRunning || this.#worker !== undefined) return;
    const stored = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
    const workerData: RebuildData = { data, missing, stored };
    const worker = new Worker(new URL('./rebuild-worker.ts', import.meta.url), { workerData });
    this.#worker = worker;
    worker.on('message', (blocks: readonly PackedBlock[]) => {
      if (this.#worker === worker) void this.#fill(worker, blocks, stored);
    });
    worker.on('error', (error) => this.#options.onFailed(error));
  }

  async stop(): Promise<void> {
    this.#isRunning = false;
    await this.#end();
  }

  async #fill(worker: Worker, blocks: readonly PackedBlock[], stored: Int32Array): Promise<void> {
    const { onDone, onFailed, store } = this.#options;
    const until = store.missing?.until;
    try {
      await store.fillIn(blocks);
    } catch (error) {
      if (this.#worker === worker) onFailed(error);
      return;
    }
    Atomics.add(stored, 0, 1);
    Atomics.notify(stored, 0);
    if (this.#worker !== worker || store.missing !== undefined || until === undefined) return;
    this.#worker = undefined;
    onDone(until);
  }

  async #end(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
  }
}
