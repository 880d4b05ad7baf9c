/** How many a second, and how many at once: as many as the bucket holds. */
export type BucketRate = {
  /** `Infinity` lifts it. */
  readonly perSecond: number;
  readonly burst: number;
};

/** Of a token. Whole milliseconds refill whole numbers of them, so that nothing is rounded but what is spent, up. */
const PARTS = 1000;

/**
 * Tokens that come back with time. What something costs may be known when it is over: then it is spent all the same, and what is
 * over is a debt that is paid before anything else is taken. The clock is the caller's; one that steps back takes nothing away.
 */
export class TokenBucket {
  readonly #rate: BucketRate;
  #parts: number;
  #atMs: number;

  /** A new one is full. */
  constructor(rate: BucketRate, nowMs: number) {
    this.#rate = rate;
    this.#parts = rate.burst * PARTS;
    this.#atMs = Math.floor(nowMs);
  }

  /** Tokens; below zero for a debt. */
  left(nowMs: number): number {
    this.#refill(nowMs);
    return this.#parts / PARTS;
  }

  isFull(nowMs: number): boolean {
    return this.left(nowMs) >= this.#rate.burst;
  }

  /** Takes as many, if they are there. */
  take(tokens: number, nowMs: number): boolean {
    if (this.left(nowMs) < tokens) return false;
    this.spend(tokens, nowMs);
    return true;
  }

  /** Whether they are there or not. */
  spend(tokens: number, nowMs: number): void {
    this.#refill(nowMs);
    this.#parts -= Math.ceil(tokens * PARTS);
  }

  /** Milliseconds until so many are there; 0 when they are. */
  msUntil(tokens: number, nowMs: number): number {
    this.#refill(nowMs);
    return Math.max(0, tokens * PARTS - this.#parts) / this.#rate.perSecond;
  }

  /** A token a second earns a part of a token in a millisecond. */
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

/** A bucket for each name. One that is full again need not be remembered; what a debtor owes is. */
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

  /** How many are remembered. */
  get size(): number {
    return this.#buckets.size;
  }

  /** Undefined where it is full, as far as is known. */
  find(name: string): TokenBucket | undefined {
    return this.#buckets.get(name);
  }

  /** For whoever takes of it. */
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
