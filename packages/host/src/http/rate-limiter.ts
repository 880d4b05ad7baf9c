import { clientKey } from '../ports/client-ip.ts';
import { type TokenBucket, TokenBuckets } from '../ports/token-bucket.ts';

/**
 * A token bucket per client address and surface. A bucket holds the tokens for one second and is
 * refilled at that rate. A bucket unused for a second is full again and is dropped, so memory is
 * bounded by the number of clients within two seconds.
 */

/** The groups of endpoints with separate buckets per client. */
type Surface = 'info' | 'exchange' | 'explainSignature' | 'simulate';

type SurfaceLimits = Readonly<Record<Surface, number>>;

export type Budget = {
  readonly limit: number;
  readonly windowMs: number;
  readonly remaining: number;
  /** The number of milliseconds until the budget is full. */
  readonly resetMs: number;
};

type Taken = Budget & {
  readonly allowed: boolean;
  /**
   * The number of whole seconds until the next token, at least 1. Meaningful only after a refusal.
   */
  readonly retryAfterSeconds: number;
};

const WINDOW_MS = 1000;

export class RateLimiter {
  readonly #limits: SurfaceLimits;
  readonly #now: () => number;
  readonly #enabled: boolean;
  readonly #buckets: Readonly<Record<Surface, TokenBuckets>>;

  constructor(options: { limits: SurfaceLimits; now: () => number; enabled?: boolean }) {
    const { limits, now } = options;
    const bucketsOf = (surface: Surface): TokenBuckets => {
      const limit = limits[surface];
      return new TokenBuckets({ perSecond: limit, burst: limit }, now());
    };
    this.#limits = limits;
    this.#now = now;
    this.#enabled = options.enabled ?? true;
    this.#buckets = {
      info: bucketsOf('info'),
      exchange: bucketsOf('exchange'),
      explainSignature: bucketsOf('explainSignature'),
      simulate: bucketsOf('simulate'),
    };
  }

  /** Takes a token and returns whether the request is allowed. */
  take(surface: Surface, client: string): Taken {
    const nowMs = this.#now();
    const limit = this.#limits[surface];
    if (!this.#enabled) return { ...fullOf(limit), allowed: true, retryAfterSeconds: 1 };
    const bucket = this.#buckets[surface].of(clientKey(client), nowMs);
    const allowed = bucket.take(1, nowMs);
    const retryAfterSeconds = Math.max(1, Math.ceil(bucket.msUntil(1, nowMs) / 1000));
    return { ...budgetOf(limit, bucket, nowMs), allowed, retryAfterSeconds };
  }

  /** Returns what is left of a client's budget without taking a token. */
  peek(surface: Surface, client: string): Budget {
    const limit = this.#limits[surface];
    const bucket = this.#buckets[surface].find(clientKey(client));
    return bucket === undefined ? fullOf(limit) : budgetOf(limit, bucket, this.#now());
  }

  get size(): number {
    return Object.values(this.#buckets).reduce((sum, { size }) => sum + size, 0);
  }
}

function budgetOf(limit: number, bucket: TokenBucket, nowMs: number): Budget {
  return {
    limit,
    windowMs: WINDOW_MS,
    remaining: Math.floor(bucket.left(nowMs)),
    resetMs: Math.ceil(bucket.msUntil(limit, nowMs)),
  };
}

function fullOf(limit: number): Budget {
  return { limit, windowMs: WINDOW_MS, remaining: limit, resetMs: 0 };
}
