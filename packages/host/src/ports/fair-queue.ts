import { ClientTurns } from './client-turns.ts';
import type { BucketRate } from './token-bucket.ts';

/**
 * Decides which request runs next. Clients take turns with one request each, regardless of their
 * number of connections, and after a few milliseconds the rest of the process gets its turn.
 * Clients that exceed their pace, in number or cost of requests, together get a limited share of
 * the thread's time. Their requests run later, but are not refused.
 */

/**
 * The rate up to which a client's requests have priority, and the burst allowed after being idle.
 */
type Pace = BucketRate;

/**
 * The rate is higher than all request limits together allow, and the burst larger than that of a
 * browser opening the page.
 */
export const PACE: Pace = { perSecond: 100, burst: 400 };

/** The time for requests before the rest of the process gets its turn, in milliseconds. */
const SLICE_MS = 2;
/** How often a new slice begins while no requests are waiting, in milliseconds. */
const WINDOW_MS = 10;
/** The cost of a slow request, in tokens per millisecond. */
const TOKENS_PER_MS = 5;
/** How often clients that exceed their pace are served, in milliseconds. */
const REST_MS = 10;
/**
 * The time per slice for all clients that exceed their pace, in milliseconds. The other clients
 * have nine times as much before the next slice.
 */
const SPARE_MS = 2;
const SPARED_FACTOR = 9;

/** The cost of a continuation, and the turn of the request it continues. */
type Follows = { readonly tokens?: number; readonly turn?: number };

type Asked = { readonly run: () => void; readonly tokens: number };

export class FairQueue {
  readonly #turns: ClientTurns<Asked>;
  #isDue = false;
  #isTimed = false;
  #windowMs = 0;
  #usedMs = 0;
  /** When clients that exceed their pace are next served. */
  #spareFromMs = 0;

  constructor(pace: Pace = PACE) {
    this.#turns = new ClientTurns(pace);
  }

  get size(): number {
    return this.#turns.size;
  }

  /** Identifies the current turn, for continuations of the request served in it. */
  get turn(): number {
    return this.#windowMs;
  }

  /**
   * Runs the function immediately if no request is waiting and there is time. By default, a
   * continuation of a request costs no token, and it does not wait again within that request's
   * turn.
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

  /** Serves one request of each client in turn until the slice is used up. */
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

  /** Serves clients that exceed their pace for a short time, without an additional charge. */
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
