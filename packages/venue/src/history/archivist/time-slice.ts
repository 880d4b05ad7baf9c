/** How long blocks are applied before it looks for other work. */
const TURN_MS = 5;

/** Lets whatever has come in meanwhile be heard. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Tells when somebody has worked for long enough. */
export class TimeSlice {
  #sinceMs = performance.now();

  begin(): void {
    this.#sinceMs = performance.now();
  }

  get isOver(): boolean {
    return performance.now() - this.#sinceMs > TURN_MS;
  }
}

/** Sleeps until somebody wakes it. */
export class WakeSignal {
  #isAwake = false;
  #wake: (() => void) | undefined;

  wake(): void {
    this.#isAwake = true;
    this.#wake?.();
  }

  /** Until somebody wakes it, which may have happened since the last time, or some time has passed. */
  async sleep(timeoutMs?: number): Promise<void> {
    if (!this.#isAwake) await this.#woken(timeoutMs);
    this.#isAwake = false;
  }

  /** For a time, whoever wakes it, unless it is urgent. */
  async calm(durationMs: number, isUrgent: () => boolean): Promise<void> {
    const untilMs = performance.now() + durationMs;
    for (let leftMs = durationMs; leftMs > 0 && !isUrgent(); leftMs = untilMs - performance.now()) {
      await this.#woken(leftMs);
    }
  }

  #woken(timeoutMs: number | undefined): Promise<void> {
    return new Promise((resolve) => {
      const timer =
        timeoutMs === undefined ? undefined : setTimeout(() => this.#wake?.(), timeoutMs);
      this.#wake = () => {
        clearTimeout(timer);
        this.#wake = undefined;
        resolve();
      };
    });
  }
}
