import type { Payout, Signed } from '@oddlot/custody/signing';
import { type RecordStore, recordStoreAt } from '@oddlot/host/durable';
import type { Hex } from 'viem';

export type PayoutStatus = 'held' | 'signed' | 'sent';

/** The state of a payout as plain data. Amounts and signatures are strings. */
export type PayoutRecord = {
  readonly withdrawalId: number;
  readonly user: Hex;
  readonly destination: Hex;
  readonly usd: string;
  readonly requestedMs: number;
  readonly chainId: number;
  readonly bridge: Hex;
  readonly status: PayoutStatus;
  readonly updatedMs: number;
  readonly signatures?: readonly SignedText[] | undefined;
  readonly sent?: string | undefined;
  readonly txHash?: Hex | undefined;
  /** The time at which a large queued payout becomes payable. */
  readonly payableAtMs?: number | undefined;
  readonly refused?: Refused | undefined;
  /**
   * Why the withdrawal can never be paid. If set, the validators are asked to cancel the
   * withdrawal.
   */
  readonly cancel?: string | undefined;
  /** The reason for the delay as shown to the owner; `detail` is for the operator. */
  readonly error?: string | undefined;
  readonly detail?: string | undefined;
  /**
   * The result to report to the engine. It is stored before it is reported, because it determines
   * which result is correct after a crash or a deep reorganisation.
   */
  readonly end?: PayoutEnd | undefined;
  /** True if the chain dropped the result's block after it was fully confirmed. */
  readonly isLost?: boolean | undefined;
};

type PayoutEnd = {
  readonly paid: boolean;
  /** The block as of which the bridge reported the result. */
  readonly block: number;
  readonly blockHash: Hex;
};

type Refused = {
  readonly code: number | 'paused' | null;
  readonly sinceMs: number;
  readonly times: number;
};

type SignedText = {
  readonly address: Hex;
  readonly r: string;
  readonly s: string;
  readonly v: number;
};

export function payoutOf(record: PayoutRecord): Payout {
  const { destination, usd, user, withdrawalId } = record;
  return { withdrawalId: BigInt(withdrawalId), user, destination, usd: BigInt(usd) };
}

export function signaturesOf({ signatures = [] }: PayoutRecord): readonly Signed[] {
  return signatures.map(({ address, r, s, v }) => {
    return { address, signature: { r: BigInt(r), s: BigInt(s), v } };
  });
}

export function signatureTexts(signed: readonly Signed[]): readonly SignedText[] {
  return signed.map(({ address, signature: { r, s, v } }) => {
    return { address, r: String(r), s: String(s), v };
  });
}

/** The maximum number of settled payouts to keep, counted separately for paid and returned ones. */
const ENDED_KEPT = 1_000;
/**
 * The states of payouts on disk. The open payouts are in the engine and the paid ones on the chain.
 * If this file is missing, signatures are requested again, and the remaining data is found on the
 * chain.
 */
export class PayoutRecords {
  /**
   * The number of lines whose content cannot be explained by a crash. If there are any, a copy of
   * the file is kept for the operator.
   */
  readonly damaged: number;
  readonly #file: RecordStore;
  readonly #records = new Map<number, PayoutRecord>();
  readonly #changed = new Set<number>();

  constructor(place: string | RecordStore) {
    this.#file = recordStoreAt(place);
    const { damaged, records } = this.#file.read();
    for (const record of records as readonly PayoutRecord[]) {
      this.#records.set(record.withdrawalId, record);
    }
    this.damaged = damaged.length;
    this.#forget();
    if (damaged.length === 0) {
      this.#file.shorten(this.#records);
      return;
    }
    this.#file.setAside();
    this.#file.replace(this.#records.values());
  }

  get(withdrawalId: number): PayoutRecord | undefined {
    return this.#records.get(withdrawalId);
  }

  all(): readonly PayoutRecord[] {
    return [...this.#records.values()].sort((a, b) => a.withdrawalId - b.withdrawalId);
  }

  remove(withdrawalId: number): void {
    this.#records.delete(withdrawalId);
    this.#changed.delete(withdrawalId);
  }

  put(record: PayoutRecord): void {
    this.#records.set(record.withdrawalId, record);
    this.#changed.add(record.withdrawalId);
  }

  /**
   * Stores all changes and removes payouts that ended long ago. The changes are stored once this
   * function returns or the returned promise resolves.
   */
  flush(): void | Promise<void> {
    if (this.#changed.size === 0) return undefined;
    const changed = [...this.#changed];
    const writing = this.#file.append(changed.flatMap((id) => this.#records.get(id) ?? []));
    this.#changed.clear();
    if (writing === undefined) return this.#shorten();
    return this.#written(writing, changed);
  }

  close(): void {
    this.#file.close();
  }

  async #written(writing: Promise<void>, changed: readonly number[]): Promise<void> {
    try {
      await writing;
    } catch (error) {
      for (const id of changed) this.#changed.add(id);
      throw error;
    }
    this.#shorten();
  }

  #shorten(): void {
    this.#forget();
    this.#file.shorten(this.#records);
  }

  #forget(): void {
    for (const paid of [true, false]) {
      const ended = this.all().filter(({ end }) => end?.paid === paid);
      for (const { withdrawalId } of ended.slice(0, -ENDED_KEPT)) {
        this.#records.delete(withdrawalId);
      }
    }
  }
}
