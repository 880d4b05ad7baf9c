import { type BucketRate, TokenBucket } from './token-bucket.ts';

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
