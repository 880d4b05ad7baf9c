import { ClientTurns } from './client-turns.ts';
import type { BucketRate } from './token-bucket.ts';

/**
 * Who is served next. Each client in turn has one request taken up, whichever number of connections it
 * sends them on, and after a few milliseconds of it the rest of the process has its turn. Clients that
 * ask for more than anybody should, by number or by what it takes, share a part of the thread that leaves
 * the others theirs, however many they are: their requests are taken up later, not refused.
 */

/** Requests of one client a second that come before those of who asks more often, and what one that was idle may ask at once. */
type Pace = BucketRate;

/** More than all limits on requests allow together, and at once more than a browser asks for that opens the page. */
export const PACE: Pace = { perSecond: 100, burst: 400 };

/** What requests take of the thread before others are let to it. */
const SLICE_MS = 2;
/** In how much time, where nobody waits. */
const WINDOW_MS = 10;
/** A request that takes long counts as so many for each millisecond. */
const TOKENS_PER_MS = 5;
/** How often is looked after those who ask for too much. */
const REST_MS = 10;
/** What they have at once, together; then the others have nine times as long to themselves as it took. */
const SPARE_MS = 2;
const SPARED_FACTOR = 9;

/** What follows on a request: what it costs, and the turn of that request. */
type Follows = { readonly tokens?: number; readonly turn?: number };

type Asked = { readonly run: () => void; readonly tokens: number };

export class FairQueue {
  readonly #turns: ClientTurns<Asked>;
  #isDue = false;
  #isTimed = false;
  #windowMs = 0;
  #usedMs = 0;
  /** From when on those who ask for too much are served again. */
  #spareFromMs = 0;

  constructor(pace: Pace = PACE) {
    this.#turns = new ClientTurns(pace);
  }

  /** How many clients are remembered. */
  get size(): number {
    return this.#turns.size;
  }

  /** Names the turn that it is, for what follows on it. */
  get turn(): number {
    return this.#windowMs;
  }

  /**
   * Runs at once where nobody waits and there is time for it. What follows on a request takes no token,
   * and has not to wait again while it is still the turn of that request.
   */
  take(id: string, run: () => void, { tokens = 1, turn }: Follows = {}): void {
    const nowMs = performance.now();
    if (nowMs - this.#windowMs > WINDOW_MS) this.#open(nowMs);
    const isFirst = this.#usedMs < SLICE_MS && this.#turns.isFirst(id, nowMs);
    if ((isFirst || turn === this.#windowMs) && this.#turns.hasToken(id, nowMs)) {
      this.#run(id, { run, tokens });
      return;
    }
    this.#turns.add(id, { run, tokens }, nowMs);
    this.#serveLater();
  }

  #open(nowMs: number): void {
    this.#windowMs = nowMs;
    this.#usedMs = 0;
  }

  #serveLater(): void {
    if (this.#turns.hasNext && !this.#isDue) {
      this.#isDue = true;
      setImmediate(this.#next);
    }
    if (this.#turns.hasResting) this.#wakeLater();
  }

  /** A slice of time: one request of each client, and again. */
  readonly #next = (): void => {
    this.#isDue = false;
    this.#open(performance.now());
    while (this.#usedMs < SLICE_MS) {
      const next = this.#turns.next();
      if (next === undefined) break;
      this.#run(next.id, next.item);
    }
    this.#serveLater();
  };

  readonly #wake = (): void => {
    this.#isTimed = false;
    const nowMs = performance.now();
    this.#turns.wake(nowMs);
    if (nowMs >= this.#spareFromMs) this.#spare(nowMs);
    this.#serveLater();
  };

  /** A little time for those who ask for too much; it costs them nothing more. */
  #spare(nowMs: number): void {
    let usedMs = 0;
    while (usedMs < SPARE_MS) {
      const next = this.#turns.nextResting();
      if (next === undefined) break;
      this.#turns.begin(next.id, 0, nowMs);
      next.item.run();
      const endedMs = performance.now();
      this.#turns.end(next.id, 0, endedMs);
      usedMs = endedMs - nowMs;
    }
    this.#spareFromMs = nowMs + (1 + SPARED_FACTOR) * usedMs;
  }

  #wakeLater(): void {
    if (this.#isTimed) return;
    this.#isTimed = true;
    setTimeout(this.#wake, REST_MS);
  }

  #run(id: string, { run, tokens }: Asked): void {
    const startedMs = performance.now();
    this.#turns.begin(id, tokens, startedMs);
    try {
      run();
    } finally {
      const endedMs = performance.now();
      const ms = endedMs - startedMs;
      this.#usedMs += ms;
      this.#turns.end(id, ms * TOKENS_PER_MS, endedMs);
    }
  }
}
