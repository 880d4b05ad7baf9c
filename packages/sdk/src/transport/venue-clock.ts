/** Between which moments of our own clock the venue looked at its own. */
export type Roundtrip = { readonly sentMs: number; readonly receivedMs: number };

/** How far apart two clocks are: the venue's time minus ours lies in between. */
type Range = { readonly leastMs: number; readonly mostMs: number };

/** The header counts whole seconds. */
const HEADER_STEP_MS = 1000;
/** Our clock was set when it moves by so much against the one that only counts. */
const CLOCK_SET_MS = 1000;

const ANYTHING: Range = { leastMs: -Infinity, mostMs: Infinity };

/**
 * What the clock of the venue shows. Ours may be minutes off, so every answer is used to learn how far:
 * its `Date` header, or, better, the time of consensus that a refusal tells. Until an answer says that
 * the clocks differ they are taken to agree.
 */
export class VenueClock {
  readonly #now: () => number;
  #range = ANYTHING;
  #isTold = false;
  /** Where our clock stood when the steady one began. */
  #originMs: number;

  constructor(now: () => number = Date.now) {
    this.#now = now;
    this.#originMs = now() - performance.now();
  }

  /** Our own clock. */
  get ownMs(): number {
    return this.#now();
  }

  /** What the venue's clock shows at a moment of ours; rather too late than too early. */
  at(ownMs: number): number {
    this.#forgetIfSet();
    const { leastMs, mostMs } = this.#range;
    const isOff = leastMs > 0 || mostMs < 0;
    return isOff ? ownMs + mostMs : ownMs;
  }

  /** Learns from the `Date` of an answer, unless the venue has told its time itself. */
  readHeader(date: string | null, roundtrip: Roundtrip): void {
    const atMs = date === null ? Number.NaN : Date.parse(date);
    this.#forgetIfSet();
    if (this.#isTold || Number.isNaN(atMs)) return;
    this.#narrow({ fromMs: atMs, untilMs: atMs + HEADER_STEP_MS }, roundtrip);
  }

  /** Learns from the time of consensus in an answer. */
  readTime(timeMs: number, roundtrip: Roundtrip): void {
    this.#forgetIfSet();
    if (!this.#isTold) this.#range = ANYTHING;
    this.#isTold = true;
    this.#narrow({ fromMs: timeMs, untilMs: timeMs }, roundtrip);
  }

  /** Somebody may have put our clock right, or the host slept: what was learned is of another clock. */
  #forgetIfSet(): void {
    const originMs = this.#now() - performance.now();
    if (Math.abs(originMs - this.#originMs) <= CLOCK_SET_MS) return;
    this.#originMs = originMs;
    this.#range = ANYTHING;
    this.#isTold = false;
  }

  #narrow(
    { fromMs, untilMs }: { readonly fromMs: number; readonly untilMs: number },
    { sentMs, receivedMs }: Roundtrip,
  ): void {
    // Our clock was set back in between.
    if (receivedMs < sentMs) return;
    const seen = { leastMs: fromMs - receivedMs, mostMs: untilMs - sentMs };
    const leastMs = Math.max(seen.leastMs, this.#range.leastMs);
    const mostMs = Math.min(seen.mostMs, this.#range.mostMs);
    // The venue's clock was set, or one has drifted: what was known no longer holds.
    this.#range = leastMs > mostMs ? seen : { leastMs, mostMs };
  }
}
