import { type Fold, type Row, type SeriesDump, type Tier, TieredSeries } from './tiered-series.ts';

/**
 * A series for each of many instruments or symbols. Bounded twice: by its tiers, and by so many rows
 * in all; beyond that the one that was silent longest is forgotten.
 */
export class SeriesSet<Key extends string | number, R extends Row> {
  readonly #tiers: readonly Tier[];
  readonly #fold: Fold<R>;
  readonly #rowsMax: number;
  /** The one that was recorded last is the last in the map. */
  readonly #series = new Map<Key, TieredSeries<R>>();
  #size = 0;

  constructor(options: { tiers: readonly Tier[]; fold: Fold<R>; rowsMax: number }) {
    this.#tiers = options.tiers;
    this.#fold = options.fold;
    this.#rowsMax = options.rowsMax;
  }

  get(key: Key): TieredSeries<R> | undefined {
    return this.#series.get(key);
  }

  record(key: Key, sample: R): void {
    const series = this.#series.get(key) ?? new TieredSeries(this.#tiers, this.#fold);
    this.#series.delete(key);
    this.#series.set(key, series);
    this.#size -= series.size;
    series.record(sample);
    this.#size += series.size;
    while (this.#size > this.#rowsMax && this.#series.size > 1) this.#forgetSilent();
  }

  /** In the order in which they would be forgotten, so that a restored set forgets the same. */
  dump(): SeriesSetDump<Key, R> {
    return [...this.#series.entries()].map(([key, series]) => [key, series.dump()]);
  }

  clear(): void {
    this.#series.clear();
    this.#size = 0;
  }

  restore(data: unknown): void {
    for (const [key, plain] of data as SeriesSetDump<Key, R>) {
      const series = new TieredSeries(this.#tiers, this.#fold);
      series.restore(plain);
      this.#series.set(key, series);
      this.#size += series.size;
    }
  }

  #forgetSilent(): void {
    const [silent] = this.#series;
    if (silent === undefined) return;
    this.#series.delete(silent[0]);
    this.#size -= silent[1].size;
  }
}

type SeriesSetDump<Key, R extends Row> = readonly (readonly [key: Key, series: SeriesDump<R>])[];
