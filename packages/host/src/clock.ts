import { uptime } from 'node:os';

/** The only reader of the host's clocks. Everything else is handed one of these. */
export type Clock = { nowMs(): number };

/** What a host can tell about time. */
export type TimeSource = {
  /** Time of day; whoever runs the machine can set it, and a time server does. */
  wallMs(): number;
  /** Since some moment: nobody can set it, and it goes on while the machine sleeps. */
  bootMs(): number;
};

/** R-clock: so much faster or slower than the boot clock, to come nearer to the wall clock. */
const SLEW = 0.01;
/** By how much it runs slower once the operator has accepted a log that is ahead of the wall clock. */
const SLEW_ACCEPTED = 0.5;
/** The furthest that the wall clock may be behind the log at a start. */
const BEHIND_MS_MAX = 30_000;

/**
 * How far time goes while the boot clock goes `elapsedMs`, when the wall clock is `distanceMs` ahead of
 * it by then: towards that one, never by more than a fixed part of the way. It never goes back.
 */
export function slewed({
  distanceMs,
  elapsedMs,
  slowest = SLEW,
}: {
  readonly elapsedMs: number;
  /** Of the wall clock from where time would be without slewing; below zero when that is behind. */
  readonly distanceMs: number;
  /** The part by which time may be slowed down. */
  readonly slowest?: number;
}): number {
  const ahead = Math.min(distanceMs, elapsedMs * SLEW);
  return elapsedMs + Math.max(ahead, -elapsedMs * slowest);
}

/** A start whose wall clock is behind what the log has recorded, told with both times. */
export class ClockBehindError extends Error {
  override readonly name = 'ClockBehindError';

  constructor(wallMs: number, logMs: number) {
    super(
      `the clock shows ${isoText(wallMs)}, but the log ends at ${isoText(logMs)}, ${logMs - wallMs} ms later. Set the clock, or start with --accept-clock: time then runs at half speed until the clock has caught up`,
    );
  }
}

/**
 * The time that a venue gives its blocks (R-clock). It takes the wall clock's at the start and from
 * then on follows the boot clock, so that setting the wall clock neither freezes the venue nor carries
 * it away.
 */
export class VenueClock implements Clock {
  readonly #source: TimeSource;
  /** Time is this plus what passed; apart, so that small steps are not rounded away. */
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
   * Goes on after the last entry of a log. Throws `ClockBehindError` when the wall clock is behind it
   * by more than can be waited for, unless that is accepted.
   */
  startAfter(logMs: number, { isAccepted }: { readonly isAccepted: boolean }): void {
    const wallMs = this.#source.wallMs();
    if (logMs - wallMs > BEHIND_MS_MAX && !isAccepted) throw new ClockBehindError(wallMs, logMs);
    if (isAccepted && logMs > wallMs) this.#slowest = SLEW_ACCEPTED;
    this.#originMs = Math.max(wallMs, logMs);
    this.#passedMs = 0;
    this.#bootMs = this.#source.bootMs();
  }

  /** Whole milliseconds, never less than the time before. */
  nowMs(): number {
    this.#pass(this.#source.wallMs());
    return this.#floor();
  }

  /** How far the wall clock is ahead of this one, in whole milliseconds; below zero when behind. */
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
    // What was accepted is over with, to the millisecond that the wall clock counts in.
    if (distanceMs > -1) this.#slowest = SLEW;
    this.#passedMs += slewed({ elapsedMs, distanceMs, slowest: this.#slowest });
  }

  #floor(): number {
    return this.#originMs + Math.floor(this.#passedMs);
  }
}

/** How often the uptime is asked, which is slow, by the monotonic clock. */
const UPTIME_EVERY_MS = 100;
/** The uptime counts in hundredths of a second; a shorter sleep can't be told from that. */
const SLEEP_MS_MIN = 250;

/**
 * A boot clock of two: the monotonic one has fine steps but stands still while the machine sleeps;
 * the uptime has coarse steps and does not. Where the second has run ahead, the machine slept.
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

/** The host's own clocks. */
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
