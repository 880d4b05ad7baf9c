import type { Payout, Signed } from '@oddlot/custody/signing';
import { type RecordStore, recordStoreAt } from '@oddlot/host/durable';
import type { Hex } from 'viem';

export type PayoutStatus = 'held' | 'signed' | 'sent';

/** How far a payout is. Plain data: amounts and signatures are texts. */
export type PayoutRecord = {
  readonly withdrawalId: number;
  readonly user: Hex;
  readonly destination: Hex;
  readonly usd: string;
  readonly requestedMs: number;
  /** Whose signatures these are for. */
  readonly chainId: number;
  readonly bridge: Hex;
  readonly status: PayoutStatus;
  readonly updatedMs: number;
  readonly signatures?: readonly SignedText[] | undefined;
  /** The transaction that is under way for it, by the relayer's key. */
  readonly sent?: string | undefined;
  readonly txHash?: Hex | undefined;
  /** A large one that waits is payable from then on. */
  readonly payableAtMs?: number | undefined;
  /** What the bridge refused it with, since when, how often. */
  readonly refused?: Refused | undefined;
  /** It can never be paid, for this reason: the validators are asked to cancel it. */
  readonly cancel?: string | undefined;
  /** Why it does not get on, for its owner, and what more there is to say to the operator. */
  readonly error?: string | undefined;
  readonly detail?: string | undefined;
  /**
   * What the engine is told, written down before it is: whoever looks at it again after a crash, or
   * after the chain went back behind its confirmations, knows which end is right.
   */
  readonly end?: PayoutEnd | undefined;
  /** The chain has given up the block that ended it, after all its confirmations. */
  readonly isLost?: boolean | undefined;
};

type PayoutEnd = {
  readonly paid: boolean;
  /** As of which block the bridge said so. */
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

/** Of those that are settled so many are remembered, of paid and of returned ones each. */
const ENDED_KEPT = 1_000;
/**
 * How far payouts are, on disk. The engine says what is open and the chain what was paid: where this
 * file is missing, signatures are asked for again and the rest is found out.
 */
export class PayoutRecords {
  /** Lines that said something that no crash explains; a copy of the file is kept for the operator. */
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

  /** By number. */
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

  /** What was put is written down when this returns, or when that resolves; what ended long ago is let go. */
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
