import { type BucketRate, TokenBucket } from './token-bucket.ts';

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
export const NO_PACE: Pace = { perSecond: Infinity, burst: Infinity };

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

type Client = {
  readonly waiting: Asked[];
  readonly bucket: TokenBucket;
  /** When it asked or was served last. */
  atMs: number;
};

export class FairQueue {
  readonly #pace: Pace;
  readonly #clients = new Map<string, Client>();
  /** Those with a request that may be taken up, the next one first; and those who ask too often. */
  readonly #line = new Map<string, Client>();
  readonly #resting = new Map<string, Client>();
  #isDue = false;
  #isTimed = false;
  #windowMs = 0;
  #usedMs = 0;
  #sweptMs = 0;
  /** From when on those who ask for too much are served again. */
  #spareFromMs = 0;

  constructor(pace: Pace = PACE) {
    this.#pace = pace;
  }

  /** How many clients are remembered. */
  get size(): number {
    return this.#clients.size;
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
    const client = this.#client(id, nowMs);
    if (nowMs - this.#windowMs > WINDOW_MS) this.#open(nowMs);
    const isFirst = this.#line.size === 0 && client.waiting.length === 0;
    const isNext = (isFirst && this.#usedMs < SLICE_MS) || turn === this.#windowMs;
    if (isNext && client.bucket.left(nowMs) >= 1) {
      this.#run(client, { run, tokens });
      return;
    }
    client.waiting.push({ run, tokens });
    if (client.waiting.length === 1) this.#queue(id, client, nowMs);
  }

  #open(nowMs: number): void {
    this.#windowMs = nowMs;
    this.#usedMs = 0;
  }

  /** To the end of the line, or to those who rest. */
  #queue(id: string, client: Client, nowMs: number): void {
    if (client.bucket.left(nowMs) >= 1) {
      this.#line.set(id, client);
      if (this.#isDue) return;
      this.#isDue = true;
      setImmediate(this.#next);
      return;
    }
    this.#resting.set(id, client);
    this.#wakeLater();
  }

  /** A slice of time: one request of each client, and again. */
  readonly #next = (): void => {
    this.#isDue = false;
    const nowMs = performance.now();
    this.#open(nowMs);
    for (const [id, client] of this.#line) {
      this.#line.delete(id);
      const asked = client.waiting.shift();
      if (asked !== undefined) this.#run(client, asked);
      // Behind the others, where this loop comes by again.
      if (client.waiting.length > 0) this.#queue(id, client, nowMs);
      if (this.#usedMs >= SLICE_MS) break;
    }
    if (this.#line.size === 0 || this.#isDue) return;
    this.#isDue = true;
    setImmediate(this.#next);
  };

  readonly #wake = (): void => {
    this.#isTimed = false;
    const nowMs = performance.now();
    for (const [id, client] of this.#resting) {
      if (client.bucket.left(nowMs) < 1) continue;
      this.#resting.delete(id);
      this.#queue(id, client, nowMs);
    }
    if (nowMs >= this.#spareFromMs) this.#spare(nowMs);
    this.#wakeLater();
  };

  /** A little time for those who ask for too much; it costs them nothing more. */
  #spare(nowMs: number): void {
    let usedMs = 0;
    for (const [id, client] of this.#resting) {
      if (usedMs >= SPARE_MS) break;
      this.#resting.delete(id);
      const asked = client.waiting.shift();
      asked?.run();
      // Behind the others, where this loop comes by again.
      if (client.waiting.length > 0) this.#resting.set(id, client);
      usedMs = performance.now() - nowMs;
    }
    this.#spareFromMs = nowMs + (1 + SPARED_FACTOR) * usedMs;
  }

  #wakeLater(): void {
    if (this.#isTimed || this.#resting.size === 0) return;
    this.#isTimed = true;
    setTimeout(this.#wake, REST_MS);
  }

  #run(client: Client, { run, tokens }: Asked): void {
    const startedMs = performance.now();
    client.bucket.spend(tokens, startedMs);
    client.atMs = startedMs;
    try {
      run();
    } finally {
      const endedMs = performance.now();
      const ms = endedMs - startedMs;
      this.#usedMs += ms;
      client.bucket.spend(ms * TOKENS_PER_MS, endedMs);
    }
  }

  #client(id: string, nowMs: number): Client {
    this.#sweep(nowMs);
    let client = this.#clients.get(id);
    if (client === undefined) {
      client = { waiting: [], bucket: new TokenBucket(this.#pace, nowMs), atMs: nowMs };
      this.#clients.set(id, client);
    }
    client.atMs = nowMs;
    return client;
  }

  /** Forgets who has not asked for so long that nothing is known about it. */
  #sweep(nowMs: number): void {
    const { burst, perSecond } = this.#pace;
    const fullMs = perSecond === Infinity ? 1000 : 1000 + (burst * 1000) / perSecond;
    if (nowMs - this.#sweptMs < fullMs) return;
    this.#sweptMs = nowMs;
    for (const [id, { atMs, waiting }] of this.#clients) {
      if (waiting.length === 0 && nowMs - atMs >= fullMs) this.#clients.delete(id);
    }
  }
}
