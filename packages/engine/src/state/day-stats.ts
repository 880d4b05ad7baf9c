/** Hours that make a day of statistics. */
const HOURS = 24;
const HOUR_MS = 3_600_000;

/** Trading of one clock hour. */
type HourBucket = {
  readonly startMs: number;
  lots: number;
  notional: bigint;
  /** Last trade price of the hour. */
  close: number;
};

/** Volume of the last 24 hours in hourly buckets, and the price that they started from. */
export class DayStats {
  #buckets: HourBucket[] = [];
  /** Close of the newest bucket that has left the window; 0 when none has. */
  #previousClose = 0;

  record(timeMs: number, price: number, lots: number, notional: bigint): void {
    const startMs = hourOf(timeMs);
    let bucket = this.#buckets[this.#buckets.length - 1];
    if (bucket === undefined || bucket.startMs !== startMs) {
      this.#evict(startMs);
      bucket = { startMs, lots: 0, notional: 0n, close: price };
      this.#buckets.push(bucket);
    }
    bucket.lots += lots;
    bucket.notional += notional;
    bucket.close = price;
  }

  /** What the window holds at a time. A read: buckets leave only when a trade is recorded. */
  at(timeMs: number): { lots: number; notional: bigint; previousClose: number } {
    const oldest = windowStart(timeMs);
    let lots = 0;
    let notional = 0n;
    let previousClose = this.#previousClose;
    for (const bucket of this.#buckets) {
      if (bucket.startMs < oldest) {
        previousClose = bucket.close;
      } else {
        lots += bucket.lots;
        notional += bucket.notional;
      }
    }
    return { lots, notional, previousClose };
  }

  dump(): { buckets: readonly HourBucket[]; previousClose: number } {
    return { buckets: this.#buckets, previousClose: this.#previousClose };
  }

  restore(buckets: readonly HourBucket[], previousClose: number): void {
    this.#buckets = buckets.map((bucket) => ({ ...bucket }));
    this.#previousClose = previousClose;
  }

  #evict(startMs: number): void {
    const oldest = windowStart(startMs);
    while (this.#buckets[0] !== undefined && this.#buckets[0].startMs < oldest) {
      this.#previousClose = this.#buckets[0].close;
      this.#buckets.shift();
    }
  }
}

/** The hour in progress and the 23 before it. */
function windowStart(timeMs: number): number {
  return hourOf(timeMs) - (HOURS - 1) * HOUR_MS;
}

/** The start of the hour that a time is in. */
function hourOf(timeMs: number): number {
  return Math.floor(timeMs / HOUR_MS) * HOUR_MS;
}
