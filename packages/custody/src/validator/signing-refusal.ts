import { readTextFile, writeWholeFile } from '@oddlot/host/durable';
import { z } from 'zod';

/** Thrown if a validator does not sign. The message is sent to the requester. */
export class SigningRefusal extends Error {
  override readonly name = 'SigningRefusal';
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** The period over which every check found the payout refused. */
const Seen = z.object({ sinceMs: z.number(), lastMs: z.number(), times: z.int().min(1) });
type Seen = z.infer<typeof Seen>;
const Contents = z.record(z.string(), Seen);

/** If two checks are further apart than this, the state in between is unknown. */
const GAP_MS_MAX = 300_000;
const REMEMBERED_MAX = 10_000;

/**
 * Keeps the validator's own observations of payouts refused by the token across restarts. The file
 * has no signatures; if it is missing or unreadable, the waiting period simply starts over.
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

  /**
   * Records a refusal. Returns true if the payout has been refused repeatedly for the required
   * time.
   */
  refused(withdrawalId: string, nowMs: number): boolean {
    const before = this.#seen.get(withdrawalId);
    const sinceMs = nowMs - (before?.lastMs ?? nowMs);
    // If the clock was set back, the elapsed time is unknown.
    const isContinuous = sinceMs >= 0 && sinceMs <= Math.max(GAP_MS_MAX, this.#patienceMs);
    const series = isContinuous ? before : undefined;
    const seen = {
      sinceMs: series?.sinceMs ?? nowMs,
      lastMs: nowMs,
      times: (series?.times ?? 0) + 1,
    };
    // The entry that was checked least recently is dropped first.
    this.#seen.delete(withdrawalId);
    this.#seen.set(withdrawalId, seen);
    this.#bound();
    this.#write();
    return seen.times > 1 && nowMs - seen.sinceMs >= this.#patienceMs;
  }

  /** Drops a payout that could be paid or needs no further checks. */
  forget(withdrawalId: string): void {
    if (this.#seen.delete(withdrawalId)) this.#write();
  }

  #bound(): void {
    for (const withdrawalId of this.#seen.keys()) {
      if (this.#seen.size <= REMEMBERED_MAX) return;
      this.#seen.delete(withdrawalId);
    }
  }

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
