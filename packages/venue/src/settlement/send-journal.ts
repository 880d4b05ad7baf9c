import {
  closeSync,
  fdatasyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { crc32 } from 'node:zlib';
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

/**
 * What a relayer has signed, on disk before anybody else sees it: after a crash the same transactions
 * go out again and no other ones. A line is a checksum and a whole record; the last one of a key counts.
 */
export class SendJournal {
  readonly #file: string;
  readonly #records = new Map<string, SendRecord>();
  #descriptor: number;

  constructor(file: string) {
    this.#file = file;
    mkdirSync(dirname(file), { recursive: true });
    for (const record of readRecords(file)) this.#records.set(record.key, record);
    this.#forget();
    this.#descriptor = this.#rewrite();
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

  /** On disk when this returns. */
  put(record: SendRecord): void {
    this.#records.delete(record.key);
    this.#records.set(record.key, record);
    writeSync(this.#descriptor, lineOf(record));
    fdatasyncSync(this.#descriptor);
    if (this.#records.size <= 2 * DONE_KEPT) return;
    this.#forget();
    closeSync(this.#descriptor);
    this.#descriptor = this.#rewrite();
  }

  close(): void {
    closeSync(this.#descriptor);
  }

  #forget(): void {
    const done = [...this.#records.values()].filter(({ mined }) => mined?.isConfirmed === true);
    for (const { key } of done.slice(0, -DONE_KEPT)) this.#records.delete(key);
  }

  /** The torn end of a crash goes with it: what it said was never sent. */
  #rewrite(): number {
    const beside = `${this.#file}.new`;
    const descriptor = openSync(beside, 'w', PRIVATE);
    for (const record of this.#records.values()) writeSync(descriptor, lineOf(record));
    fdatasyncSync(descriptor);
    renameSync(beside, this.#file);
    return descriptor;
  }
}

const PRIVATE = 0o600;
const CHECKSUM_CHARACTERS = 8;

/** The file says something that no crash explains. Its message is all that an operator needs. */
export class SendsDamagedError extends Error {
  override readonly name = 'SendsDamagedError';
}

function lineOf(record: SendRecord): string {
  const text = JSON.stringify(record);
  return `${checksumOf(text)} ${text}\n`;
}

const checksumOf = (text: string): string =>
  crc32(text).toString(16).padStart(CHECKSUM_CHARACTERS, '0');

/** Nothing is left out: a transaction that was forgotten would be sent a second time. */
function readRecords(file: string): readonly SendRecord[] {
  let text = '';
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  const lines = text.split('\n');
  // What follows the last line end was being written when the process ended.
  lines.pop();
  return lines.map((line, at) => {
    const record = line.slice(CHECKSUM_CHARACTERS + 1);
    if (line.slice(0, CHECKSUM_CHARACTERS) === checksumOf(record)) {
      return JSON.parse(record) as SendRecord;
    }
    throw new SendsDamagedError(
      `${file}: line ${at + 1} is damaged; bring back a whole copy. It holds the transactions that the venue has signed`,
    );
  });
}
