import { setTimeout as later } from 'node:timers/promises';
import type { KV, KvEntry } from '@nats-io/kv';
import { keysOf } from './buckets.ts';
import type { KnownBlock } from './followed-stream.ts';
import { retryUntilAnswered } from './retry-until-answered.ts';
import type { BlockRange } from './read-history.ts';

export type BoardEntry = {
  readonly replica: string;
  /**
   * The address for clients; undefined before the replica serves clients, and if none is
   * configured.
   */
  readonly url?: string | undefined;
  readonly version: string;
  readonly rules: number;
  /** Present while the replica is waiting for the era of these rules to be opened (R-era). */
  readonly isWaiting?: true | undefined;
  /**
   * The era of the stream that the replica follows, which differs each time the stream is written
   * from the start.
   */
  readonly era?: string | undefined;
  /** The height of the replica's newest block, or of the newest block in its last run. */
  readonly height: number;
  /** The first block read by the replica from the stream that has since been replaced there. */
  readonly replacedFrom?: number | undefined;
  /** The blocks in the stream that differ from those another replica had read. */
  readonly disputed?: BlockRange | undefined;
  readonly hash: string;
  /** The newest block attested by replicas, and its hash on this replica. */
  readonly attested?: { readonly height: number; readonly hash: string } | undefined;
  /** The time of the venue clock when this report was sent, in milliseconds. */
  readonly clockMs: number;
};

type SeenEntry = BoardEntry & { readonly silentMs: number; readonly aheadMs: number };

type Seen = {
  readonly entry: BoardEntry;
  /**
   * The highest block reported while the replica was following the same stream. It is kept because
   * servers that lose an entry return an older one.
   */
  readonly height: number;
  readonly atMs: number;
  readonly createdMs: number;
  readonly revision: number;
};

const REPORT_EVERY_MS = 1_000;
/** A replica that has not reported for this many milliseconds does not count as present. */
const GONE_MS = 5_000;
/**
 * The number of names remembered. It is limited because containers can have a different name on
 * every start.
 */
const NAMES_MAX = 64;

/**
 * The status of each replica of a cluster in a key-value bucket. It is used by operators, by
 * clients that look for another replica, to compare clocks, and to detect that a stream is shorter
 * than a replica's copy.
 */
export class ReplicaBoard {
  readonly #kv: Pick<KV, 'get' | 'keys' | 'purge' | 'put' | 'watch'>;
  readonly #seen = new Map<string, Seen>();
  #own: (() => BoardEntry) | undefined;
  #isStopped = false;
  #reportTimer: NodeJS.Timeout | undefined;

  constructor(kv: Pick<KV, 'get' | 'keys' | 'purge' | 'put' | 'watch'>) {
    this.#kv = kv;
  }

  async start(): Promise<void> {
    for (const key of await keysOf(this.#kv)) {
      const kvEntry = await retryUntilAnswered(() => this.#kv.get(key));
      // The time of the report is unknown, so the replica is not considered present until its next
      // report.
      if (kvEntry !== null) this.#note(kvEntry, -Infinity);
    }
    void this.#watch();
  }

  /**
   * Reports this replica to the others, immediately and then every second. Resolves after the first
   * report.
   */
  async report(own: () => BoardEntry): Promise<void> {
    this.#own = own;
    const { replica } = own();
    await retryUntilAnswered(() => this.#put(own()));
    const kvEntry = await retryUntilAnswered(() => this.#kv.get(replica));
    if (kvEntry !== null) this.#date(kvEntry);
    // A failed cleanup is retried with the next report.
    await this.#forget(replica).catch(() => undefined);
    this.#reportTimer = setInterval(() => {
      this.#put(own()).catch(() => undefined);
      this.#forget(replica).catch(() => undefined);
    }, REPORT_EVERY_MS).unref();
  }

  async leave(): Promise<void> {
    this.stop();
    const own = this.#own;
    if (own !== undefined) await this.#put(own()).catch(() => undefined);
  }

  stop(): void {
    this.#isStopped = true;
    clearInterval(this.#reportTimer);
  }

  /** The reports of all replicas, including the last report of this replica. */
  get entries(): readonly SeenEntry[] {
    const nowMs = performance.now();
    return [...this.#seen.values()].map(({ atMs, createdMs, entry }) => ({
      ...entry,
      aheadMs: entry.clockMs - createdMs,
      silentMs: nowMs - atMs,
    }));
  }

  get present(): readonly SeenEntry[] {
    return this.entries.filter(({ silentMs }) => silentMs < GONE_MS);
  }

  get highest(): KnownBlock | undefined {
    return this.longestIn(undefined);
  }

  /** Returns the highest block reported by replicas that followed this stream. */
  longestIn(era: string | undefined): KnownBlock | undefined {
    return this.#reportsIn(era).toSorted((a, b) => b.height - a.height)[0];
  }

  /**
   * Returns the most important block reported by replicas that followed this stream: replaced
   * blocks take precedence, then disputed ones, then the highest.
   */
  highestIn(era: string | undefined): KnownBlock | undefined {
    return this.#reportsIn(era).toSorted(
      (a, b) =>
        firstReplaced(a) - firstReplaced(b) ||
        firstDisputed(a) - firstDisputed(b) ||
        b.height - a.height,
    )[0];
  }

  #reportsIn(era: string | undefined): KnownBlock[] {
    return [...this.#seen.values()]
      .filter(({ entry }) => era === undefined || entry.era === undefined || entry.era === era)
      .map(({ entry: { disputed, replacedFrom, replica }, height }) => ({
        replica,
        height,
        replacedFrom,
        disputed,
      }));
  }

  entryOf(replica: string): BoardEntry | undefined {
    return this.#seen.get(replica)?.entry;
  }

  /**
   * Removes all reports after the log has been rewritten. Replicas that are present then report
   * again.
   */
  async clear(): Promise<void> {
    for (const replica of this.#seen.keys())
      await retryUntilAnswered(() => this.#kv.purge(replica));
    this.#seen.clear();
  }

  async #put(entry: BoardEntry): Promise<void> {
    await this.#kv.put(entry.replica, JSON.stringify(entry), { timeout: REPORT_EVERY_MS });
  }

  /**
   * Sets the time of entries that were read at the start relative to this replica's first report,
   * by the servers' clock.
   */
  #date(own: KvEntry): void {
    const nowMs = performance.now();
    this.#note(own, nowMs);
    for (const [replica, seen] of this.#seen) {
      if (seen.atMs !== -Infinity) continue;
      const agoMs = Math.max(0, own.created.getTime() - seen.createdMs);
      this.#seen.set(replica, { ...seen, atMs: nowMs - agoMs });
    }
  }

  async #watch(): Promise<void> {
    while (!this.#isStopped) {
      try {
        for await (const kvEntry of await this.#kv.watch()) {
          if (this.#isStopped) return;
          if (kvEntry.operation === 'PUT') this.#note(kvEntry, performance.now());
          else this.#seen.delete(kvEntry.key);
        }
      } catch {
        // If no server responds, the watch is retried.
      }
      await later(REPORT_EVERY_MS);
    }
  }

  #note(kvEntry: KvEntry, atMs: number): void {
    if (kvEntry.operation !== 'PUT') return;
    const entry = kvEntry.json<BoardEntry>();
    // The initial entries of a new watch may already have been processed.
    if (this.#seen.get(entry.replica)?.revision === kvEntry.revision) return;
    const createdMs = kvEntry.created.getTime();
    const before = this.#seen.get(entry.replica);
    const height =
      before?.entry.era === entry.era ? Math.max(before?.height ?? 0, entry.height) : entry.height;
    this.#seen.set(entry.replica, { entry, height, atMs, createdMs, revision: kvEntry.revision });
  }

  /**
   * Removes the oldest names if there are too many, but never that of the highest block. A new
   * watch can return a name that has since been removed; it is removed again with the next report.
   */
  async #forget(own: string): Promise<void> {
    const { highest } = this;
    const old = [...this.#seen.values()]
      .filter(({ entry: { replica } }) => replica !== own && replica !== highest?.replica)
      .toSorted((a, b) => b.revision - a.revision)
      .slice(NAMES_MAX - 2);
    for (const { entry } of old) {
      await this.#kv.purge(entry.replica);
      this.#seen.delete(entry.replica);
    }
  }
}

function firstReplaced({ replacedFrom = Number.MAX_SAFE_INTEGER }: KnownBlock): number {
  return replacedFrom;
}

function firstDisputed({ disputed }: KnownBlock): number {
  return disputed?.from ?? Number.MAX_SAFE_INTEGER;
}

type ClockReport = { readonly replica: string; readonly aheadMs: number };

/**
 * Returns how far the clock of a replica differs from those of more than half of all replicas, in
 * milliseconds (positive if it is ahead), or 0 before its first report. If two halves differ, the
 * clocks that are ahead count as wrong, because the time of a block cannot be undone, whereas a
 * clock that is behind can catch up.
 */
export function clockApartMs(own: string, present: readonly ClockReport[]): number {
  const kvEntry = present.find(({ replica }) => replica === own);
  if (kvEntry === undefined) return 0;
  const apart = present
    .filter(({ replica }) => replica !== own)
    .map(({ aheadMs }) => kvEntry.aheadMs - aheadMs)
    .toSorted((a, b) => Math.abs(b) - Math.abs(a));
  const half = Math.floor(present.length / 2);
  const fromMost = apart[half] ?? 0;
  const fromHalf = present.length % 2 === 0 ? (apart[half - 1] ?? 0) : 0;
  return Math.max(fromHalf, 0) > Math.abs(fromMost) ? fromHalf : fromMost;
}
