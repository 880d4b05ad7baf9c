import { assert, divHalfUp } from '@oddlot/units';
import { HOUR_MS, SAMPLE_MS, SAMPLES_PER_HOUR } from './funding-hour.ts';

/**
 * The oracle of the last hour, one price for each 5 s: what a delisted perp is settled at
 * (R-delist). An instant at which the oracle was stale has no price and does not count.
 */
export class OracleTwap {
  /** The instant of the last price. */
  #endMs = 0;
  /** One for each instant up to the end, oldest first; 0 where there is none. */
  #prices: number[] = [];

  /** Takes the price in force at an instant, a multiple of 5 s after the last one. */
  record(instantMs: number, price: number): void {
    assert(instantMs % SAMPLE_MS === 0 && instantMs > this.#endMs, 'samples are taken in order');
    const passed = Math.floor((instantMs - this.#endMs) / SAMPLE_MS);
    const missed = Math.min(SAMPLES_PER_HOUR, passed - 1);
    if (this.#prices.length > 0) for (let i = 0; i < missed; i++) this.#prices.push(0);
    this.#prices.push(price);
    this.#endMs = instantMs;
    const excess = this.#prices.length - SAMPLES_PER_HOUR;
    if (excess > 0) this.#prices.splice(0, excess);
  }

  /** The average over the hour before a time, half up; undefined without a price in it. */
  average(timeMs: number): number | undefined {
    let sum = 0;
    let count = 0;
    let instantMs = this.#endMs;
    for (const price of [...this.#prices].reverse()) {
      if (price > 0 && instantMs > timeMs - HOUR_MS) {
        sum += price;
        count += 1;
      }
      instantMs -= SAMPLE_MS;
    }
    return count === 0 ? undefined : Number(divHalfUp(BigInt(sum), BigInt(count)));
  }

  dump(): readonly [endMs: number, prices: readonly number[]] {
    return [this.#endMs, [...this.#prices]];
  }

  restore([endMs, prices]: readonly [endMs: number, prices: readonly number[]]): void {
    this.#endMs = endMs;
    this.#prices = [...prices];
  }
}
