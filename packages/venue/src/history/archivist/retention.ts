import type { HistoryStore } from '../store/history-store.ts';
import type { ArchivistSettings } from './archivist-messages.ts';

/** By block time. */
const PRUNE_EVERY_MS = 3_600_000;
const STATS_EVERY_MS = 5_000;

type Stats = Awaited<ReturnType<HistoryStore['stats']>>;

/** Drops rows that are too old, a portion at a time, and knows how many there are. */
export class Retention {
  readonly #settings: Pick<ArchivistSettings, 'historyKeptMs' | 'receiptsKeptMs'>;
  readonly #store: HistoryStore;
  #stats: Stats = { rows: {}, bytes: 0 };
  #prunedMs = 0;
  #countedMs = -Infinity;

  constructor(
    settings: Pick<ArchivistSettings, 'historyKeptMs' | 'receiptsKeptMs'>,
    store: HistoryStore,
  ) {
    this.#settings = settings;
    this.#store = store;
  }

  get stats(): Stats {
    return this.#stats;
  }

  /** Does what is due; to be called when there is nothing else to do. */
  async look(blockMs: number): Promise<void> {
    if (performance.now() - this.#countedMs >= STATS_EVERY_MS) {
      this.#countedMs = performance.now();
      this.#stats = await this.#store.stats();
    }
    if (blockMs - this.#prunedMs < PRUNE_EVERY_MS) return;
    const { historyKeptMs, receiptsKeptMs } = this.#settings;
    const gone = await this.#store.prune({
      receiptsBeforeMs: blockMs - receiptsKeptMs,
      ...(historyKeptMs === undefined ? {} : { rowsBeforeMs: blockMs - historyKeptMs }),
    });
    // The rest goes with the next looks.
    if (gone === 0) this.#prunedMs = blockMs;
  }
}
