import { clientKey } from '../ports/client-ip.ts';

/**
 * A token bucket per client address and surface. The bucket holds as many tokens as the surface
 * allows in a second and is refilled at that rate, so a bucket that nobody touched for a second is
 * full, and a full bucket need not be remembered: memory is bounded by the clients of two seconds.
 */

/** The buckets of one client; each surface is counted on its own. */
export type Surface = 'info' | 'exchange' | 'explainSignature' | 'simulate';

/** Requests per second and client address. */
export type SurfaceLimits = Readonly<Record<Surface, number>>;

/** What is left of a budget. */
export type Budget = {
  readonly limit: number;
  readonly windowMs: number;
  readonly remaining: number;
  /** Until the budget is full. */
  readonly resetMs: number;
};

/** The answer to one request. */
export type Taken = Budget & {
  readonly allowed: boolean;
  /** Whole seconds until one token, at least 1; only of use when refused. */
  readonly retryAfterSeconds: number;
};

const WINDOW_MS = 1000;
const TOKEN = 1000;

/** Counted in thousandths of a token, so that whole milliseconds refill whole numbers. */
type Bucket = { level: number; atMs: number };

export class RateLimiter {
  readonly #limits: SurfaceLimits;
  readonly #now: () => number;
  readonly #enabled: boolean;
  #recent = new Map<string, Bucket>();
  #older = new Map<string, Bucket>();
  #turnedMs: number;

  constructor(options: { limits: SurfaceLimits; now: () => number; enabled?: boolean }) {
    this.#limits = options.limits;
    this.#now = options.now;
    this.#enabled = options.enabled ?? true;
    this.#turnedMs = options.now();
  }

  /** Takes a token; the surface is entered with it or not at all. */
  take(surface: Surface, client: string): Taken {
    const limit = this.#limits[surface];
    const full = limit * TOKEN;
    if (!this.#enabled) return { ...budgetOf(limit, full), allowed: true, retryAfterSeconds: 1 };
    const bucket = this.#refilled(surface, client, limit);
    const allowed = bucket.level >= TOKEN;
    if (allowed) bucket.level -= TOKEN;
    const missing = TOKEN - bucket.level;
    const retryAfterSeconds = Math.max(1, Math.ceil(missing / limit / WINDOW_MS));
    return { ...budgetOf(limit, bucket.level), allowed, retryAfterSeconds };
  }

  /** What a client has left, without taking from it. */
  peek(surface: Surface, client: string): Budget {
    const limit = this.#limits[surface];
    if (!this.#enabled) return budgetOf(limit, limit * TOKEN);
    const bucket = this.#find(key(surface, client));
    if (bucket === undefined) return budgetOf(limit, limit * TOKEN);
    return budgetOf(limit, levelAt(bucket, limit, this.#now()));
  }

  /** How many buckets are remembered. */
  get size(): number {
    return this.#recent.size + this.#older.size;
  }

  #refilled(surface: Surface, client: string, limit: number): Bucket {
    const nowMs = this.#now();
    this.#turn(nowMs);
    const id = key(surface, client);
    let bucket = this.#recent.get(id);
    if (bucket === undefined) {
      bucket = this.#older.get(id) ?? { level: limit * TOKEN, atMs: nowMs };
      this.#older.delete(id);
      this.#recent.set(id, bucket);
    }
    bucket.level = levelAt(bucket, limit, nowMs);
    bucket.atMs = nowMs;
    return bucket;
  }

  /** Forgets the buckets that were not touched for a whole window: they are full. */
  #turn(nowMs: number): void {
    const sinceMs = nowMs - this.#turnedMs;
    if (sinceMs >= 0 && sinceMs < WINDOW_MS) return;
    this.#older = sinceMs < 2 * WINDOW_MS && sinceMs >= 0 ? this.#recent : new Map();
    this.#recent = new Map();
    this.#turnedMs = nowMs;
  }

  #find(id: string): Bucket | undefined {
    return this.#recent.get(id) ?? this.#older.get(id);
  }
}

function key(surface: Surface, client: string): string {
  return `${surface} ${clientKey(client)}`;
}

function levelAt(bucket: Bucket, limit: number, nowMs: number): number {
  const elapsedMs = Math.max(0, nowMs - bucket.atMs);
  return Math.min(limit * TOKEN, bucket.level + elapsedMs * limit);
}

function budgetOf(limit: number, level: number): Budget {
  return {
    limit,
    windowMs: WINDOW_MS,
    remaining: Math.floor(level / TOKEN),
    resetMs: Math.ceil((limit * TOKEN - level) / limit),
  };
}
