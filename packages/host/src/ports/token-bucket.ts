/** The rate per second, and the burst, which is the size of the bucket. */
export type BucketRate = {
  /** `Infinity` disables the limit. */
  readonly perSecond: number;
  readonly burst: number;
};

/**
 * Fractions of a token. Whole milliseconds refill whole fractions, so that only spending is
 * rounded, upwards.
 */
const PARTS = 1000;

/**
 * Tokens that refill over time. If the cost of an operation is known only afterwards, it is spent
 * anyway, and the excess is a debt that is paid before anything else is taken. The caller provides
 * the time; stepping back takes no tokens.
 */
export class TokenBucket {
  readonly #rate: BucketRate;
  #parts: number;
  #atMs: number;

  /** A new bucket is full. */
  constructor(rate: BucketRate, nowMs: number) {
    this.#rate = rate;
    this.#parts = rate.burst * PARTS;
    this.#atMs = Math.floor(nowMs);
  }

  /** The number of tokens; negative for a debt. */
  left(nowMs: number): number {
    this.#refill(nowMs);
    return this.#parts / PARTS;
  }

  isFull(nowMs: number): boolean {
    return this.left(nowMs) >= this.#rate.burst;
  }

  /** Takes this many tokens if they are available. */
  take(tokens: number, nowMs: number): boolean {
    if (this.left(nowMs) < tokens) return false;
    this.spend(tokens, nowMs);
    return true;
  }

  /** Takes this many tokens whether or not they are available. */
  spend(tokens: number, nowMs: number): void {
    this.#refill(nowMs);
    this.#parts -= Math.ceil(tokens * PARTS);
  }

  /** Milliseconds until this many tokens are available; 0 if they are. */
  msUntil(tokens: number, nowMs: number): number {
    this.#refill(nowMs);
    return Math.max(0, tokens * PARTS - this.#parts) / this.#rate.perSecond;
  }

  /** At one token per second a millisecond refills a fraction of a token. */
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

/** A bucket for each name. Full buckets are not stored; debts always are. */
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

  /** Undefined if it is full, as far as known. */
  find(name: string): TokenBucket | undefined {
    return this.#buckets.get(name);
  }

  /** The bucket to take from, created if missing. */
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
