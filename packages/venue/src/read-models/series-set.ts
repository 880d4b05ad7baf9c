import { type Fold, type Row, type SeriesDump, type Tier, TieredSeries } from './tiered-series.ts';

/**
 * A series for each of many instruments or symbols. Bounded twice: by its tiers, and by so many rows
 * in all; beyond that one is forgotten, which is the first that has ended, and when none has the one
 * that was silent longest. So what is over never pushes out what goes on.
 */
export class SeriesSet<Key extends string | number, R extends Row> {
  readonly #tiers: readonly Tier[];
  readonly #fold: Fold<R>;
  readonly #rowsMax: number;
  /** The one that was recorded last is the last in the map. */
  readonly #series = new Map<Key, TieredSeries<R>>();
  /** Those that nothing will be recorded of any more, in the order in which they ended. */
  readonly #ended = new Map<Key, TieredSeries<R>>();
  #size = 0;
  #hasEvicted = false;

  constructor(options: { tiers: readonly Tier[]; fold: Fold<R>; rowsMax: number }) {
    this.#tiers = options.tiers;
    this.#fold = options.fold;
    this.#rowsMax = options.rowsMax;
  }

  get(key: Key): TieredSeries<R> | undefined {
    return this.#series.get(key) ?? this.#ended.get(key);
  }

  /** Whether one was ever forgotten for want of room: it may have come again since, without its past. */
  get hasEvicted(): boolean {
    return this.#hasEvicted;
  }

  /** Nothing more comes of this one. */
  end(key: Key): void {
    const series = this.#series.get(key);
    if (series === undefined) return;
    this.#series.delete(key);
    this.#ended.set(key, series);
  }

  forget(key: Key): void {
    const series = this.get(key);
    if (series === undefined) return;
    this.#series.delete(key);
    this.#ended.delete(key);
    this.#size -= series.size;
  }

  record(key: Key, sample: R): void {
    const series = this.#series.get(key) ?? new TieredSeries(this.#tiers, this.#fold);
    this.#series.delete(key);
    this.#series.set(key, series);
    this.#size -= series.size;
    series.record(sample);
    this.#size += series.size;
    while (this.#size > this.#rowsMax && this.#ended.size + this.#series.size > 1) {
      this.#forgetFirst();
    }
  }

  /** In the order in which they would be forgotten, so that a restored set forgets the same. */
  dump(): SeriesSetDump<Key, R> {
    const series = [...this.#ended, ...this.#series];
    return {
      ended: this.#ended.size,
      evicted: this.#hasEvicted,
      series: series.map(([key, each]) => [key, each.dump()]),
    };
  }

  clear(): void {
    this.#series.clear();
    this.#ended.clear();
    this.#size = 0;
    this.#hasEvicted = false;
  }

  /** Older snapshots hold the list alone, and do not say which of it had ended. */
  restore(data: unknown): void {
    const plain = data as SeriesSetDump<Key, R> | SeriesSetDump<Key, R>['series'];
    const known = 'ended' in plain ? plain : { ended: 0, evicted: false, series: plain };
    const { ended, evicted, series: all } = known;
    this.#hasEvicted = evicted;
    for (const [at, [key, rows]] of all.entries()) {
      const series = new TieredSeries(this.#tiers, this.#fold);
      series.restore(rows);
      (at < ended ? this.#ended : this.#series).set(key, series);
      this.#size += series.size;
    }
  }

  #forgetFirst(): void {
    const [ended] = this.#ended.keys();
    const [silent] = this.#series.keys();
    const first = ended ?? silent;
    if (first === undefined) return;
    this.forget(first);
    this.#hasEvicted = true;
  }
}

type SeriesSetDump<Key, R extends Row> = {
  /** How many from the start of the list. */
  readonly ended: number;
  readonly evicted: boolean;
  readonly series: readonly (readonly [key: Key, series: SeriesDump<R>])[];
};
