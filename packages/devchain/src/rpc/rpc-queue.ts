import { TokenBuckets } from '@oddlot/host/ports';
import { refused } from '../core/rpc-error.ts';

/**
 * One thing at a time: a call runs on the same memory as a block. What the venue itself asks comes before
 * everything that waits; of all others it is the turn of who has taken least of the chain's time lately. Between two of
 * their calls the thread hears who has gone away and who asks from inside.
 */

/** Who asks from outside. */
export type RpcClient = {
  readonly client: string;
  /** What nobody waits for any more is not begun. */
  readonly isGone: () => boolean;
};

/** Nobody waited for the answer any more. */
export class ClientGoneError extends Error {
  override readonly name = 'ClientGoneError';
}

type Job = {
  readonly guest: RpcClient | undefined;
  readonly run: () => Promise<void>;
  readonly drop: (error: Error) => void;
};

type Lane = { readonly jobs: Job[]; usedMs: number };

/** The time that a guest has used counts for half after this long. */
const HALF_LIFE_MS = 1_000;
/** After a job of a guest that has used more than this lately, such guests wait three times as long as it took. */
const HEAVY_MS = 500;
const REST_FACTOR = 3;
/** A guest that has used less than this is forgotten. */
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

  /** What waits, from inside and outside, and what guests have had run so far. */
  get waiting(): number {
    let waiting = this.#own.length;
    for (const { jobs } of this.#lanes.values()) waiting += jobs.length;
    return waiting;
  }

  get ran(): number {
    return this.#ran;
  }

  /** Runs something when it is its turn: at once after what runs now, where nobody is named. */
  take<Result>(run: () => Promise<Result>, guest?: RpcClient): Promise<Result> {
    return new Promise((resolve, reject) => {
      const job = { guest, run: () => run().then(resolve, reject), drop: reject };
      if (guest === undefined) this.#own.push(job);
      else this.#laneOf(guest.client).jobs.push(job);
      this.#begin();
    });
  }

  /** Ends what guests wait for, and resolves when nothing runs any more. */
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
    // Not within the call that brought the first job: whoever comes with it is in line, too.
    await Promise.resolve();
    for (let job = this.#next(); job !== undefined; job = this.#next()) {
      if (job.guest?.isGone() === true) {
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
 * What strangers may have the chain keep for ever. Gas costs next to nothing here, and a transaction can leave
 * megabytes behind, on the disk that the venue lives on and in memory. Each client has so many bytes, which come back slowly; and when
 * all of it is a lot, only the venue itself goes on.
 */

export type WriteLimits = {
  readonly bytesAtOnce: number;
  readonly bytesPerSecond: number;
  /** Of the chain's file. */
  readonly bytesInAll: number;
};

const MIB = 1024 * 1024;

/** A deposit leaves about four kilobytes. */
const WRITE_LIMITS: WriteLimits = {
  bytesAtOnce: 64 * MIB,
  bytesPerSecond: 2 * 1024,
  bytesInAll: 1024 * MIB,
};

export class ClientWrites {
  readonly #limits: WriteLimits;
  readonly #now: () => number;
  /** In bytes. */
  readonly #left: TokenBuckets;

  constructor(limits: WriteLimits = WRITE_LIMITS, now: () => number = () => performance.now()) {
    this.#limits = limits;
    this.#now = now;
    this.#left = new TokenBuckets(
      { perSecond: limits.bytesPerSecond, burst: limits.bytesAtOnce },
      now(),
    );
  }

  /** Refuses who has nothing left, and everybody when there is a lot. */
  check(client: string, fileBytes: number): void {
    if (fileBytes >= this.#limits.bytesInAll)
      throw refused(`this chain is full: it has ${fileBytes} bytes`);
    const left = this.#left.find(client)?.left(this.#now()) ?? this.#limits.bytesAtOnce;
    if (left <= 0) throw refused('too much data was written from your address; try again later');
  }

  /** Counts what is written meanwhile; nobody knows it before, so it may be more than what was left. */
  async count<Result>(
    client: string,
    fileBytes: () => number,
    run: () => Promise<Result>,
  ): Promise<Result> {
    const before = fileBytes();
    try {
      return await run();
    } finally {
      // Where the file was written anew it has become shorter.
      const written = Math.max(0, fileBytes() - before);
      const nowMs = this.#now();
      this.#left.of(client, nowMs).spend(written, nowMs);
    }
  }
}
