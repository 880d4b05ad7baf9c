/** The rate per second, and the burst, that is, the size of the bucket. */
export type BucketRate = {
  /** `Infinity` disables the limit. */
  readonly perSecond: number;
  readonly burst: number;
};

/**
 * The number of parts of a token. Each millisecond refills a whole number of parts, so only
 * spending is rounded: up.
 */
const PARTS = 1000;

/**
 * Tokens that refill over time. An operation whose cost is known only afterwards can overspend; the
 * excess is a debt that must be paid off before tokens can be taken again. The caller supplies the
 * time; no tokens are lost if the clock steps back.
 */
export class TokenBucket {
  readonly #rate: BucketRate;
  #parts: number;
  #atMs: number;

  /** Creates a full bucket. */
  constructor(rate: BucketRate, nowMs: number) {
    this.#rate = rate;
    this.#parts = rate.burst * PARTS;
    this.#atMs = Math.floor(nowMs);
  }

  /** Returns the number of tokens; negative if there is a debt. */
  left(nowMs: number): number {
    this.#refill(nowMs);
    return this.#parts / PARTS;
  }

  isFull(nowMs: number): boolean {
    return this.left(nowMs) >= this.#rate.burst;
  }

  /** Takes a number of tokens if they are available, and returns whether they were. */
  take(tokens: number, nowMs: number): boolean {
    if (this.left(nowMs) < tokens) return false;
    this.spend(tokens, nowMs);
    return true;
  }

  /** Takes a number of tokens, whether or not they are available. */
  spend(tokens: number, nowMs: number): void {
    this.#refill(nowMs);
    this.#parts -= Math.ceil(tokens * PARTS);
  }

  /**
   * Returns the number of milliseconds until a number of tokens is available, or 0 if they already
   * are.
   */
  msUntil(tokens: number, nowMs: number): number {
    this.#refill(nowMs);
    return Math.max(0, tokens * PARTS - this.#parts) / this.#rate.perSecond;
  }

  /**
   * Adds the tokens earned since the last call. At one token per second, a millisecond adds a
   * fraction of a token.
   */
  #refill(nowMs: number): void {
    const { burst, perSecond } = this.#rate;
    const full = burst * PARTS;
    const wholeMs = Math.floor(nowMs);
    const earned = perSecond === Infinity ? full : Math.max(0, wholeMs - this.#atMs) * perSecond;
    this.#parts = Math.min(full, this.#parts + earned);
    this.#atMs = wholeMs;
  }
}

const SWEEP_MS_MIN = 1_000;
const SWEEP_MS_MAX = 60_000;

/** A collection of buckets by name. Full buckets are dropped; buckets with a debt never are. */
export class TokenBuckets {
  readonly #rate: BucketRate;
  readonly #sweepMs: number;
  readonly #buckets = new Map<string, TokenBucket>();
  #sweptMs: number;

  constructor(rate: BucketRate, nowMs: number) {
    this.#rate = rate;
    const fillMs = (rate.burst * 1000) / rate.perSecond;
    this.#sweepMs = Math.min(SWEEP_MS_MAX, Math.max(SWEEP_MS_MIN, fillMs));
    this.#sweptMs = nowMs;
  }

  get size(): number {
    return this.#buckets.size;
  }

  /** Returns undefined if no bucket is stored; the bucket is then full. */
  find(name: string): TokenBucket | undefined {
    return this.#buckets.get(name);
  }

  /** Returns the bucket with a given name, creating it if necessary. */
  of(name: string, nowMs: number): TokenBucket {
    this.#sweep(nowMs);
    const bucket = this.#buckets.get(name) ?? new TokenBucket(this.#rate, nowMs);
    this.#buckets.set(name, bucket);
    return bucket;
  }

  #sweep(nowMs: number): void {
    if (Math.abs(nowMs - this.#sweptMs) < this.#sweepMs) return;
    this.#sweptMs = nowMs;
    for (const [name, bucket] of this.#buckets) {
      if (bucket.isFull(nowMs)) this.#buckets.delete(name);
    }
  }
}
