import { setTimeout as later } from 'node:timers/promises';
import type { KV } from '@nats-io/kv';

/** What a replica tells the others of itself. */
type BoardEntry = {
  readonly replica: string;
  /** Where clients reach it; undefined before it serves, and where nobody said so. */
  readonly url?: string | undefined;
  readonly version: string;
  readonly height: number;
  readonly hash: string;
  /** Its venue's clock when it wrote this. */
  readonly clockMs: number;
};

/** An entry, and for how long nothing new has come. */
type SeenEntry = BoardEntry & { readonly silentMs: number };

const TELL_EVERY_MS = 1_000;
/** Who has told nothing for so long is not there. */
const GONE_MS = 5_000;

/**
 * How far each replica of a cluster is, in a key-value bucket: for whoever operates it, for clients that look for
 * another replica, and to notice that a stream is shorter than what somebody has. It decides nothing.
 */
export class ReplicaBoard {
  readonly #kv: Pick<KV, 'put' | 'watch'>;
  readonly #own: () => BoardEntry;
  readonly #seen = new Map<string, { readonly entry: BoardEntry; readonly atMs: number }>();
  #isStopped = false;
  #telling: NodeJS.Timeout | undefined;

  constructor(kv: Pick<KV, 'put' | 'watch'>, own: () => BoardEntry) {
    this.#kv = kv;
    this.#own = own;
  }

  start(): void {
    void this.#watch();
    this.#telling = setInterval(() => void this.#tell(), TELL_EVERY_MS).unref();
    void this.#tell();
  }

  stop(): void {
    this.#isStopped = true;
    clearInterval(this.#telling);
  }

  /** All of them, this one included as it last told. */
  get entries(): readonly SeenEntry[] {
    const nowMs = performance.now();
    return [...this.#seen.values()].map(({ atMs, entry }) => ({
      ...entry,
      silentMs: nowMs - atMs,
    }));
  }

  /** Those that are there now. */
  get present(): readonly SeenEntry[] {
    return this.entries.filter(({ silentMs }) => silentMs < GONE_MS);
  }

  /** The highest block that anybody has told of, now or before. */
  get highest(): BoardEntry | undefined {
    return this.entries.toSorted((a, b) => b.height - a.height)[0];
  }

  async #tell(): Promise<void> {
    const entry = this.#own();
    try {
      await this.#kv.put(entry.replica, JSON.stringify(entry), { timeout: TELL_EVERY_MS });
    } catch {
      // The next one tells more.
    }
  }

  async #watch(): Promise<void> {
    while (!this.#isStopped) {
      try {
        for await (const told of await this.#kv.watch()) {
          if (this.#isStopped) return;
          if (told.operation !== 'PUT') continue;
          const entry = told.json<BoardEntry>();
          this.#seen.set(entry.replica, { entry, atMs: performance.now() });
        }
      } catch {
        // Nobody to ask: it is tried again.
      }
      await later(TELL_EVERY_MS);
    }
  }
}
