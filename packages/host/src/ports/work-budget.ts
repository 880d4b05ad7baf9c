import { clientKey } from './client-ip.ts';
import { type TokenBucket, TokenBuckets } from './token-bucket.ts';

/**
 * What one client may cost the main thread, in milliseconds of its time. Requests are counted
 * elsewhere; this counts what they take, so that a few that are dear don't crowd out many that are
 * cheap. Nobody knows the cost before: a client whose account is not empty may ask, and goes into
 * debt by what it took.
 */

export type WorkLimits = {
  /** Milliseconds of work per second; `Infinity` switches it off. */
  readonly msPerSecond: number;
  /** What a client that was idle may take at once. */
  readonly msBurst: number;
};

export const WORK_LIMITS: WorkLimits = { msPerSecond: 250, msBurst: 500 };

/** What is sent costs as well, though most of it is spent where it can't be measured per client. */
const BYTES_PER_MS = 500_000;

/** What it takes to send so many bytes, in milliseconds. */
export function sendingMs(bytes: number): number {
  return bytes / BYTES_PER_MS;
}

/** A client that has to wait, and what has cost it most. */
export type Debt = { readonly waitSeconds: number; readonly what: string; readonly ms: number };

/** What is left of a client's account. */
export type WorkLeft = {
  readonly msPerSecond: number;
  readonly remainingMs: number;
  /** Until it is full. */
  readonly resetMs: number;
};

/** Kinds of work that are told apart; the names are the venue's own, so there are few. */
const KINDS_MAX = 100;

export class WorkBudget {
  readonly #limits: WorkLimits;
  readonly #now: () => number;
  /** In milliseconds of work. */
  readonly #buckets: TokenBuckets;
  /** What it was spent on since it was full, in milliseconds. */
  readonly #on = new WeakMap<TokenBucket, Map<string, number>>();

  constructor(limits: WorkLimits, now: () => number = () => performance.now()) {
    this.#limits = limits;
    this.#now = now;
    const rate = { perSecond: limits.msPerSecond, burst: limits.msBurst };
    this.#buckets = new TokenBuckets(rate, now());
  }

  /** How many clients are remembered. */
  get size(): number {
    return this.#buckets.size;
  }

  /** Undefined where a client may ask. */
  debt(client: string): Debt | undefined {
    const waitSeconds = this.waitSeconds(client);
    if (waitSeconds === 0) return undefined;
    let [what, ms] = ['the requests of this client', 0];
    const bucket = this.#find(client);
    for (const [each, cost] of (bucket && this.#on.get(bucket)) ?? []) {
      if (cost > ms) [what, ms] = [each, cost];
    }
    return { waitSeconds, what, ms: Math.ceil(ms) };
  }

  /** Undefined where nobody is limited. */
  left(client: string): WorkLeft | undefined {
    const { msBurst, msPerSecond } = this.#limits;
    if (msPerSecond === Infinity) return undefined;
    const [bucket, nowMs] = [this.#find(client), this.#now()];
    const leftMs = bucket?.left(nowMs) ?? msBurst;
    const resetMs = bucket?.msUntil(msBurst, nowMs) ?? 0;
    return { msPerSecond, remainingMs: Math.max(0, leftMs), resetMs };
  }

  /** Whole seconds until a client may ask again; 0 when it may now. */
  waitSeconds(client: string): number {
    const waitMs = this.waitMs(client);
    return waitMs === 0 ? 0 : Math.max(1, Math.ceil(waitMs / 1000));
  }

  /** The same in milliseconds, for work that goes on by itself. */
  waitMs(client: string): number {
    const [bucket, nowMs] = [this.#find(client), this.#now()];
    if (bucket === undefined || bucket.left(nowMs) > 0) return 0;
    return Math.max(1, bucket.msUntil(0, nowMs));
  }

  /** A client took so much, for what. */
  spend(client: string, ms: number, what = 'a subscription'): void {
    if (this.#limits.msPerSecond === Infinity) return;
    const nowMs = this.#now();
    const bucket = this.#buckets.of(clientKey(client), nowMs);
    let on = this.#on.get(bucket);
    if (on === undefined || bucket.isFull(nowMs) || on.size >= KINDS_MAX) {
      on = new Map();
      this.#on.set(bucket, on);
    }
    on.set(what, (on.get(what) ?? 0) + ms);
    bucket.spend(ms, nowMs);
  }

  #find(client: string): TokenBucket | undefined {
    return this.#buckets.find(clientKey(client));
  }
}

/** Runs something and tells what it took of this thread; waiting for others is not counted. */
export function measured<Value>(run: () => Value, spend: (ms: number) => void): Value {
  const before = process.threadCpuUsage();
  try {
    return run();
  } finally {
    const { system, user } = process.threadCpuUsage(before);
    spend((system + user) / 1000);
  }
}
