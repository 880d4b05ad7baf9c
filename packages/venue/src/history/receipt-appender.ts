import { isDatabaseFull } from './receipt-database.ts';
import type { PackedBlock } from './receipt-messages.ts';

export type ReceiptAppenderOptions = {
  /** Stores blocks or throws. */
  readonly write: (blocks: readonly PackedBlock[]) => void;
  /** Told after each message that was stored. */
  readonly onStored: (rows: number) => void;
  readonly retryMs: number;
};

/**
 * Stores receipts in the order in which they come. A disk without room is waited for (R-disk): what
 * can't be stored yet is held, and everything behind it too. It is in the log, so a process that ends
 * meanwhile loses nothing. Any other failure is the caller's.
 */
export class ReceiptAppender {
  readonly #options: ReceiptAppenderOptions;
  readonly #held: (readonly PackedBlock[])[] = [];

  constructor(options: ReceiptAppenderOptions) {
    this.#options = options;
  }

  append(blocks: readonly PackedBlock[]): void {
    this.#held.push(blocks);
    if (this.#held.length === 1) this.#storeHeld();
  }

  /** Stores what waits, as far as there is room. */
  #storeHeld(): void {
    const { onStored, retryMs, write } = this.#options;
    for (let blocks = this.#held[0]; blocks !== undefined; blocks = this.#held[0]) {
      try {
        write(blocks);
      } catch (error) {
        if (!isDatabaseFull(error)) throw error;
        setTimeout(() => this.#storeHeld(), retryMs).unref();
        return;
      }
      this.#held.shift();
      onStored(blocks.reduce((sum, block) => sum + block.count, 0));
    }
  }
}
