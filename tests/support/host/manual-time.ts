import type { TimeSource } from '../../../packages/host/src/clock.ts';

export const CLOCK_START_MS = 1_800_000_000_000;

/** A wall clock and a boot clock that only the test advances. */
export class ManualTime implements TimeSource {
  #wallMs = CLOCK_START_MS;
  #bootMs = 12_345;

  wallMs(): number {
    return Math.floor(this.#wallMs);
  }

  bootMs(): number {
    return this.#bootMs;
  }

  pass(ms: number): void {
    this.#wallMs += ms;
    this.#bootMs += ms;
  }

  set(ms: number): void {
    this.#wallMs += ms;
  }
}
