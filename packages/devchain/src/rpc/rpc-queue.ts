import { TokenBuckets } from '@oddlot/host/ports';
import { refused } from '../core/rpc-error.ts';

/**
 * Runs one call at a time, because a call uses the same memory as a block. Calls by the venue
 * itself have priority. Among external clients, the one that has used the least chain time recently
 * is next. Between external calls, the thread processes disconnects and the venue's calls.
 */

export type RpcClient = {
  readonly client: string;
  /** Returns true once the client has disconnected; its calls are then not started. */
  readonly isDisconnected: () => boolean;
};

/** Thrown if the client disconnected before the response. */
export class ClientGoneError extends Error {
  override readonly name = 'ClientGoneError';
}

type Job = {
  readonly guest: RpcClient | undefined;
  readonly run: () => Promise<void>;
  readonly drop: (error: Error) => void;
};

type Lane = { readonly jobs: Job[]; usedMs: number };

/** The half-life of the time that a guest has used, in milliseconds. */
const HALF_LIFE_MS = 1_000;
/**
 * If a guest has recently used more than this, then after each of its jobs, all guests with as much
 * usage wait three times as long as the job took.
 */
const HEAVY_MS = 500;
const REST_FACTOR = 3;
/** A guest with less usage than this is dropped. */
const NOTHING_MS = 1;

export class RpcQueue {
  readonly #own: Job[] = [];
  readonly #lanes = new Map<string, Lane>();
  #isWorking = false;
  #onIdle: (() => void) | undefined;
  #decayedMs = performance.now();
  #restsUntilMs = 0;
  #ran = 0;
  #timer: NodeJS.Timeout | undefined;

  /**
   * The number of waiting jobs from the owner and from guests, and the number of guest jobs passed
   * on so far.
   */
  get waiting(): number {
    let waiting = this.#own.length;
    for (const { jobs } of this.#lanes.values()) waiting += jobs.length;
    return waiting;
  }

  get ran(): number {
    return this.#ran;
  }

  /** Runs a job in its turn. A job without `guest` runs directly after the current job. */
  take<Result>(run: () => Promise<Result>, guest?: RpcClient): Promise<Result> {
    return new Promise((resolve, reject) => {
      const job = { guest, run: () => run().then(resolve, reject), drop: reject };
      if (guest === undefined) this.#own.push(job);
      else this.#laneOf(guest.client).jobs.push(job);
      this.#begin();
    });
  }

  /** Rejects guests' waiting jobs, and resolves when no job is running. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    for (const { jobs } of this.#lanes.values()) {
      for (const job of jobs.splice(0)) job.drop(new ClientGoneError('the chain is closing'));
    }
    if (this.#isWorking) await new Promise<void>((resolve) => (this.#onIdle = resolve));
  }

  #begin(): void {
    if (!this.#isWorking) void this.#work();
  }

  async #work(): Promise<void> {
    this.#isWorking = true;
    // The first job is deferred, so that jobs arriving together with it are ordered as well.
    await Promise.resolve();
    for (let job = this.#next(); job !== undefined; job = this.#next()) {
      if (job.guest?.isDisconnected() === true) {
        job.drop(new ClientGoneError('the client has disconnected'));
        continue;
      }
      const startedMs = performance.now();
      await job.run();
      if (job.guest === undefined) continue;
      this.#ran += 1;
      this.#count(job.guest.client, performance.now() - startedMs);
      await new Promise((resolve) => setImmediate(resolve));
    }
    this.#isWorking = false;
    this.#onIdle?.();
  }

  #next(): Job | undefined {
    const own = this.#own.shift();
    if (own !== undefined) return own;
    this.#decay();
    let least: Lane | undefined;
    for (const lane of this.#lanes.values()) {
      if (lane.jobs.length > 0 && (least === undefined || lane.usedMs < least.usedMs)) least = lane;
    }
    if (least === undefined) return undefined;
    const waitMs = this.#restsUntilMs - performance.now();
    if (least.usedMs <= HEAVY_MS || waitMs <= 0) return least.jobs.shift();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#begin(), waitMs);
    return undefined;
  }

  #count(client: string, ms: number): void {
    const lane = this.#laneOf(client);
    lane.usedMs += ms;
    if (lane.usedMs > HEAVY_MS) this.#restsUntilMs = performance.now() + REST_FACTOR * ms;
  }

  #laneOf(client: string): Lane {
    const known = this.#lanes.get(client);
    if (known !== undefined) return known;
    const lane: Lane = { jobs: [], usedMs: 0 };
    this.#lanes.set(client, lane);
    return lane;
  }

  #decay(): void {
    const nowMs = performance.now();
    const left = 0.5 ** ((nowMs - this.#decayedMs) / HALF_LIFE_MS);
    this.#decayedMs = nowMs;
    for (const [client, lane] of this.#lanes) {
      lane.usedMs *= left;
      if (lane.usedMs < NOTHING_MS && lane.jobs.length === 0) this.#lanes.delete(client);
    }
  }
}

/**
 * Limits the data that untrusted clients can store permanently. Gas is almost free here, and a
 * transaction can write megabytes to memory and to the disk that the venue uses. Each client has a
 * budget in bytes that refills slowly. Above the total limit, only the venue itself can write.
 */

export type WriteLimits = {
  readonly bytesAtOnce: number;
  readonly bytesPerSecond: number;
  /** The maximum size of the chain's file. */
  readonly bytesInAll: number;
};

const MIB = 1024 * 1024;

/** The limits are generous, because a deposit writes only about four kilobytes. */
const WRITE_LIMITS: WriteLimits = {
  bytesAtOnce: 64 * MIB,
  bytesPerSecond: 2 * 1024,
  bytesInAll: 1024 * MIB,
};

export class ClientWrites {
  readonly #limits: WriteLimits;
  readonly #now: () => number;
  /** The remaining budgets, in bytes. */
  readonly #left: TokenBuckets;

  constructor(limits: WriteLimits = WRITE_LIMITS, now: () => number = () => performance.now()) {
    this.#limits = limits;
    this.#now = now;
    this.#left = new TokenBuckets(
      { perSecond: limits.bytesPerSecond, burst: limits.bytesAtOnce },
      now(),
    );
  }

  /** Rejects clients whose budget is exhausted, and all clients above the total limit. */
  check(client: string, fileBytes: number): void {
    if (fileBytes >= this.#limits.bytesInAll)
      throw refused(`this chain is full: it has ${fileBytes} bytes`);
    const left = this.#left.find(client)?.left(this.#now()) ?? this.#limits.bytesAtOnce;
    if (left <= 0) throw refused('too much data was written from your address; try again later');
  }

  /**
   * Runs a function and charges for the bytes it writes. Their number is known only afterwards and
   * can exceed the budget.
   */
  async count<Result>(
    client: string,
    fileBytes: () => number,
    run: () => Promise<Result>,
  ): Promise<Result> {
    const before = fileBytes();
    try {
      return await run();
    } finally {
      // The file may have become shorter, because it was rewritten.
      const written = Math.max(0, fileBytes() - before);
      const nowMs = this.#now();
      this.#left.of(client, nowMs).spend(written, nowMs);
    }
  }
}
