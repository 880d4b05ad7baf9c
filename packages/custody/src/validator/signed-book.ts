import { chainedCheck, type LineForm, type ReadLine, RecordFile } from '@oddlot/host/durable';

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

const LATEST_MAX = 1_000;

/**
 * All that a validator has ever signed, appended and on disk before a signature leaves the process
 * (R-withdraw). For one withdrawal it holds one payout for ever: of one amount, to one destination, from one bridge.
 * Each line carries a checksum that continues the one before it, so that none can change or go unnoticed.
 */
export class SignedBook {
  readonly #file: RecordFile;
  readonly #payouts = new Map<string, string>();
  readonly #cancellations = new Set<string>();
  readonly #latest: SignedRecord[] = [];
  /** The number of the payout that a request was for. */
  readonly #requests = new Map<string, string>();
  readonly #signerChanges = new Map<string, readonly string[]>();
  readonly #onPayout: (payout: PayoutRecord) => void;
  #count = 0;

  /** `onPayout` hears of each one, those that the file holds included. */
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
    throw new OtherTermsError(`withdrawal ${record.withdrawalId} was already signed as ${known}`);
  }

  /** On disk when this returns. Other terms of a withdrawal that was signed are an OtherTermsError. */
  add(record: SignedRecord): void {
    if (this.has(record)) return;
    this.#assertFresh(record);
    this.#file.append([record]);
    this.#remember(record);
  }

  close(): void {
    this.#file.close();
  }

  /** A request is paid on once. */
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

/**
 * A line is a record as JSON, whose last field is the check: whoever compares what was signed reads it as it is. A line that lacks
 * its end alone counts, since the signature may be out; a hole in one that has its end is told, since nobody else can say what stood there.
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
