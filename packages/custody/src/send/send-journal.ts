import { type RecordStore, recordStoreAt } from '@oddlot/host/durable';
import type { Hex } from 'viem';

/** A signed version of a transaction. Later versions have the same nonce and offer higher fees. */
export type Attempt = {
  readonly txHash: Hex;
  readonly raw: Hex;
  readonly maxFee: string;
  readonly priorityFee: string;
  readonly atMs: number;
};

export type SendRecord = {
  readonly key: string;
  readonly to: Hex;
  readonly data: Hex;
  readonly gas: string;
  /** The ether to send with the transaction, in wei; undefined if there is none. */
  readonly value?: string;
  readonly nonce: number;
  /** The number of nonces that the chain had used when this nonce was assigned. */
  readonly usedBefore?: number;
  readonly askedMs: number;
  /** The attempts, oldest first. Any of them can be the one in a block. */
  readonly attempts: readonly Attempt[];
  readonly mined:
    | {
        readonly txHash: Hex;
        readonly blockNumber: number;
        readonly succeeded: boolean;
        /** True once the block has enough confirmations. */
        readonly isConfirmed: boolean;
      }
    | undefined;
  /** The reason for a delay, for the operator. */
  readonly trouble?: string | undefined;
};

/**
 * The number of completed transactions that are remembered, so that a request with the same key is
 * not sent again.
 */
const DONE_MAX = 10_000;

/**
 * Thrown if a crash cannot explain the file's content. The message gives the operator everything
 * needed.
 */
export class SendsDamagedError extends Error {
  override readonly name = 'SendsDamagedError';
}

/**
 * Stores every transaction that a relayer signs, on disk before it is sent. After a crash, the same
 * transactions are resent and no others. The last line for each key is the valid one. No entry is
 * dropped early, because a forgotten transaction would be sent a second time.
 */
export class SendJournal {
  readonly #file: RecordStore;
  readonly #records = new Map<string, SendRecord>();
  #used = 0;

  constructor(place: string | RecordStore) {
    this.#file = recordStoreAt(place);
    const { damaged, records } = this.#file.read();
    if (damaged.length > 0) {
      throw new SendsDamagedError(
        `${this.#file.name}: line ${damaged[0]} is damaged. Restore an intact copy: the file ` +
          'contains the transactions that the venue has signed',
      );
    }
    for (const record of records as readonly SendRecord[]) this.#remember(record);
    this.#forget();
    this.#file.shorten(this.#records);
  }

  get(key: string): SendRecord | undefined {
    return this.#records.get(key);
  }

  keys(): readonly string[] {
    return [...this.#records.keys()];
  }

  /** Returns the unconfirmed transactions, ordered by nonce. */
  waiting(): readonly SendRecord[] {
    const records = [...this.#records.values()].filter(({ mined }) => mined?.isConfirmed !== true);
    return records.sort((a, b) => a.nonce - b.nonce);
  }

  /** The highest known number of nonces used on the chain. */
  get used(): number {
    return this.#used;
  }

  /**
   * Stores a record durably before this function returns or the returned promise resolves. If the
   * write fails, the request is treated as if it had never been made.
   */
  put(record: SendRecord): void | Promise<void> {
    const writing = this.#file.append([record]);
    if (writing !== undefined) return writing.then(() => this.#written(record));
    return this.#written(record);
  }

  close(): void {
    this.#file.close();
  }

  #written(record: SendRecord): void {
    this.#remember(record);
    if (this.#records.size > 2 * DONE_MAX) this.#forget();
    this.#file.shorten(this.#records);
  }

  /** Moves the record to the end, so the newest records come last. */
  #remember(record: SendRecord): void {
    this.#records.delete(record.key);
    this.#records.set(record.key, record);
    const { mined, nonce, usedBefore = 0 } = record;
    this.#used = Math.max(this.#used, usedBefore, mined === undefined ? 0 : nonce + 1);
  }

  #forget(): void {
    const done = [...this.#records.values()].filter(({ mined }) => mined?.isConfirmed === true);
    for (const { key } of done.slice(0, -DONE_MAX)) this.#records.delete(key);
  }
}
