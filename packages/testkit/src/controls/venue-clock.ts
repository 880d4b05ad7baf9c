import type { TestVenue } from '../test-venue.ts';

/** How often time passes while it runs: a delay of an order ends within that. */
const TURN_MS = 250;

/**
 * The clock of a venue in hand that runs like that of the machine until somebody holds it. Whatever moves time, prices or the venue
 * itself takes its turn here: one at a time.
 */
export class VenueClock {
  readonly #venue: TestVenue;
  #isHeld: boolean;
  #atMs = performance.now();
  #timer: NodeJS.Timeout | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(
    venue: TestVenue,
    { isHeld, onFatal }: { readonly isHeld: boolean; readonly onFatal: (error: unknown) => void },
  ) {
    this.#venue = venue;
    this.#isHeld = isHeld;
    this.#timer = setInterval(() => void this.inTurn(() => this.#pass()).catch(onFatal), TURN_MS);
  }

  get isHeld(): boolean {
    return this.#isHeld;
  }

  hold(): void {
    this.#isHeld = true;
  }

  run(): void {
    this.#isHeld = false;
    this.#atMs = performance.now();
  }

  /** Runs when everything before it has ended, however it did. */
  inTurn<Value>(work: () => Promise<Value> | Value): Promise<Value> {
    const done = this.#last.then(work, work);
    this.#last = done.catch(() => undefined);
    return done;
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#timer = undefined;
    await this.#last;
  }

  async #pass(): Promise<void> {
    const nowMs = performance.now();
    const passedMs = Math.floor(nowMs - this.#atMs);
    if (this.#isHeld || this.#timer === undefined || passedMs < TURN_MS / 2) return;
    this.#atMs += passedMs;
    await this.#venue.advance(passedMs);
  }
}
