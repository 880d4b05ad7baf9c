import { setTimeout as later } from 'node:timers/promises';
import type { KV, KvEntry } from '@nats-io/kv';
import { keysOf } from './buckets.ts';
import type { KnownBlock } from './followed-stream.ts';
import { patiently } from './patiently.ts';
import type { BlockRange } from './read-history.ts';

/** What a replica tells the others of itself. */
export type BoardEntry = {
  readonly replica: string;
  /** Where clients reach it; undefined before it serves, and where nobody said so. */
  readonly url?: string | undefined;
  readonly version: string;
  /** The rules that it knows (R-era). */
  readonly rules: number;
  /** It waits until the era of these rules is opened. */
  readonly isWaiting?: true | undefined;
  /** The stream that it follows, which is another one each time that it is written from the start. */
  readonly era?: string | undefined;
  /** The newest block that it has, or had before it was started. */
  readonly height: number;
  /** The first block that it has read from the stream and that is another one there now. */
  readonly replacedFrom?: number | undefined;
  /** Blocks of the stream in whose place another replica had read others. */
  readonly disputed?: BlockRange | undefined;
  readonly hash: string;
  /** The newest block that replicas have attested, and what it is here. */
  readonly attested?: { readonly height: number; readonly hash: string } | undefined;
  /** Its venue's clock when it wrote this. */
  readonly clockMs: number;
};

/** An entry, for how long nothing new has come, and what its clock is ahead of the servers'. */
type SeenEntry = BoardEntry & { readonly silentMs: number; readonly aheadMs: number };

type Seen = {
  readonly entry: BoardEntry;
  /** The highest that it has told of while it followed the same stream: servers that lose an entry have an older one again. */
  readonly height: number;
  readonly atMs: number;
  /** By the servers' clock. */
  readonly createdMs: number;
  readonly revision: number;
};

const TELL_EVERY_MS = 1_000;
/** Who has told nothing for so long is not there. */
const GONE_MS = 5_000;
/** Names that are remembered: containers may have another one with every start. */
const NAMES_MAX = 64;

/**
 * How far each replica of a cluster is, in a key-value bucket: for whoever operates it, for clients that look for
 * another replica, to compare clocks, and to notice that a stream is shorter than what somebody has.
 */
export class ReplicaBoard {
  readonly #kv: Pick<KV, 'get' | 'keys' | 'purge' | 'put' | 'watch'>;
  readonly #seen = new Map<string, Seen>();
  #own: (() => BoardEntry) | undefined;
  #isStopped = false;
  #telling: NodeJS.Timeout | undefined;

  constructor(kv: Pick<KV, 'get' | 'keys' | 'purge' | 'put' | 'watch'>) {
    this.#kv = kv;
  }

  /** Reads what is there, and follows it from here on. */
  async start(): Promise<void> {
    for (const key of await keysOf(this.#kv)) {
      const told = await patiently(() => this.#kv.get(key));
      // When it came, nobody knows: it is not there until it tells more.
      if (told !== null) this.#note(told, -Infinity);
    }
    void this.#watch();
  }

  /** Tells the others of this replica, now and every second; resolves when it is told once. */
  async tell(own: () => BoardEntry): Promise<void> {
    this.#own = own;
    const { replica } = own();
    await patiently(() => this.#put(own()));
    const told = await patiently(() => this.#kv.get(replica));
    if (told !== null) this.#date(told);
    // What could not be done now, the next second does.
    await this.#forget(replica).catch(() => undefined);
    this.#telling = setInterval(() => {
      this.#put(own()).catch(() => undefined);
      this.#forget(replica).catch(() => undefined);
    }, TELL_EVERY_MS).unref();
  }

  /** Tells a last time, and ends. */
  async leave(): Promise<void> {
    this.stop();
    const own = this.#own;
    if (own !== undefined) await this.#put(own()).catch(() => undefined);
  }

  stop(): void {
    this.#isStopped = true;
    clearInterval(this.#telling);
  }

  /** All of them, this one included as it last told. */
  get entries(): readonly SeenEntry[] {
    const nowMs = performance.now();
    return [...this.#seen.values()].map(({ atMs, createdMs, entry }) => ({
      ...entry,
      aheadMs: entry.clockMs - createdMs,
      silentMs: nowMs - atMs,
    }));
  }

  /** Those that are there now. */
  get present(): readonly SeenEntry[] {
    return this.entries.filter(({ silentMs }) => silentMs < GONE_MS);
  }

  /** The highest block that anybody has told of, now or before. */
  get highest(): KnownBlock | undefined {
    return this.longestIn(undefined);
  }

  /** The same of those who followed this stream. */
  longestIn(era: string | undefined): KnownBlock | undefined {
    return this.#told(era).toSorted((a, b) => b.height - a.height)[0];
  }

  /**
   * The same; before that, of one in whose blocks' place the stream has others, or who knows of
   * such blocks.
   */
  highestIn(era: string | undefined): KnownBlock | undefined {
    return this.#told(era).toSorted(
      (a, b) =>
        firstReplaced(a) - firstReplaced(b) ||
        firstDisputed(a) - firstDisputed(b) ||
        b.height - a.height,
    )[0];
  }

  #told(era: string | undefined): KnownBlock[] {
    return [...this.#seen.values()]
      .filter(({ entry }) => era === undefined || entry.era === undefined || entry.era === era)
      .map(({ entry: { disputed, replacedFrom, replica }, height }) => ({
        replica,
        height,
        replacedFrom,
        disputed,
      }));
  }

  /** What a replica has told last. */
  entryOf(replica: string): BoardEntry | undefined {
    return this.#seen.get(replica)?.entry;
  }

  /** Forgets what everybody had: the log was written anew, and who is there tells more. */
  async clear(): Promise<void> {
    for (const replica of this.#seen.keys()) await patiently(() => this.#kv.purge(replica));
    this.#seen.clear();
  }

  async #put(entry: BoardEntry): Promise<void> {
    await this.#kv.put(entry.replica, JSON.stringify(entry), { timeout: TELL_EVERY_MS });
  }

  /** What was read at the start came so long before what was told now, by the servers' clock. */
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
        for await (const told of await this.#kv.watch()) {
          if (this.#isStopped) return;
          if (told.operation === 'PUT') this.#note(told, performance.now());
          else this.#seen.delete(told.key);
        }
      } catch {
        // Nobody to ask: it is tried again.
      }
      await later(TELL_EVERY_MS);
    }
  }

  #note(told: KvEntry, atMs: number): void {
    if (told.operation !== 'PUT') return;
    const entry = told.json<BoardEntry>();
    // What a new watch begins with was seen before.
    if (this.#seen.get(entry.replica)?.revision === told.revision) return;
    const createdMs = told.created.getTime();
    const before = this.#seen.get(entry.replica);
    const height =
      before?.entry.era === entry.era ? Math.max(before?.height ?? 0, entry.height) : entry.height;
    this.#seen.set(entry.replica, { entry, height, atMs, createdMs, revision: told.revision });
  }

  /**
   * Of too many names those that told longest ago, but never who had the highest block. What a watch began with may come
   * after what was purged meanwhile: whoever came back by that is forgotten with the next second.
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

type Told = { readonly replica: string; readonly aheadMs: number };

/**
 * How far the clock of a replica lies apart from those of more than half of all replicas, in milliseconds (above zero: it is
 * ahead of them); 0 while it is not told yet. Where two halves differ it is the one that is ahead whose clock counts as
 * off: a time that was given to a block can't be taken back, and one that is behind does not go back.
 */
export function clockApartMs(own: string, present: readonly Told[]): number {
  const told = present.find(({ replica }) => replica === own);
  if (told === undefined) return 0;
  const apart = present
    .filter(({ replica }) => replica !== own)
    .map(({ aheadMs }) => told.aheadMs - aheadMs)
    .toSorted((a, b) => Math.abs(b) - Math.abs(a));
  const half = Math.floor(present.length / 2);
  const fromMost = apart[half] ?? 0;
  const fromHalf = present.length % 2 === 0 ? (apart[half - 1] ?? 0) : 0;
  return Math.max(fromHalf, 0) > Math.abs(fromMost) ? fromHalf : fromMost;
}
