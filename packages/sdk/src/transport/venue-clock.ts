/** Between which moments of our own clock the venue looked at its own. */
export type Roundtrip = { readonly sentMs: number; readonly receivedMs: number };

/** How far apart two clocks are: the venue's time minus ours lies in between. */
type Range = { readonly leastMs: number; readonly mostMs: number };

/** The header counts whole seconds. */
const HEADER_STEP_MS = 1000;

/**
 * What the clock of the venue shows. Ours may be minutes off, so every answer is used to learn how far:
 * its `Date` header, or, better, the time of consensus that a refusal tells. Until an answer says that
 * the clocks differ they are taken to agree.
 */
export class VenueClock {
  readonly #now: () => number;
  #range: Range = { leastMs: -Infinity, mostMs: Infinity };
  #isTold = false;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** Our own clock. */
  get ownMs(): number {
    return this.#now();
  }

  /** What the venue's clock shows at a moment of ours; rather too late than too early. */
  at(ownMs: number): number {
    const { leastMs, mostMs } = this.#range;
    const isOff = leastMs > 0 || mostMs < 0;
    return isOff ? ownMs + mostMs : ownMs;
  }

  /** Learns from the `Date` of an answer, unless the venue has told its time itself. */
  readHeader(date: string | null, roundtrip: Roundtrip): void {
    const atMs = date === null ? Number.NaN : Date.parse(date);
    if (this.#isTold || Number.isNaN(atMs)) return;
    this.#narrow({ fromMs: atMs, untilMs: atMs + HEADER_STEP_MS }, roundtrip);
  }

  /** Learns from the time of consensus in an answer. */
  readTime(timeMs: number, roundtrip: Roundtrip): void {
    if (!this.#isTold) this.#range = { leastMs: -Infinity, mostMs: Infinity };
    this.#isTold = true;
    this.#narrow({ fromMs: timeMs, untilMs: timeMs }, roundtrip);
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
    // A clock was set, or has drifted: what was known no longer holds.
    this.#range = leastMs > mostMs ? seen : { leastMs, mostMs };
  }
}
