import type { TimeSource } from '../../../packages/host/src/clock.ts';

/** Where clocks in hand begin. */
export const LONG_AGO_MS = 1_800_000_000_000;

/** Clocks that go only when they are told to. */
export class HandTime implements TimeSource {
  #wallMs = LONG_AGO_MS;
  #bootMs = 12_345;

  wallMs(): number {
    return Math.floor(this.#wallMs);
  }

  bootMs(): number {
    return this.#bootMs;
  }

  /** Both go on. */
  pass(ms: number): void {
    this.#wallMs += ms;
    this.#bootMs += ms;
  }

  /** Somebody sets the wall clock. */
  set(ms: number): void {
    this.#wallMs += ms;
  }
}
