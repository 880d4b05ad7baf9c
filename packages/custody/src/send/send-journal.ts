import { type RecordStore, recordStoreAt } from '@oddlot/host/durable';
import type { Hex } from 'viem';

/** One signed form of a transaction. A later one of the same nonce pays more. */
export type Attempt = {
  readonly txHash: Hex;
  readonly raw: Hex;
  readonly maxFee: string;
  readonly priorityFee: string;
  readonly atMs: number;
};

/** A transaction that was asked for, and how far it is. */
export type SendRecord = {
  readonly key: string;
  readonly to: Hex;
  readonly data: Hex;
  readonly gas: string;
  /** Ether that goes with it, in wei; absent for none. */
  readonly value?: string;
  readonly nonce: number;
  /** How many nonces the chain had used up when this one was chosen. */
  readonly usedBefore?: number;
  readonly askedMs: number;
  /** Oldest first; any of them may be the one that a block holds. */
  readonly attempts: readonly Attempt[];
  readonly mined:
    | {
        readonly txHash: Hex;
        readonly blockNumber: number;
        readonly succeeded: boolean;
        /** Deep enough to stay. */
        readonly isConfirmed: boolean;
      }
    | undefined;
  /** Why it does not get on, for the operator. */
  readonly trouble?: string | undefined;
};

/** Of those that are through this many are remembered, so that a key asked again is not sent again. */
const DONE_KEPT = 10_000;

/** The file says something that no crash explains. Its message is all that an operator needs. */
export class SendsDamagedError extends Error {
  override readonly name = 'SendsDamagedError';
}

/**
 * What a relayer has signed, on disk before anybody else sees it: after a crash the same transactions
 * go out again and no other ones. The last line of a key counts. Nothing is left out: a transaction that was forgotten
 * would be sent a second time.
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

  /** Those that are not through, by nonce. */
  waiting(): readonly SendRecord[] {
    const records = [...this.#records.values()].filter(({ mined }) => mined?.isConfirmed !== true);
    return records.sort((a, b) => a.nonce - b.nonce);
  }

  /** The most nonces that the chain is known to have used up. */
  get used(): number {
    return this.#used;
  }

  /**
   * Written down for good when this returns, or when what it returns resolves; where it cannot be written, it is as if it had
   * not been asked for.
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
    if (this.#records.size > 2 * DONE_KEPT) this.#forget();
    this.#file.shorten(this.#records);
  }

  /** The newest ones last. */
  #remember(record: SendRecord): void {
    this.#records.delete(record.key);
    this.#records.set(record.key, record);
    const { mined, nonce, usedBefore = 0 } = record;
    this.#used = Math.max(this.#used, usedBefore, mined === undefined ? 0 : nonce + 1);
  }

  #forget(): void {
    const done = [...this.#records.values()].filter(({ mined }) => mined?.isConfirmed === true);
    for (const { key } of done.slice(0, -DONE_KEPT)) this.#records.delete(key);
  }
}
