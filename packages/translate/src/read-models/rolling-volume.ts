const HOUR_MS = 3_600_000;
const DAY_HOURS = 24;
const WEEK_HOURS = 7 * DAY_HOURS;

type Hour = { readonly startMs: number; notional: bigint; lots: number; close: number };

/** A market's traded volume in hourly buckets, for the last day, the last week and in total. */
export class RollingVolume {
  #hours: Hour[] = [];
  /** The closing price of the newest hour that has left the buckets; 0 if there is none. */
  #before = 0;
  #total = 0n;

  get total(): bigint {
    return this.#total;
  }

  record(timeMs: number, price: number, lots: number, notional: bigint): void {
    const startMs = timeMs - (timeMs % HOUR_MS);
    let hour = this.#hours.at(-1);
    if (hour?.startMs !== startMs) {
      hour = { startMs, notional: 0n, lots: 0, close: price };
      this.#hours.push(hour);
      this.#forget(startMs - (WEEK_HOURS - 1) * HOUR_MS);
    }
    hour.notional += notional;
    hour.lots += lots;
    hour.close = price;
    this.#total += notional;
  }

  /**
   * Returns the volume of the current hour and the preceding 23 hours, and the price at their
   * start, or 0 if there was none.
   */
  day(timeMs: number): { notional: bigint; lots: number; previousClose: number } {
    return this.#since(timeMs, DAY_HOURS);
  }

  week(timeMs: number): bigint {
    return this.#since(timeMs, WEEK_HOURS).notional;
  }

  #since(timeMs: number, hours: number) {
    const oldest = timeMs - (timeMs % HOUR_MS) - (hours - 1) * HOUR_MS;
    let notional = 0n;
    let lots = 0;
    let previousClose = this.#before;
    for (const hour of this.#hours) {
      if (hour.startMs < oldest) {
        previousClose = hour.close;
      } else {
        notional += hour.notional;
        lots += hour.lots;
      }
    }
    return { notional, lots, previousClose };
  }

  #forget(oldest: number): void {
    while (this.#hours[0] !== undefined && this.#hours[0].startMs < oldest) {
      this.#before = this.#hours[0].close;
      this.#hours.shift();
    }
  }

  dump(): RollingVolumeDump {
    return {
      hours: this.#hours.map(({ startMs, notional, lots, close }) => [
        startMs,
        String(notional),
        lots,
        close,
      ]),
      before: this.#before,
      total: String(this.#total),
    };
  }

  static restore(plain: RollingVolumeDump): RollingVolume {
    const volume = new RollingVolume();
    volume.#hours = plain.hours.map(([startMs, notional, lots, close]) => ({
      startMs,
      notional: BigInt(notional),
      lots,
      close,
    }));
    volume.#before = plain.before;
    volume.#total = BigInt(plain.total);
    return volume;
  }
}

export type RollingVolumeDump = {
  readonly hours: readonly (readonly [
    startMs: number,
    notional: string,
    lots: number,
    close: number,
  ])[];
  readonly before: number;
  readonly total: string;
};
