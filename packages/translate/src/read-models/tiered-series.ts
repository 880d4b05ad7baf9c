import { present } from '@oddlot/units';

/** An entry in a series: a time in milliseconds, followed by numbers. */
export type Row = [timeMs: number, ...values: number[]];

/** The step of one tier in a series, and how long its rows are kept. */
export type Tier = { readonly stepMs: number; readonly retentionMs: number };

/** A rule that combines all samples in a step into one row. */
export type Fold<R extends Row> = {
  /** Returns the index of the step that a time falls in. */
  bucket(timeMs: number, stepMs: number): number;
  /** Creates a step's row from its first sample. */
  open(sample: R, stepMs: number): R;
  merge(row: R, sample: R): void;
};

/**
 * A time series with a fine resolution for recent samples and a coarser one for older samples,
 * which limits its size. Every sample is added to each tier, and a tier has one row for each step
 * that has a sample. Samples must be recorded in order of time.
 */
export class TieredSeries<R extends Row> {
  readonly #tiers: readonly Tier[];
  readonly #fold: Fold<R>;
  readonly #rows: R[][];
  /** For each tier, true if any of its rows have been dropped. */
  readonly #cut: boolean[];

  constructor(tiers: readonly Tier[], fold: Fold<R>) {
    this.#tiers = tiers;
    this.#fold = fold;
    this.#rows = tiers.map(() => []);
    this.#cut = tiers.map(() => false);
  }

  get size(): number {
    return this.#rows.reduce((sum, rows) => sum + rows.length, 0);
  }

  /** Returns the newest row of the finest tier. */
  get last(): R | undefined {
    return this.#rows[0]?.at(-1);
  }

  /** Returns the rows of a tier, oldest first. */
  rows(tier: number): readonly R[] {
    return this.#rows[tier] ?? [];
  }

  /** Returns true if any of a tier's rows have been dropped. */
  isCut(tier: number): boolean {
    return this.#cut[tier] ?? false;
  }

  record(sample: R): void {
    for (const [tier, { retentionMs, stepMs }] of this.#tiers.entries()) {
      const rows = present(this.#rows[tier], 'the rows of a tier');
      const last = rows.at(-1);
      const bucket = this.#fold.bucket(sample[0], stepMs);
      if (last !== undefined && this.#fold.bucket(last[0], stepMs) === bucket) {
        this.#fold.merge(last, sample);
        continue;
      }
      rows.push(this.#fold.open(sample, stepMs));
      this.#drop(tier, sample[0] - retentionMs);
    }
  }

  /** Returns the last row at or before a time, from the finest tier that has it. */
  at(timeMs: number): { readonly row: R; readonly stepMs: number } | undefined {
    for (const [tier, { stepMs }] of this.#tiers.entries()) {
      const rows = this.rows(tier);
      const row = rows[firstAfter(rows, timeMs) - 1];
      if (row !== undefined) return { row, stepMs };
    }
    return undefined;
  }

  /** Returns the rows in a period, oldest first, each from the finest tier that has it. */
  between(fromMs: number, toMs: number): { readonly stepMs: number; readonly rows: R[] }[] {
    const parts: { stepMs: number; rows: R[] }[] = [];
    let endMs = toMs;
    for (const [tier, { stepMs }] of this.#tiers.entries()) {
      const rows = this.rows(tier);
      parts.unshift({ stepMs, rows: rows.slice(firstFrom(rows, fromMs), firstAfter(rows, endMs)) });
      // Rows that are older than this tier are taken from the next one.
      endMs = Math.min(endMs, (rows[0]?.[0] ?? endMs + 1) - 1);
    }
    return parts;
  }

  dump(): SeriesDump<R> {
    return { rows: this.#rows, cut: this.#cut };
  }

  restore({ cut, rows }: SeriesDump<R>): void {
    for (const [tier, tierRows] of rows.entries()) {
      this.#rows[tier] = tierRows.map((row) => [...row] as R);
      this.#cut[tier] = cut[tier] ?? false;
    }
  }

  /**
   * Drops the rows before a limit, except the last one, which has the value at the limit. Rows are
   * dropped in chunks of an eighth of the tier, because removing the first element of a long array
   * moves all the others.
   */
  #drop(tier: number, borderMs: number): void {
    const rows = present(this.#rows[tier], 'the rows of a tier');
    const old = firstAfter(rows, borderMs) - 1;
    if (old < Math.max(1, rows.length >> 3)) return;
    rows.splice(0, old);
    this.#cut[tier] = true;
  }
}

type SeriesDump<R extends Row> = {
  readonly rows: readonly (readonly R[])[];
  readonly cut: readonly boolean[];
};

/**
 * Keeps the last value of a step with its own time. A step ends at its boundary, so a row in a
 * coarse tier has the value at that boundary.
 */
export const LAST_OF_STEP: Fold<PointRow> = {
  bucket: (timeMs, stepMs) => Math.ceil(timeMs / stepMs),
  open: ([timeMs, value]) => [timeMs, value],
  merge(row, [timeMs, value]) {
    row[0] = timeMs;
    row[1] = value;
  },
};

export type PointRow = [atMs: number, value: number];

/** Returns the index of the first row at or after a time. */
export function firstFrom(rows: readonly Row[], timeMs: number): number {
  return firstAfter(rows, timeMs - 1);
}

/** Returns the index of the first row after a time, which must be in whole milliseconds. */
export function firstAfter(rows: readonly Row[], timeMs: number): number {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((rows[middle]?.[0] ?? 0) > timeMs) high = middle;
    else low = middle + 1;
  }
  return low;
}

/**
 * Holds one series per instrument or symbol, with a limit on the total number of rows. Above the
 * limit, the first series to have ended is dropped or, if none has ended, the least recently
 * recorded one. Ended series therefore never displace active ones.
 */
export class SeriesSet<Key extends string | number, R extends Row> {
  readonly #tiers: readonly Tier[];
  readonly #fold: Fold<R>;
  readonly #rowsMax: number;
  /** The most recently recorded series is the last in the map. */
  readonly #series = new Map<Key, TieredSeries<R>>();
  /** The series that will get no further samples, in the order they ended. */
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

  /**
   * Returns true if any series has ever been dropped to limit the size. Such a series may exist
   * again without its earlier rows.
   */
  get hasEvicted(): boolean {
    return this.#hasEvicted;
  }

  /** Marks a series as getting no further samples. */
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

  /**
   * Lists the series in the order in which they would be dropped, so that a restored set drops the
   * same ones.
   */
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

  /** Older snapshots have only the list, without the number of ended series. */
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
  /** The number of ended series, which are at the start of the list. */
  readonly ended: number;
  readonly evicted: boolean;
  readonly series: readonly (readonly [key: Key, series: SeriesDump<R>])[];
};
