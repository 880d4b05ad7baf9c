import { readTextFile, writeWholeFile } from '@oddlot/host/durable';
import { z } from 'zod';

/** Why a validator does not sign; the message goes to who asked. */
export class SigningRefusal extends Error {
  override readonly name = 'SigningRefusal';
  /** Of HTTP. */
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** How long a payout has been refused, as far as it was looked at. */
const Seen = z.object({ sinceMs: z.number(), lastMs: z.number(), times: z.int().min(1) });
type Seen = z.infer<typeof Seen>;
const Contents = z.record(z.string(), Seen);

/** Who looks less often than this cannot say what was in between. */
const GAP_MS_MAX = 300_000;
const REMEMBERED_MAX = 10_000;

/**
 * What a validator has seen of payouts that the token refuses, over restarts. It is no record of what was signed: where
 * the file is missing or cannot be read, the patience begins anew.
 */
export class RefusalMemory {
  readonly #file: string;
  readonly #patienceMs: number;
  readonly #seen: Map<string, Seen>;

  constructor(file: string, patienceMs: number) {
    this.#file = file;
    this.#patienceMs = patienceMs;
    this.#seen = new Map(Object.entries(contentsOf(file)));
  }

  /** It is refused now. True when that has been so, again and again, for as long as it has to be. */
  refused(withdrawalId: string, nowMs: number): boolean {
    const before = this.#seen.get(withdrawalId);
    const sinceMs = nowMs - (before?.lastMs ?? nowMs);
    // A clock that was set back says nothing about how long it has been.
    const isGoingOn = sinceMs >= 0 && sinceMs <= Math.max(GAP_MS_MAX, this.#patienceMs);
    const series = isGoingOn ? before : undefined;
    const seen = {
      sinceMs: series?.sinceMs ?? nowMs,
      lastMs: nowMs,
      times: (series?.times ?? 0) + 1,
    };
    // The one that was looked at longest ago is first in line to be forgotten.
    this.#seen.delete(withdrawalId);
    this.#seen.set(withdrawalId, seen);
    this.#bound();
    this.#write();
    return seen.times > 1 && nowMs - seen.sinceMs >= this.#patienceMs;
  }

  /** It could be paid, or it needs no looking at any more. */
  forget(withdrawalId: string): void {
    if (this.#seen.delete(withdrawalId)) this.#write();
  }

  #bound(): void {
    for (const withdrawalId of this.#seen.keys()) {
      if (this.#seen.size <= REMEMBERED_MAX) return;
      this.#seen.delete(withdrawalId);
    }
  }

  /** Whole or not at all. */
  #write(): void {
    writeWholeFile(this.#file, `${JSON.stringify(Object.fromEntries(this.#seen))}\n`);
  }
}

function contentsOf(file: string): Readonly<Record<string, Seen>> {
  try {
    const parsed = Contents.safeParse(JSON.parse(readTextFile(file) ?? '{}'));
    return parsed.success ? parsed.data : {};
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}
