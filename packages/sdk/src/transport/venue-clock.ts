/** The local times between which the venue read its clock. */
export type Roundtrip = { readonly sentMs: number; readonly receivedMs: number };

/** The bounds of the venue's time minus the local time. */
type Range = { readonly leastMs: number; readonly mostMs: number };

/** The resolution of the header's times, which are whole seconds. */
const HEADER_STEP_MS = 1000;
/**
 * If the local clock deviates from the monotonic clock by more than this, it is assumed to have
 * been set.
 */
const CLOCK_SET_MS = 1000;

const ANYTHING: Range = { leastMs: -Infinity, mostMs: Infinity };

/**
 * Estimates the venue's clock, because the local clock may be minutes off. It learns the difference
 * from every response: from the `Date` header or, preferably, from the consensus time in a refusal.
 * Until a response shows a difference, the clocks are assumed to agree.
 */
export class VenueClock {
  readonly #now: () => number;
  #range = ANYTHING;
  #isExact = false;
  /** The local time at the start of the monotonic clock. */
  #originMs: number;

  constructor(now: () => number = Date.now) {
    this.#now = now;
    this.#originMs = now() - performance.now();
  }

  /** Returns the time of the local clock. */
  get ownMs(): number {
    return this.#now();
  }

  /** Estimates the venue's time at a local time. The estimate errs on the side of being late. */
  at(ownMs: number): number {
    this.#forgetIfSet();
    const { leastMs, mostMs } = this.#range;
    const isOff = leastMs > 0 || mostMs < 0;
    return isOff ? ownMs + mostMs : ownMs;
  }

  /**
   * Learns from the `Date` header of a response, unless the venue has reported its consensus time.
   */
  readHeader(date: string | null, roundtrip: Roundtrip): void {
    const atMs = date === null ? Number.NaN : Date.parse(date);
    this.#forgetIfSet();
    if (this.#isExact || Number.isNaN(atMs)) return;
    this.#narrow({ fromMs: atMs, untilMs: atMs + HEADER_STEP_MS }, roundtrip);
  }

  /** Learns from the consensus time in a response. */
  readTime(timeMs: number, roundtrip: Roundtrip): void {
    this.#forgetIfSet();
    if (!this.#isExact) this.#range = ANYTHING;
    this.#isExact = true;
    this.#narrow({ fromMs: timeMs, untilMs: timeMs }, roundtrip);
  }

  /**
   * Forgets the learned difference if the local clock was corrected or the device has been asleep.
   */
  #forgetIfSet(): void {
    const originMs = this.#now() - performance.now();
    if (Math.abs(originMs - this.#originMs) <= CLOCK_SET_MS) return;
    this.#originMs = originMs;
    this.#range = ANYTHING;
    this.#isExact = false;
  }

  #narrow(
    { fromMs, untilMs }: { readonly fromMs: number; readonly untilMs: number },
    { sentMs, receivedMs }: Roundtrip,
  ): void {
    // The local clock was set back between the request and its response.
    if (receivedMs < sentMs) return;
    const seen = { leastMs: fromMs - receivedMs, mostMs: untilMs - sentMs };
    const leastMs = Math.max(seen.leastMs, this.#range.leastMs);
    const mostMs = Math.min(seen.mostMs, this.#range.mostMs);
    // If the bounds contradict each other, one of the clocks was set or has drifted, so the earlier
    // bounds are no longer valid.
    this.#range = leastMs > mostMs ? seen : { leastMs, mostMs };
  }
}
