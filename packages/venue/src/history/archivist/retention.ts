import type { HistoryStore } from '../store/history-store.ts';
import type { ArchivistSettings } from './archivist-messages.ts';

/** By block time. */
const PRUNE_EVERY_MS = 3_600_000;
const STATS_EVERY_MS = 5_000;
/** Blocks whose rows are looked through at a time, and the rest between two portions. */
const SCRUB_BLOCKS = 100;
export const SCRUB_EVERY_MS = 20;

type Stats = Awaited<ReturnType<HistoryStore['stats']>>;

/**
 * The upkeep of a store: drops rows that are too old, a portion at a time, looks once through everything
 * for damage, and knows how much there is.
 */
export class Retention {
  readonly #settings: Pick<ArchivistSettings, 'historyKeptMs' | 'receiptsKeptMs'>;
  readonly #store: HistoryStore;
  readonly #isLive: (orderId: number) => boolean;
  #stats: Stats = { rows: {}, bytes: 0 };
  #prunedMs = 0;
  #scrubbedMs = -Infinity;
  #countedMs = -Infinity;
  /** What was there at the start is looked through up to here; undefined behind the last block. */
  #scrubbed: number | undefined = 0;

  constructor(
    settings: Pick<ArchivistSettings, 'historyKeptMs' | 'receiptsKeptMs'>,
    store: HistoryStore,
    isLive: (orderId: number) => boolean,
  ) {
    this.#settings = settings;
    this.#store = store;
    this.#isLive = isLive;
  }

  get stats(): Stats {
    return this.#stats;
  }

  /** True while there is more to look through. */
  get isScrubbing(): boolean {
    return this.#scrubbed !== undefined;
  }

  /** Does what is due. Others have their turn in between, and say whether it may continue. */
  async look(blockMs: number, pause: () => Promise<boolean>): Promise<void> {
    if (performance.now() - this.#countedMs >= STATS_EVERY_MS) {
      this.#countedMs = performance.now();
      this.#stats = await this.#store.stats();
    }
    if (this.#scrubbed !== undefined && performance.now() - this.#scrubbedMs >= SCRUB_EVERY_MS) {
      this.#scrubbedMs = performance.now();
      this.#scrubbed = await this.#store.scrub(this.#scrubbed, SCRUB_BLOCKS);
    }
    if (blockMs - this.#prunedMs < PRUNE_EVERY_MS) return;
    const { historyKeptMs, receiptsKeptMs } = this.#settings;
    const limits = {
      receiptsBeforeMs: blockMs - receiptsKeptMs,
      isLive: this.#isLive,
      ...(historyKeptMs === undefined ? {} : { rowsBeforeMs: blockMs - historyKeptMs }),
    };
    const gone = await this.#store.prune(limits, pause);
    // The rest goes with the next looks.
    if (gone === 0) this.#prunedMs = blockMs;
  }
}
