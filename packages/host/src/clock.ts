import { uptime } from 'node:os';

/**
 * This file is the only code that reads the host's clocks. All other code receives a clock as a
 * parameter.
 */
export type Clock = { nowMs(): number };

export type TimeSource = {
  /** Returns the time of day, which can be set by operators and time servers. */
  wallMs(): number;
  /**
   * Returns milliseconds since an arbitrary point in time. This clock cannot be set, and it
   * continues while the machine sleeps.
   */
  bootMs(): number;
};

/** The fraction by which time runs faster or slower to converge to the wall clock (R-clock). */
const SLEW = 0.01;
/**
 * The fraction by which time runs slower after the operator has accepted a log that is ahead of the
 * wall clock.
 */
const SLEW_ACCEPTED = 0.5;
/** How far the wall clock may be behind the log on startup. */
const BEHIND_MS_MAX = 30_000;

/**
 * Returns how far time advances while the boot clock advances by `elapsedMs`. Time converges to the
 * wall clock, its rate changes by at most a fixed fraction, and it never goes back.
 */
export function slewed({
  distanceMs,
  elapsedMs,
  slowest = SLEW,
}: {
  readonly elapsedMs: number;
  /**
   * The wall clock minus what the time would be without slewing; negative if the wall clock is
   * behind.
   */
  readonly distanceMs: number;
  /** The fraction by which time can be slowed down. */
  readonly slowest?: number;
}): number {
  const ahead = Math.min(distanceMs, elapsedMs * SLEW);
  return elapsedMs + Math.max(ahead, -elapsedMs * slowest);
}

/**
 * Thrown if the wall clock is too far behind the log on startup. The message contains both times.
 */
export class ClockBehindError extends Error {
  override readonly name = 'ClockBehindError';

  constructor(wallMs: number, logMs: number) {
    super(
      `the clock shows ${isoText(wallMs)}, but the log ends at ${isoText(logMs)}, ${logMs - wallMs} ms later. Set the clock, or start with --accept-clock: time then runs at half speed until the clock has caught up`,
    );
  }
}

/**
 * The time that a venue assigns to its blocks (R-clock). It starts with the wall clock and then
 * follows the boot clock, so that adjustments to the wall clock neither stop the venue's time nor
 * make it jump.
 */
export class VenueClock implements Clock {
  readonly #source: TimeSource;
  /**
   * The time is the sum of these two fields, which are separate so that small steps are not rounded
   * away.
   */
  #originMs: number;
  #passedMs = 0;
  #bootMs: number;
  #slowest = SLEW;

  constructor(source: TimeSource = systemTime) {
    this.#source = source;
    this.#originMs = source.wallMs();
    this.#bootMs = source.bootMs();
  }

  /**
   * Continues after the last entry of a log. Throws `ClockBehindError` if the wall clock is too far
   * behind that entry, unless the operator accepts it.
   */
  startAfter(logMs: number, { isAccepted }: { readonly isAccepted: boolean }): void {
    const wallMs = this.#source.wallMs();
    if (logMs - wallMs > BEHIND_MS_MAX && !isAccepted) throw new ClockBehindError(wallMs, logMs);
    if (isAccepted && logMs > wallMs) this.#slowest = SLEW_ACCEPTED;
    this.#originMs = Math.max(wallMs, logMs);
    this.#passedMs = 0;
    this.#bootMs = this.#source.bootMs();
  }

  /** Returns whole milliseconds, never less than the previous value. */
  nowMs(): number {
    this.#pass(this.#source.wallMs());
    return this.#floor();
  }

  /**
   * Returns how far the wall clock is ahead of this clock, in whole milliseconds; negative if it is
   * behind.
   */
  distanceMs(): number {
    const wallMs = this.#source.wallMs();
    this.#pass(wallMs);
    return wallMs - this.#floor();
  }

  #pass(wallMs: number): void {
    const bootMs = this.#source.bootMs();
    const elapsedMs = bootMs - this.#bootMs;
    if (elapsedMs <= 0) return;
    this.#bootMs = bootMs;
    const distanceMs = wallMs - this.#originMs - this.#passedMs - elapsedMs;
    // The accepted difference has been eliminated to within a millisecond, the precision of the
    // wall clock.
    if (distanceMs > -1) this.#slowest = SLEW;
    this.#passedMs += slewed({ elapsedMs, distanceMs, slowest: this.#slowest });
  }

  #floor(): number {
    return this.#originMs + Math.floor(this.#passedMs);
  }
}

/** How often the uptime is read, in milliseconds. Reading it is slow. */
const UPTIME_EVERY_MS = 100;
/**
 * The uptime has a resolution of a hundredth of a second, so a shorter sleep cannot be detected
 * reliably.
 */
const SLEEP_MS_MIN = 250;

/**
 * Combines two clocks into a boot clock. The monotonic clock is precise but stops while the machine
 * sleeps; the uptime is coarse but continues. If the uptime has advanced further, the machine has
 * slept.
 */
export function bootClock(monotonicMs: () => number, uptimeMs: () => number): () => number {
  let sleptMs = 0;
  let askedMs = monotonicMs();
  const aheadMs = uptimeMs() - askedMs;
  return () => {
    const nowMs = monotonicMs();
    if (nowMs - askedMs >= UPTIME_EVERY_MS) {
      askedMs = nowMs;
      const behindMs = uptimeMs() - aheadMs - nowMs - sleptMs;
      if (behindMs >= SLEEP_MS_MIN) sleptMs += behindMs;
    }
    return nowMs + sleptMs;
  };
}

export const systemTime: TimeSource = {
  wallMs: () => Date.now(),
  bootMs: bootClock(
    () => Number(process.hrtime.bigint()) / 1e6,
    () => uptime() * 1_000,
  ),
};

function isoText(timeMs: number): string {
  return new Date(timeMs).toISOString();
}
