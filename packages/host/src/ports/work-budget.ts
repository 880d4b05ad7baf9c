import { clientKey } from './client-ip.ts';
import { type TokenBucket, TokenBuckets } from './token-bucket.ts';

/**
 * Limits the time that one client can use on the main thread, in milliseconds. The number of
 * requests is limited separately. This budget counts their cost, so that a few expensive requests
 * do not displace many cheap ones. The cost is known only afterwards: a client with a positive
 * balance can send a request, and the cost may put it into debt.
 */

export type WorkLimits = {
  /** The number of milliseconds of work per second; `Infinity` disables the limit. */
  readonly msPerSecond: number;
  /** The burst allowed after being idle. */
  readonly msBurst: number;
};

export const WORK_LIMITS: WorkLimits = { msPerSecond: 250, msBurst: 500 };

/**
 * Sending also takes time. Most of it cannot be measured per client, so it is estimated from the
 * size.
 */
const BYTES_PER_MS = 500_000;

/** Returns the cost of sending this many bytes, in milliseconds. */
export function sendingMs(bytes: number): number {
  return bytes / BYTES_PER_MS;
}

/** How long a client has to wait, and its most expensive kind of work. */
export type Debt = { readonly waitSeconds: number; readonly what: string; readonly ms: number };

export type WorkLeft = {
  readonly msPerSecond: number;
  readonly remainingMs: number;
  /** The number of milliseconds until the budget is full. */
  readonly resetMs: number;
};

/**
 * The maximum number of distinct kinds of work. The venue defines their names, so there are few.
 */
const KINDS_MAX = 100;

export class WorkBudget {
  readonly #limits: WorkLimits;
  readonly #now: () => number;
  readonly #buckets: TokenBuckets;
  /** The time used, by kind, since the budget was last full, in milliseconds. */
  readonly #on = new WeakMap<TokenBucket, Map<string, number>>();

  constructor(limits: WorkLimits, now: () => number = () => performance.now()) {
    this.#limits = limits;
    this.#now = now;
    const rate = { perSecond: limits.msPerSecond, burst: limits.msBurst };
    this.#buckets = new TokenBuckets(rate, now());
  }

  get size(): number {
    return this.#buckets.size;
  }

  /** Returns undefined if the client can send a request. */
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

  /** Returns undefined if there is no limit. */
  left(client: string): WorkLeft | undefined {
    const { msBurst, msPerSecond } = this.#limits;
    if (msPerSecond === Infinity) return undefined;
    const [bucket, nowMs] = [this.#find(client), this.#now()];
    const leftMs = bucket?.left(nowMs) ?? msBurst;
    const resetMs = bucket?.msUntil(msBurst, nowMs) ?? 0;
    return { msPerSecond, remainingMs: Math.max(0, leftMs), resetMs };
  }

  /**
   * Returns the number of whole seconds until the client can send a request, or 0 if it can send
   * one now.
   */
  waitSeconds(client: string): number {
    const waitMs = this.waitMs(client);
    return waitMs === 0 ? 0 : Math.max(1, Math.ceil(waitMs / 1000));
  }

  /**
   * Returns the number of milliseconds until the client may send a request. Recurring work uses it.
   */
  waitMs(client: string): number {
    const [bucket, nowMs] = [this.#find(client), this.#now()];
    if (bucket === undefined || bucket.left(nowMs) > 0) return 0;
    return Math.max(1, bucket.msUntil(0, nowMs));
  }

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

/** Runs a function and charges the CPU time it uses on this thread. */
export function measured<Value>(run: () => Value, spend: (ms: number) => void): Value {
  const before = process.threadCpuUsage();
  try {
    return run();
  } finally {
    const { system, user } = process.threadCpuUsage(before);
    spend((system + user) / 1000);
  }
}
