import type { TimeSource } from '@oddlot/host/clock';

/** The clocks of a host that stand still until somebody moves them. */
export class HandClock implements TimeSource {
  #nowMs: number;

  constructor(startMs: number) {
    this.#nowMs = startMs;
  }

  get nowMs(): number {
    return this.#nowMs;
  }

  set(timeMs: number): void {
    this.#nowMs = timeMs;
  }

  wallMs(): number {
    return this.#nowMs;
  }

  bootMs(): number {
    return this.#nowMs;
  }
}
