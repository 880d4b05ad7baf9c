const HOUR_MS = 3_600_000;
const HOURS = 24;

/** Amounts of the last day, one sum an hour, so that many small ones take no more room than one. */
export class HourlySums {
  readonly #byHour = new Map<number, bigint>();

  add(amount: bigint, nowMs: number): void {
    const hour = hourOf(nowMs);
    this.#byHour.set(hour, (this.#byHour.get(hour) ?? 0n) + amount);
    this.#forget(hour);
  }

  /** What is left of them. A whole hour goes at once, so none counts for longer than a day. */
  left(nowMs: number): bigint {
    this.#forget(hourOf(nowMs));
    let sum = 0n;
    for (const amount of this.#byHour.values()) sum += amount;
    return sum;
  }

  /** The oldest go first. */
  take(amount: bigint): void {
    let toTake = amount;
    for (const [hour, had] of this.#byHour) {
      const part = had < toTake ? had : toTake;
      if (part === had) this.#byHour.delete(hour);
      else this.#byHour.set(hour, had - part);
      toTake -= part;
    }
  }

  #forget(hour: number): void {
    for (const each of this.#byHour.keys()) {
      if (each <= hour - HOURS) this.#byHour.delete(each);
    }
  }
}

export function hourOf(timeMs: number): number {
  return Math.floor(timeMs / HOUR_MS);
}
