import {
  closeSync,
  fdatasyncSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readSync,
  writeSync,
} from 'node:fs';
import { createHash } from 'node:crypto';
import { dirname } from 'node:path';
import { makeFolder, syncFolder } from '@oddlot/host/durable';

/** One thing that was signed, as it stands in the file. Numbers of the contract are decimal text. */
export type SignedRecord = {
  readonly timeMs: number;
  readonly chainId: number;
  readonly bridge: string;
  readonly withdrawalId: string;
  readonly user: string;
} & (
  | {
      readonly type: 'payout';
      readonly destination: string;
      readonly usd: string;
      /** Of it, what counted against the account's limit; all of it in records of former releases. */
      readonly counted?: string;
      /** And against the limit of all; as much in records of former releases. */
      readonly countedInAll?: string;
      /** The hash of the request that its account signed, and of those that changed who signs for it. */
      readonly request?: string;
      readonly signerChanges?: readonly string[];
    }
  | { readonly type: 'cancellation'; readonly reason: string }
);

export type PayoutRecord = Extract<SignedRecord, { readonly type: 'payout' }>;

/** The file is not what a book has written. */
export class BookDamagedError extends Error {
  override readonly name = 'BookDamagedError';
}

const PRIVATE = 0o600;
const CHUNK_BYTES = 1 << 20;
const LATEST_MAX = 1_000;
const CHECK_CHARACTERS = 16;

/**
 * All that a validator has ever signed, appended and on disk before a signature leaves the process
 * (R-withdraw). For one withdrawal it holds one payout for ever: of one amount, to one destination, from one bridge.
 * Each line carries a checksum that continues the one before it, so that none can change or go unnoticed.
 */
export class SignedBook {
  readonly #file: string;
  readonly #descriptor: number;
  readonly #payouts = new Map<string, string>();
  readonly #cancellations = new Set<string>();
  readonly #latest: SignedRecord[] = [];
  /** The number of the payout that a request was for. */
  readonly #requests = new Map<string, string>();
  readonly #signerChanges = new Map<string, readonly string[]>();
  readonly #onPayout: (payout: PayoutRecord) => void;
  #bytes = 0;
  #count = 0;
  #check = '';
  #failure: unknown = undefined;

  /** `onPayout` hears of each one, those that the file holds included. */
  constructor(file: string, onPayout: (payout: PayoutRecord) => void = () => undefined) {
    this.#file = file;
    this.#onPayout = onPayout;
    makeFolder(dirname(file));
    this.#descriptor = openSync(file, 'a+', PRIVATE);
    // A line that a process wrote which died before its sync is in memory alone; what is read counts as signed.
    fsyncSync(this.#descriptor);
    this.#read();
    syncFolder(dirname(file));
  }

  /** How much has been signed. */
  get count(): number {
    return this.#count;
  }

  /** The newest ones, oldest first. */
  get latest(): readonly SignedRecord[] {
    return this.#latest;
  }

  /** The number of the payout that rests on a request. */
  payoutBy(request: string): string | undefined {
    return this.#requests.get(request);
  }

  /** Changes of who signs for an account, as they were seen last. */
  signerChangesOf(user: string): readonly string[] {
    return this.#signerChanges.get(user) ?? [];
  }

  /** True when exactly this was signed before; false when nothing of its kind was for this withdrawal. */
  has(record: SignedRecord): boolean {
    if (record.type === 'cancellation') return this.#cancellations.has(termsOf(record));
    const known = this.#payouts.get(record.withdrawalId);
    if (known === undefined) return false;
    if (known === termsOf(record)) return true;
    throw new OtherTermsError(`withdrawal ${record.withdrawalId} was signed as ${known} before`);
  }

  /** On disk when this returns. Other terms of a withdrawal that was signed are an OtherTermsError. */
  add(record: SignedRecord): void {
    if (this.has(record)) return;
    this.#assertFresh(record);
    if (this.#failure !== undefined) {
      throw new Error(`${this.#file} cannot be written`, { cause: this.#failure });
    }
    const check = checkOf(this.#check, record);
    const line = Buffer.from(`${JSON.stringify({ ...record, check })}\n`);
    try {
      for (let at = 0; at < line.length;) at += writeSync(this.#descriptor, line.subarray(at));
    } catch (error) {
      // Half a line would spoil the next one.
      this.#orStop(() => ftruncateSync(this.#descriptor, this.#bytes));
      throw error;
    }
    // After a sync that failed nobody knows what is on the disk: nothing more is signed.
    this.#orStop(() => fdatasyncSync(this.#descriptor));
    this.#bytes += line.length;
    this.#remember(record, check);
  }

  close(): void {
    closeSync(this.#descriptor);
  }

  /** A request is paid on once. */
  #assertFresh(record: SignedRecord): void {
    if (record.type !== 'payout' || record.request === undefined) return;
    const other = this.#requests.get(record.request);
    if (other === undefined || other === record.withdrawalId) return;
    throw new OtherTermsError(`withdrawal ${other} was signed for ${record.request} before`);
  }

  #orStop(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#failure = error;
      throw error;
    }
  }

  #remember(record: SignedRecord, check: string): void {
    this.#check = check;
    if (record.type === 'payout') {
      const { request, signerChanges = [], user, withdrawalId } = record;
      this.#payouts.set(withdrawalId, termsOf(record));
      if (request !== undefined) this.#requests.set(request, withdrawalId);
      if (signerChanges.length > 0) this.#signerChanges.set(user, signerChanges);
      this.#onPayout(record);
    } else this.#cancellations.add(termsOf(record));
    this.#count++;
    this.#latest.push(record);
    if (this.#latest.length > LATEST_MAX) this.#latest.shift();
  }

  /** The torn end of a crash is cut: its signature was never given away. */
  #read(): void {
    let rest = '';
    for (const { end, isWhole, text } of linesOf(this.#descriptor)) {
      if (!isWhole) {
        rest = text;
        continue;
      }
      const found = recordOf(text, this.#check);
      if (found === undefined) {
        throw new BookDamagedError(
          `${this.#file}: line ${this.#count + 1} is damaged; bring back a whole copy, or rotate this key out`,
        );
      }
      this.#bytes = end;
      this.#remember(found.record, found.check);
    }
    if (rest === '') return;
    ftruncateSync(this.#descriptor, this.#bytes);
    fsyncSync(this.#descriptor);
    // All of a line but its end: the signature may be out.
    const last = recordOf(rest, this.#check) ?? recordOf(rest.slice(0, -1), this.#check);
    if (last !== undefined) this.add(last.record);
  }
}

/** A withdrawal that was signed is asked for in other terms. */
export class OtherTermsError extends Error {
  override readonly name = 'OtherTermsError';
}

/** In words that an operator can compare. */
function termsOf(record: SignedRecord): string {
  const place = `from bridge ${record.bridge} on chain ${record.chainId}`;
  if (record.type === 'cancellation') return `${record.withdrawalId} ${place}`;
  return `${record.usd} micro-USDC of ${record.user} to ${record.destination} ${place}`;
}

type Line = { readonly text: string; readonly end: number; readonly isWhole: boolean };

/** Lines and where in the file each ends; the last one may lack its end. */
function* linesOf(descriptor: number): Generator<Line> {
  const chunk = Buffer.alloc(CHUNK_BYTES);
  let rest = Buffer.alloc(0);
  let read = 0;
  for (;;) {
    const length = readSync(descriptor, chunk, 0, CHUNK_BYTES, read);
    if (length === 0) break;
    read += length;
    rest = Buffer.concat([rest, chunk.subarray(0, length)]);
    for (let at = rest.indexOf('\n'); at >= 0; at = rest.indexOf('\n')) {
      const text = rest.toString('utf8', 0, at);
      rest = rest.subarray(at + 1);
      yield { text, end: read - rest.length, isWhole: true };
    }
  }
  if (rest.length > 0) yield { text: rest.toString('utf8'), end: read, isWhole: false };
}

function recordOf(
  text: string,
  before: string,
): { readonly record: SignedRecord; readonly check: string } | undefined {
  try {
    const { check, ...record } = JSON.parse(text) as SignedRecord & { readonly check: string };
    const isRight = check === checkOf(before, record as SignedRecord);
    return isRight ? { record: record as SignedRecord, check } : undefined;
  } catch {
    return undefined;
  }
}

function checkOf(before: string, record: SignedRecord): string {
  const hash = createHash('sha256').update(before).update(JSON.stringify(record));
  return hash.digest('hex').slice(0, CHECK_CHARACTERS);
}
