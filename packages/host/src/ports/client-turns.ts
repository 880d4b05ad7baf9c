import { type BucketRate, TokenBucket } from './token-bucket.ts';

/** A rate without a limit: clients only take turns. */
export const NO_PACE: BucketRate = { perSecond: Infinity, burst: Infinity };

type Client<Item> = {
  readonly waiting: Item[];
  readonly bucket: TokenBucket;
  /** The time of its last request or service. */
  atMs: number;
  /**
   * The number of the client's items that are being served. Its other items wait until those are
   * finished.
   */
  served: number;
};

export type Turn<Item> = { readonly id: string; readonly item: Item };

/**
 * Orders clients' waiting items: one item per client in turn, and each client's items in order. A
 * client without tokens is paused until it has earned some. The caller decides when paused clients
 * are served.
 */
export class ClientTurns<Item> {
  readonly #pace: BucketRate;
  readonly #clients = new Map<string, Client<Item>>();
  /** The clients with an item to serve, the next one first, and the clients without tokens. */
  readonly #line = new Map<string, Client<Item>>();
  readonly #resting = new Map<string, Client<Item>>();
  #sweptMs = 0;

  constructor(pace: BucketRate) {
    this.#pace = pace;
  }

  get size(): number {
    return this.#clients.size;
  }

  get hasNext(): boolean {
    return this.#line.size > 0;
  }

  get hasResting(): boolean {
    return this.#resting.size > 0;
  }

  hasToken(id: string, nowMs: number): boolean {
    return this.#client(id, nowMs).bucket.left(nowMs) >= 1;
  }

  /** Returns true if a new item of the client would be served next. */
  isFirst(id: string, nowMs: number): boolean {
    return this.#line.size === 0 && this.#client(id, nowMs).waiting.length === 0;
  }

  add(id: string, item: Item, nowMs: number): void {
    const client = this.#client(id, nowMs);
    client.waiting.push(item);
    if (client.waiting.length === 1 && client.served === 0) this.#queue(id, client, nowMs);
  }

  /** Returns the next item, which the caller must begin to serve immediately. */
  next(): Turn<Item> | undefined {
    return this.#take(this.#line);
  }

  nextResting(): Turn<Item> | undefined {
    return this.#take(this.#resting);
  }

  /** Begins to serve an item and deducts its initial cost. */
  begin(id: string, tokens: number, nowMs: number): void {
    const client = this.#client(id, nowMs);
    client.served += 1;
    client.bucket.spend(tokens, nowMs);
  }

  /**
   * Ends serving an item and deducts its remaining cost. The client's next item waits behind other
   * clients' items.
   */
  end(id: string, tokens: number, nowMs: number): void {
    const client = this.#client(id, nowMs);
    client.served -= 1;
    client.bucket.spend(tokens, nowMs);
    if (client.waiting.length > 0 && client.served === 0) this.#queue(id, client, nowMs);
  }

  /** Puts clients that have earned a token back in line. */
  wake(nowMs: number): void {
    for (const [id, client] of this.#resting) {
      if (client.bucket.left(nowMs) < 1) continue;
      this.#resting.delete(id);
      this.#queue(id, client, nowMs);
    }
  }

  /** Drops all items but keeps the recorded use of clients. */
  clear(): void {
    this.#line.clear();
    this.#resting.clear();
    for (const { waiting } of this.#clients.values()) waiting.length = 0;
  }

  #take(from: Map<string, Client<Item>>): Turn<Item> | undefined {
    for (const [id, client] of from) {
      from.delete(id);
      const item = client.waiting.shift();
      if (item !== undefined) return { id, item };
    }
    return undefined;
  }

  #queue(id: string, client: Client<Item>, nowMs: number): void {
    if (this.#line.has(id) || this.#resting.has(id)) return;
    if (client.bucket.left(nowMs) >= 1) this.#line.set(id, client);
    else this.#resting.set(id, client);
  }

  #client(id: string, nowMs: number): Client<Item> {
    let client = this.#clients.get(id);
    if (client === undefined) {
      const bucket = new TokenBucket(this.#pace, nowMs);
      client = { waiting: [], bucket, atMs: nowMs, served: 0 };
      this.#clients.set(id, client);
    }
    client.atMs = nowMs;
    this.#sweep(nowMs);
    return client;
  }

  #sweep(nowMs: number): void {
    const { burst, perSecond } = this.#pace;
    const fullMs = perSecond === Infinity ? 1000 : 1000 + (burst * 1000) / perSecond;
    if (nowMs - this.#sweptMs < fullMs) return;
    this.#sweptMs = nowMs;
    for (const [id, { atMs, served, waiting }] of this.#clients) {
      const isIdle = waiting.length === 0 && served === 0;
      if (isIdle && nowMs - atMs >= fullMs) this.#clients.delete(id);
    }
  }
}
