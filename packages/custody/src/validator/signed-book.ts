import { chainedCheck, type LineForm, type ReadLine, RecordFile } from '@oddlot/host/durable';

/** A signed item as stored in the file. The contract's integers are stored as decimal text. */
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
      /**
       * The amount that counted towards the account's limit. Records written by former releases
       * lack this field; their whole amount counted.
       */
      readonly counted?: string;
      /**
       * The amount that counted towards the total limit. For records written by former releases, it
       * equals `counted`.
       */
      readonly countedInAll?: string;
      /**
       * The hash of the request that the account signed, and the hashes of the requests that
       * changed its signers.
       */
      readonly request?: string;
      readonly signerChanges?: readonly string[];
    }
  | { readonly type: 'cancellation'; readonly reason: string }
);

export type PayoutRecord = Extract<SignedRecord, { readonly type: 'payout' }>;

/** Thrown if the file contains data that this program never writes. */
export class BookDamagedError extends Error {
  override readonly name = 'BookDamagedError';
}

const LATEST_MAX = 1_000;

/**
 * Stores everything that a validator has ever signed. The data is on disk before a signature leaves
 * the process (R-withdraw). For each withdrawal, the journal permanently records at most one
 * payout, with one amount, one destination and one bridge. Each line has a checksum chained to the
 * previous one, so that changed and missing lines are detected.
 */
export class SignedBook {
  readonly #file: RecordFile;
  readonly #payouts = new Map<string, string>();
  readonly #cancellations = new Set<string>();
  readonly #latest: SignedRecord[] = [];
  readonly #requests = new Map<string, string>();
  readonly #signerChanges = new Map<string, readonly string[]>();
  readonly #onPayout: (payout: PayoutRecord) => void;
  #count = 0;

  /** Opens the journal. `onPayout` receives each payout, including those already in the file. */
  constructor(file: string, onPayout: (payout: PayoutRecord) => void = () => undefined) {
    this.#onPayout = onPayout;
    this.#file = new RecordFile(file, SIGNED_LINES);
    const [damaged] = this.#file.readEach((record) => this.#remember(record as SignedRecord));
    if (damaged === undefined) return;
    this.#file.close();
    throw new BookDamagedError(
      `${file}: line ${damaged.line} is damaged. Restore an intact copy, or rotate this key out`,
    );
  }

  get count(): number {
    return this.#count;
  }

  /** Returns the newest records, oldest first. */
  get latest(): readonly SignedRecord[] {
    return this.#latest;
  }

  /** Returns the number of the withdrawal that was paid in response to a request. */
  payoutBy(request: string): string | undefined {
    return this.#requests.get(request);
  }

  /** Returns the most recently seen changes to an account's signers. */
  signerChangesOf(user: string): readonly string[] {
    return this.#signerChanges.get(user) ?? [];
  }

  /**
   * Returns true if exactly this record has been signed before, and false if no record of its type
   * has been signed for this withdrawal. Throws an OtherTermsError if different terms were signed.
   */
  has(record: SignedRecord): boolean {
    if (record.type === 'cancellation') return this.#cancellations.has(termsOf(record));
    const known = this.#payouts.get(record.withdrawalId);
    if (known === undefined) return false;
    if (known === termsOf(record)) return true;
    throw new OtherTermsError(`withdrawal ${record.withdrawalId} was already signed as ${known}`);
  }

  /**
   * Stores a record on disk before returning. Throws an OtherTermsError if the withdrawal was
   * signed with different terms.
   */
  add(record: SignedRecord): void {
    if (this.has(record)) return;
    this.#assertFresh(record);
    this.#file.append([record]);
    this.#remember(record);
  }

  close(): void {
    this.#file.close();
  }

  /** Throws if the request was already paid, because each request is paid only once. */
  #assertFresh(record: SignedRecord): void {
    if (record.type !== 'payout' || record.request === undefined) return;
    const other = this.#requests.get(record.request);
    if (other === undefined || other === record.withdrawalId) return;
    throw new OtherTermsError(
      `the request was already signed for withdrawal ${other}: ${record.request}`,
    );
  }

  #remember(record: SignedRecord): void {
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
}

/**
 * Thrown if a signature on different terms is requested for a withdrawal that has already been
 * signed.
 */
export class OtherTermsError extends Error {
  override readonly name = 'OtherTermsError';
}

/** Returns a description of the terms for comparison by an operator. */
function termsOf(record: SignedRecord): string {
  const place = `from bridge ${record.bridge} on chain ${record.chainId}`;
  if (record.type === 'cancellation') return `${record.withdrawalId} ${place}`;
  return `${record.usd} micro-USDC of ${record.user} to ${record.destination} ${place}`;
}

/**
 * The format of a line: a record as JSON with the checksum as its last field, so that operators can
 * read and compare it. A line that lacks only its newline counts, because the signature may have
 * been sent. Damage in a complete line is reported, because its content cannot be recovered from
 * another source.
 */
const SIGNED_LINES: LineForm = {
  write: (record, before) => {
    const check = chainedCheck(before, JSON.stringify(record));
    return { text: JSON.stringify({ ...(record as object), check }), check };
  },
  read: (text, before) => {
    const found = before?.isRight === false ? undefined : checkedOf(text);
    const isRight =
      found !== undefined &&
      found.check === chainedCheck(before?.check ?? '', JSON.stringify(found.record));
    return { ...(isRight ? found : DAMAGED), isRight, isLast: true };
  },
  canHaveHoles: false,
  countsWithoutEnd: true,
};

const DAMAGED = { record: undefined, check: '' };

function checkedOf(text: string): Pick<ReadLine, 'record' | 'check'> | undefined {
  try {
    const { check, ...record } = JSON.parse(text) as { readonly check: string };
    return { record, check };
  } catch {
    return undefined;
  }
}
