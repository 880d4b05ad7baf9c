/** What all rings of a process may hold together. */
export type KeptBudget = { bytes: number; readonly bytesMax: number };

export type RingLimits = {
  readonly keptFramesMax: number;
  readonly keptMsMax: number;
  readonly keptBytesMax: number;
};

type Kept = { readonly body: Buffer; readonly atMs: number };

/** How far dropped entries may pile up at the front before the list is cut. */
const SLACK_MAX = 1024;

/**
 * The newest frames of a stream, numbered without gaps, for clients that come back. What is too old,
 * too many or too big goes from the front.
 */
export class FrameRing {
  readonly #limits: RingLimits;
  readonly #budget: KeptBudget;
  #kept: (Kept | undefined)[] = [];
  /** Index of the oldest frame in the list. */
  #head = 0;
  #lastSeq = 0;
  #bytes = 0;

  constructor(limits: RingLimits, budget: KeptBudget) {
    this.#limits = limits;
    this.#budget = budget;
  }

  /** Number of the oldest frame that is kept; one past the newest when there is none. */
  get firstSeq(): number {
    return this.#lastSeq - this.#length + 1;
  }

  /** Adds the frame that follows the newest. */
  push(body: Buffer, atMs: number): void {
    this.#kept.push({ body, atMs });
    this.#lastSeq += 1;
    this.#count(body.length);
    const { keptFramesMax, keptMsMax, keptBytesMax } = this.#limits;
    while (
      this.#length > 1 &&
      (this.#length > keptFramesMax ||
        this.#bytes > keptBytesMax ||
        this.#budget.bytes > this.#budget.bytesMax ||
        atMs - this.#oldestMs > keptMsMax)
    ) {
      this.#drop();
    }
  }

  /** The frames after a number, oldest first. Those before `firstSeq` are gone. */
  after(seq: number): Buffer[] {
    const start = this.#head + Math.max(0, seq + 1 - this.firstSeq);
    return this.#kept.slice(start).flatMap((kept) => (kept === undefined ? [] : [kept.body]));
  }

  /** Lets go of what is too old, the newest frame included. */
  trim(nowMs: number): void {
    while (this.#length > 0 && nowMs - this.#oldestMs > this.#limits.keptMsMax) this.#drop();
  }

  /** Lets go of everything. */
  clear(): void {
    this.#count(-this.#bytes);
    this.#kept = [];
    this.#head = 0;
  }

  get #length(): number {
    return this.#kept.length - this.#head;
  }

  get #oldestMs(): number {
    return this.#kept[this.#head]?.atMs ?? Infinity;
  }

  #drop(): void {
    this.#count(-(this.#kept[this.#head]?.body.length ?? 0));
    this.#kept[this.#head] = undefined;
    this.#head += 1;
    if (this.#head > SLACK_MAX && this.#head * 2 > this.#kept.length) {
      this.#kept = this.#kept.slice(this.#head);
      this.#head = 0;
    }
  }

  #count(bytes: number): void {
    this.#bytes += bytes;
    this.#budget.bytes += bytes;
  }
}
