import { PAUSED, type Refusal, REFUSED } from '@oddlot/custody/bridge-contract';
import type { BridgeDomain } from '@oddlot/custody/signing';
import type { OpenWithdrawal } from '@oddlot/engine';
import type { RecordStore } from '@oddlot/host/durable';
import type { Hex } from 'viem';
import { type PayoutRecord, PayoutRecords } from './payout-record.ts';

type PayoutBookOptions = {
  readonly file: string | RecordStore;
  readonly domain: BridgeDomain;
  readonly now: () => number;
  /** The delay in milliseconds before a failed attempt is retried; it grows with each refusal. */
  readonly retryMs: number;
};

const RETRY_MS_MAX = 60_000;
/** The maximum number of doublings of the delay, for obstacles that affect many payouts. */
const HOLDS_MAX = 4;
/**
 * The interval at which the bridge is queried even without a specific reason, because any account
 * can send a signed payout.
 */
const RECHECK_MS = 30_000;
/**
 * The period within which returned payouts count. Each one doubles the patience before the next
 * return, up to a bound.
 */
const RETURNS_COUNT_MS = 7 * 86_400_000;
const DOUBLINGS_MAX = 7;

/** The state of each payout, and the time at which the bridge is queried about it next. */
export class PayoutBook {
  readonly #options: PayoutBookOptions;
  readonly #records: PayoutRecords;
  readonly #lookAtMs = new Map<number, number>();
  readonly #holds = new Map<number, number>();
  #open: ReadonlySet<number> = new Set();

  constructor(options: PayoutBookOptions) {
    this.#options = options;
    this.#records = new PayoutRecords(options.file);
  }

  get damaged(): number {
    return this.#records.damaged;
  }

  get(withdrawalId: number): PayoutRecord | undefined {
    return this.#records.get(withdrawalId);
  }

  isOpen({ withdrawalId }: PayoutRecord): boolean {
    return this.#open.has(withdrawalId);
  }

  /**
   * Returns payouts that need work: those open in the engine, and those whose final block has been
   * dropped by the chain.
   */
  followed(): readonly PayoutRecord[] {
    return this.#records.all().filter((record) => this.isOpen(record) || record.isLost === true);
  }

  ended(): readonly PayoutRecord[] {
    return this.#records.all().filter((each) => !this.isOpen(each) && each.end !== undefined);
  }

  adopt(withdrawals: readonly OpenWithdrawal[]): void {
    this.#open = new Set(withdrawals.map(({ withdrawalId }) => withdrawalId));
    for (const { destination, pays, requestedMs, user, withdrawalId } of withdrawals) {
      if (this.#records.get(withdrawalId) !== undefined) continue;
      this.#records.put({
        withdrawalId,
        user: user as Hex,
        destination: destination as Hex,
        usd: String(pays),
        requestedMs,
        ...this.#options.domain,
        status: 'held',
        updatedMs: this.#options.now(),
      });
    }
    for (const record of this.#records.all()) {
      const { end, withdrawalId } = record;
      // The withdrawal was settled without a known transaction, so no work remains to be done here.
      if (end === undefined && !this.isOpen(record)) this.#records.remove(withdrawalId);
      if (this.isOpen(record)) continue;
      this.#lookAtMs.delete(withdrawalId);
      this.#holds.delete(withdrawalId);
    }
  }

  /**
   * Sorts payouts by how long they have been waiting, longest first, so that payouts that cannot be
   * paid do not delay others.
   */
  inTurn(records: readonly PayoutRecord[]): readonly PayoutRecord[] {
    const atMs = ({ withdrawalId }: PayoutRecord): number => this.#lookAtMs.get(withdrawalId) ?? 0;
    return records.toSorted((a, b) => atMs(a) - atMs(b) || a.withdrawalId - b.withdrawalId);
  }

  /** A delay beyond the maximum means that the clock was set back. */
  isDue({ withdrawalId }: PayoutRecord): boolean {
    const inMs = (this.#lookAtMs.get(withdrawalId) ?? 0) - this.#options.now();
    return inMs <= 0 || inMs > RETRY_MS_MAX;
  }

  /** Changes the record. Its update time changes only when fields visible to users change. */
  update(record: PayoutRecord, changes: Partial<PayoutRecord>): PayoutRecord {
    const known = this.#records.get(record.withdrawalId) ?? record;
    const next = { ...known, ...changes };
    if (isSame(known, next)) return known;
    const isSeen =
      known.status !== next.status || known.error !== next.error || known.txHash !== next.txHash;
    const put = isSeen ? { ...next, updatedMs: this.#options.now() } : next;
    this.#records.put(put);
    return put;
  }

  /** Leaves the state unchanged and queries the bridge again later. */
  wait(record: PayoutRecord, error?: string, ms = RECHECK_MS, detail?: string): void {
    this.update(record, { error, detail });
    this.#holds.delete(record.withdrawalId);
    this.#lookAtMs.set(record.withdrawalId, this.#options.now() + ms);
  }

  /** Delays a payout because of an obstacle that the payout itself did not cause. */
  hold(record: PayoutRecord, error: string, detail?: string): void {
    const { withdrawalId } = record;
    const times = this.#holds.get(withdrawalId) ?? 0;
    const ms = Math.min(RETRY_MS_MAX, this.#options.retryMs * 2 ** Math.min(times, HOLDS_MAX));
    this.wait(record, error, ms, detail);
    this.#holds.set(withdrawalId, times + 1);
  }

  scheduleCheck({ withdrawalId }: PayoutRecord): void {
    this.#lookAtMs.delete(withdrawalId);
  }

  /**
   * Returns how often the token has permanently refused this destination, or another destination of
   * this account. Each refusal cost the venue a transaction but cost the account nothing.
   */
  returnsBefore(record: PayoutRecord): number {
    return this.#returnsLike(record).filter((each) => !this.isOpen(each)).length;
  }

  /**
   * Returns true if the token has been refusing the payout long enough for it to be returned.
   * Earlier returns lengthen the required time, and payouts requested together are returned one
   * after another.
   */
  isRefusedForGood(record: PayoutRecord, patienceMs: number): boolean {
    const before = this.#returnsLike(record);
    if (before.some((each) => this.isOpen(each))) return false;
    const returnedMs = Math.max(0, ...before.map((each) => each.updatedMs));
    const sinceMs = Math.max(record.refused?.sinceMs ?? Infinity, returnedMs);
    const neededMs = patienceMs * 2 ** Math.min(before.length, DOUBLINGS_MAX);
    return this.#options.now() - sinceMs >= neededMs;
  }

  #returnsLike({ destination, user, withdrawalId }: PayoutRecord): readonly PayoutRecord[] {
    const sinceMs = this.#options.now() - RETURNS_COUNT_MS;
    return this.#records
      .all()
      .filter(
        (each) =>
          each.withdrawalId !== withdrawalId &&
          (each.cancel === TEXTS.refusedForGood || each.cancel === TEXTS.invalidForGood) &&
          (this.isOpen(each) || (each.end !== undefined && each.updatedMs >= sinceMs)) &&
          (each.destination === destination || each.user === user),
      );
  }

  /** Records that the bridge refused the payout. Returns the new record. */
  refuse(record: PayoutRecord, refusal: Refusal): PayoutRecord {
    const code = refusal ?? null;
    const nowMs = this.#options.now();
    const known = record.refused?.code === code ? record.refused : undefined;
    // If the clock was set back, the elapsed time is unknown.
    const before = known !== undefined && known.sinceMs <= nowMs ? known : undefined;
    const refused = { code, sinceMs: before?.sinceMs ?? nowMs, times: (before?.times ?? 0) + 1 };
    const isSigned = typeof code !== 'number' || code < REFUSED.tooFew || code > REFUSED.unsorted;
    const signatures = isSigned ? record.signatures : undefined;
    const updated = this.update(record, { refused, signatures, sent: undefined });
    const ms = Math.min(RETRY_MS_MAX, this.#options.retryMs * 2 ** Math.min(refused.times, 16));
    this.wait(record, refusalText(refusal), ms);
    return updated;
  }

  /** Marks a payout that can never be paid for cancellation. */
  giveUp(record: PayoutRecord, refusal: Refusal): PayoutRecord {
    const cancel = refusal === REFUSED.invalid ? TEXTS.invalidForGood : TEXTS.refusedForGood;
    return this.update(record, { cancel, error: cancel });
  }

  /**
   * Stores the changes. They are stored once this function returns or the returned promise
   * resolves.
   */
  flush(): void | Promise<void> {
    return this.#records.flush();
  }

  close(): void {
    this.#records.close();
  }
}

function isSame(a: PayoutRecord, b: PayoutRecord): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** The messages to users and operators about a delayed payout. */
export const TEXTS = {
  unavailable: 'The settlement chain is not responding',
  disagrees: 'The endpoints of the settlement chain disagree',
  unsent: 'The transaction could not be sent yet',
  noKey: 'The venue has no key to send payouts',
  paused: 'The bridge is paused',
  balance: 'The USDC balance of the bridge is currently too low',
  deficit: 'Payouts are on hold until the insurance fund has recovered',
  foreign: 'Payouts are stopped: the bridge has made a payout that this venue did not request',
  otherBridge: 'The payout was signed for another bridge; the operator has to settle it manually',
  otherPayout:
    'The bridge has a different payout with this id; the operator has to settle it manually',
  noProof: 'The bridge reports this payout as made, but no transaction was found',
  cancelled: 'The payout was cancelled on the bridge',
  refusedForGood: 'The token rejects transfers to this destination',
  tokenStill: 'The token currently rejects all transfers out of the bridge',
  invalidForGood: 'The bridge cannot pay this amount to this destination',
  paidAfterReturn: 'The payout was made although it had been returned: the chain was reorganised',
  lost: 'A reorganisation removed the confirmed payout; it is being sent again',
} as const;

export function refusalText(refusal: Refusal): string {
  switch (refusal) {
    case PAUSED:
      return TEXTS.paused;
    case REFUSED.transfer:
      return TEXTS.refusedForGood;
    case REFUSED.invalid:
      return TEXTS.invalidForGood;
    case undefined:
      return 'The bridge rejected the payout';
    default:
      return `The bridge rejects the payout with code ${refusal}`;
  }
}

export function waitsText(payableAtMs: number): string {
  return `Large payouts are delayed: this one is payable at ${new Date(payableAtMs).toISOString()}`;
}
