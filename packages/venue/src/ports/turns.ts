/**
 * Who is served next. Each client in turn has one request taken up, whichever number of connections it
 * sends them on, and after a few milliseconds of it the rest of the process has its turn. A client that
 * asks more often than anybody should waits: its requests are taken up later, not refused.
 */

export type Pace = {
  /** Requests of one client a second; `Infinity` lifts it. */
  readonly perSecond: number;
  /** What a client that was idle may ask at once. */
  readonly burst: number;
};

/** More than all limits on requests allow together, and than a browser asks for that opens the page. */
export const PACE: Pace = { perSecond: 400, burst: 800 };
export const NO_PACE: Pace = { perSecond: Infinity, burst: Infinity };

/** What requests take of the thread before others are let to it. */
const SLICE_MS = 5;
/** In how much time, where nobody waits. */
const WINDOW_MS = 10;
/** How often is looked whether a client that rests may go on. */
const REST_MS = 10;

type Asked = { readonly run: () => void; readonly tokens: number };

type Client = {
  readonly waiting: Asked[];
  tokens: number;
  atMs: number;
};

export class Turns {
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

  constructor(pace: Pace = PACE) {
    this.#pace = pace;
  }

  /** How many clients are remembered. */
  get size(): number {
    return this.#clients.size;
  }

  /** Runs at once where nobody waits and there is time for it. What follows on a request takes no token. */
  take(id: string, run: () => void, tokens = 1): void {
    const nowMs = performance.now();
    const client = this.#client(id, nowMs);
    if (nowMs - this.#windowMs > WINDOW_MS) this.#open(nowMs);
    const isFirst = this.#line.size === 0 && client.waiting.length === 0;
    if (isFirst && this.#usedMs < SLICE_MS && client.tokens >= 1) {
      this.#run(client, { run, tokens });
      return;
    }
    client.waiting.push({ run, tokens });
    if (client.waiting.length === 1) this.#queue(id, client);
  }

  #open(nowMs: number): void {
    this.#windowMs = nowMs;
    this.#usedMs = 0;
  }

  /** To the end of the line, or to those who rest. */
  #queue(id: string, client: Client): void {
    if (client.tokens >= 1) {
      this.#line.set(id, client);
      if (this.#isDue) return;
      this.#isDue = true;
      setImmediate(this.#next);
      return;
    }
    this.#resting.set(id, client);
    if (this.#isTimed) return;
    this.#isTimed = true;
    setTimeout(this.#wake, REST_MS);
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
      this.#fill(client, nowMs);
      // Behind the others, where this loop comes by again.
      if (client.waiting.length > 0) this.#queue(id, client);
      if (this.#usedMs >= SLICE_MS) break;
    }
    if (this.#line.size === 0 || this.#isDue) return;
    this.#isDue = true;
    setImmediate(this.#next);
  };

  readonly #wake = (): void => {
    this.#isTimed = false;
    const nowMs = performance.now();
    // Some of them come back to where they are read from.
    const resting = [...this.#resting];
    this.#resting.clear();
    for (const [id, client] of resting) {
      this.#fill(client, nowMs);
      this.#queue(id, client);
    }
  };

  #run(client: Client, { run, tokens }: Asked): void {
    client.tokens -= tokens;
    const startedMs = performance.now();
    try {
      run();
    } finally {
      this.#usedMs += performance.now() - startedMs;
    }
  }

  #client(id: string, nowMs: number): Client {
    this.#sweep(nowMs);
    let client = this.#clients.get(id);
    if (client === undefined) {
      client = { waiting: [], tokens: this.#pace.burst, atMs: nowMs };
      this.#clients.set(id, client);
    }
    this.#fill(client, nowMs);
    return client;
  }

  #fill(client: Client, nowMs: number): void {
    const { burst, perSecond } = this.#pace;
    if (perSecond === Infinity) return;
    client.tokens = Math.min(burst, client.tokens + ((nowMs - client.atMs) * perSecond) / 1000);
    client.atMs = nowMs;
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
