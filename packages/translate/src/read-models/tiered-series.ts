import { present } from '@oddlot/units';

/** One entry of a series: when, and numbers. */
export type Row = [timeMs: number, ...values: number[]];

/** How fine a part of a series is, and how long that part is kept. */
export type Tier = { readonly stepMs: number; readonly keptMs: number };

/** What makes one row of all that falls into the same step. */
export type Fold<R extends Row> = {
  /** The number of the step that a time belongs to. */
  bucket(timeMs: number, stepMs: number): number;
  /** The first row of a step. */
  open(sample: R, stepMs: number): R;
  /** One more sample of the step, into its row. */
  merge(row: R, sample: R): void;
};

/**
 * A series of numbers, fine for the newest past and coarser for the older one, so that what is kept
 * is bounded however long it runs. Every sample goes into each tier; a tier holds one row for each
 * step in which something was recorded. Samples come in order of time.
 */
export class TieredSeries<R extends Row> {
  readonly #tiers: readonly Tier[];
  readonly #fold: Fold<R>;
  readonly #rows: R[][];
  /** Whether rows of a tier have been dropped already. */
  readonly #cut: boolean[];

  constructor(tiers: readonly Tier[], fold: Fold<R>) {
    this.#tiers = tiers;
    this.#fold = fold;
    this.#rows = tiers.map(() => []);
    this.#cut = tiers.map(() => false);
  }

  /** Rows of all tiers. */
  get size(): number {
    return this.#rows.reduce((sum, rows) => sum + rows.length, 0);
  }

  /** The newest row of the finest tier. */
  get last(): R | undefined {
    return this.#rows[0]?.at(-1);
  }

  /** The rows of a tier, oldest first. */
  rows(tier: number): readonly R[] {
    return this.#rows[tier] ?? [];
  }

  /** Whether a tier once held older rows than it does now. */
  isCut(tier: number): boolean {
    return this.#cut[tier] ?? false;
  }

  record(sample: R): void {
    for (const [tier, { keptMs, stepMs }] of this.#tiers.entries()) {
      const rows = present(this.#rows[tier], 'the rows of a tier');
      const last = rows.at(-1);
      const bucket = this.#fold.bucket(sample[0], stepMs);
      if (last !== undefined && this.#fold.bucket(last[0], stepMs) === bucket) {
        this.#fold.merge(last, sample);
        continue;
      }
      rows.push(this.#fold.open(sample, stepMs));
      this.#drop(tier, sample[0] - keptMs);
    }
  }

  /** The last row at or before a time, from the finest tier that reaches back so far. */
  at(timeMs: number): { readonly row: R; readonly stepMs: number } | undefined {
    for (const [tier, { stepMs }] of this.#tiers.entries()) {
      const rows = this.rows(tier);
      const row = rows[firstAfter(rows, timeMs) - 1];
      if (row !== undefined) return { row, stepMs };
    }
    return undefined;
  }

  /** The rows of a span, oldest first, each part of it in the finest tier that reaches so far back. */
  between(fromMs: number, toMs: number): { readonly stepMs: number; readonly rows: R[] }[] {
    const parts: { stepMs: number; rows: R[] }[] = [];
    let endMs = toMs;
    for (const [tier, { stepMs }] of this.#tiers.entries()) {
      const rows = this.rows(tier);
      parts.unshift({ stepMs, rows: rows.slice(firstFrom(rows, fromMs), firstAfter(rows, endMs)) });
      // What is older than this tier comes from the next.
      endMs = Math.min(endMs, (rows[0]?.[0] ?? endMs + 1) - 1);
    }
    return parts;
  }

  dump(): SeriesDump<R> {
    return { rows: this.#rows, cut: this.#cut };
  }

  restore({ cut, rows }: SeriesDump<R>): void {
    for (const [tier, kept] of rows.entries()) {
      this.#rows[tier] = kept.map((row) => [...row] as R);
      this.#cut[tier] = cut[tier] ?? false;
    }
  }

  /**
   * One row before the border stays: it says what held at the border. Rows go by the eighth of a
   * tier, since taking one off the front of a long array moves all the others.
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
 * The value that holds from a time on: the last of a step, with its own time. A step ends with its
 * border, so that what a coarse tier says about a border is what held there.
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

/** The place of the first row at or after a time. */
export function firstFrom(rows: readonly Row[], timeMs: number): number {
  return firstAfter(rows, timeMs - 1);
}

/** The place of the first row after a time. Times are whole milliseconds. */
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
