import type { EngineEvent } from '@oddlot/engine';
import { type CANDLE_PRICES, LIMITS } from '@oddlot/protocol';
import { splitEvents } from './block-events.ts';
import { present } from '@oddlot/units';
import type { AppliedBlock } from '@oddlot/replica/block';
import {
  type CandleInterval,
  DAY_MS,
  HOUR_MS,
  isMadeOf,
  MINUTE_MS,
  startAfter,
  startOf,
} from './candle-interval.ts';
import { firstFrom, type Fold, SeriesSet, type Tier, type TieredSeries } from './tiered-series.ts';

export type CandlePrice = (typeof CANDLE_PRICES)[number];

/** A candle in integers: prices in price units (of YES on outcome markets), sizes in lots. */
export type CandleBar = {
  readonly startMs: number;
  readonly endMs: number;
  open: number;
  high: number;
  low: number;
  close: number;
  lots: number;
  trades: number;
};

/** The aggregated trades of one step. */
export type CandleRow = [
  startMs: number,
  open: number,
  high: number,
  low: number,
  close: number,
  lots: number,
  trades: number,
];

const [START, OPEN, HIGH, LOW, CLOSE, LOTS, TRADES] = [0, 1, 2, 3, 4, 5, 6] as const;

/** The rows that are not in memory and start between two times, both inclusive. */
export type MissingRows = {
  readonly stepMs: number;
  readonly startMs: number;
  readonly endMs: number;
};

/**
 * One-minute rows are kept for two days, 15-minute rows for a month, and four-hour rows for two
 * years. An interval is built from the coarsest rows that divide it, because those are kept the
 * longest.
 */
const TIERS: readonly Tier[] = [
  { stepMs: MINUTE_MS, retentionMs: 2 * DAY_MS },
  { stepMs: 15 * MINUTE_MS, retentionMs: 30 * DAY_MS },
  { stepMs: 4 * HOUR_MS, retentionMs: 730 * DAY_MS },
];

/**
 * The maximum number of rows for all instruments together. A row takes about 50 bytes in a
 * snapshot.
 */
const ROWS_MAX: Readonly<Record<CandlePrice, number>> = {
  trade: 500_000,
  // Every perp has these rows, even if it is not traded.
  mark: 250_000,
  oracle: 250_000,
};

const TRADES_OF_STEP: Fold<CandleRow> = {
  bucket: (timeMs, stepMs) => Math.floor(timeMs / stepMs),
  open([timeMs, ...rest], stepMs) {
    return [timeMs - (timeMs % stepMs), ...rest];
  },
  merge(row, [, , high, low, close, lots, trades]) {
    row[HIGH] = Math.max(row[HIGH], high);
    row[LOW] = Math.min(row[LOW], low);
    row[CLOSE] = close;
    row[LOTS] += lots;
    row[TRADES] += trades;
  },
};

type Sample = { readonly instrumentId: number; readonly price: number; readonly lots: number };

const PRICES: Readonly<
  Record<
    CandlePrice,
    {
      /** The name and version of the series in snapshots. */
      readonly name: string;
      readonly version: number;
      readonly sampleOf: (event: EngineEvent) => Sample | undefined;
    }
  >
> = {
  trade: {
    name: 'candles',
    version: 2,
    sampleOf: (event) => {
      if (event.type !== 'tradeExecuted' && event.type !== 'outcomeTraded') return undefined;
      const { instrumentId, price, size } = event;
      return { instrumentId, price, lots: size };
    },
  },
  mark: {
    name: 'markCandles',
    version: 1,
    sampleOf: (event) => {
      if (event.type !== 'markUpdated') return undefined;
      return { instrumentId: event.instrumentId, price: event.mark, lots: 0 };
    },
  },
  oracle: {
    name: 'oracleCandles',
    version: 1,
    sampleOf: (event) => {
      if (event.type !== 'markUpdated') return undefined;
      return { instrumentId: event.instrumentId, price: event.oracle, lots: 0 };
    },
  },
};

/**
 * The candles of all instruments, built from trades, marks or oracle prices and stored in
 * snapshots. `onBlock` must be called for every block in order, including replayed ones. Candles of
 * mark and oracle prices begin at the first block of a release that supports them, because
 * snapshots from older releases do not have any.
 */
export class Candles {
  readonly name: string;
  readonly version: number;
  readonly #sampleOf: (event: EngineEvent) => Sample | undefined;
  readonly #series: SeriesSet<number, CandleRow>;
  #nowMs = 0;

  constructor(price: CandlePrice = 'trade') {
    const { name, sampleOf, version } = PRICES[price];
    this.name = name;
    this.version = version;
    this.#sampleOf = sampleOf;
    this.#series = new SeriesSet({ tiers: TIERS, fold: TRADES_OF_STEP, rowsMax: ROWS_MAX[price] });
  }

  onBlock(block: AppliedBlock): void {
    this.#nowMs = block.timeMs;
    for (const event of splitEvents(block).others) {
      if (event.type === 'marketResolved') this.#series.end(event.instrumentId);
      const sample = this.#sampleOf(event);
      if (sample === undefined) continue;
      const { instrumentId, lots, price } = sample;
      this.#series.record(instrumentId, [block.timeMs, price, price, price, price, lots, 1]);
    }
  }

  /** Drops an instrument's candles. Afterwards, they are only in the history database. */
  forget(instrumentId: number): void {
    this.#series.forget(instrumentId);
  }

  /**
   * Returns the candles that start in a period, oldest first and limited to the latest 5,000. A
   * candle without trades repeats the previous close; there are no candles before the first trade
   * or in the future. `older` has the rows requested by `missing`, preceded by the last row before
   * them.
   */
  snapshot(
    instrumentId: number,
    interval: CandleInterval,
    fromMs: number,
    toMs: number,
    older: readonly CandleRow[] = [],
  ): CandleBar[] {
    const found = this.#rowsFor(instrumentId, interval);
    const rows = older.length === 0 ? (found?.rows ?? []) : [...older, ...(found?.rows ?? [])];
    const [oldest] = older;
    const firstMs = oldest === undefined ? found?.firstMs : startOf(interval, oldest[START]);
    if (firstMs === undefined) return [];
    const { lastMs, startMs } = this.#starts(interval, fromMs, toMs);
    return barsOf(rows, interval, Math.max(startMs, firstMs), lastMs);
  }

  /**
   * Returns the rows that `snapshot` needs from the history: the dropped rows of a series, or all
   * rows of a settled market. Returns undefined if none are missing.
   */
  missing(
    instrumentId: number,
    interval: CandleInterval,
    { fromMs, isForgotten, toMs }: { fromMs: number; toMs: number; isForgotten: boolean },
  ): MissingRows | undefined {
    const { lastMs, startMs } = this.#starts(interval, fromMs, toMs);
    const tier = tierOf(interval);
    const { stepMs } = present(TIERS[tier], 'the tier of an interval');
    const endMs = startAfter(interval, lastMs) - 1;
    const isCut =
      isForgotten ||
      this.#series.hasEvicted ||
      this.#series.get(instrumentId)?.isCut(tier) === true;
    if (!isCut || startMs > endMs) return undefined;
    const found = this.#rowsFor(instrumentId, interval);
    if (found === undefined) return { stepMs, startMs, endMs };
    if (startMs >= found.firstMs) return undefined;
    return { stepMs, startMs, endMs: Math.min(endMs, (found.rows[0]?.[START] ?? 0) - 1) };
  }

  /**
   * Returns the starts of the first and last candle of a period, limited in number and to past
   * candles.
   */
  #starts(interval: CandleInterval, fromMs: number, toMs: number) {
    const lastMs = startOf(interval, Math.min(toMs, this.#nowMs));
    const bucketStart = startOf(interval, fromMs);
    const wantedMs = bucketStart < fromMs ? startAfter(interval, bucketStart) : bucketStart;
    const latestMs = startAfter(interval, lastMs, 1 - LIMITS.candlesMax);
    return { startMs: Math.max(wantedMs, latestMs), lastMs };
  }

  /** Returns the candle in progress, or undefined before the first trade. */
  running(instrumentId: number, interval: CandleInterval): CandleBar | undefined {
    const startMs = startOf(interval, this.#nowMs);
    return this.snapshot(instrumentId, interval, startMs, this.#nowMs)[0];
  }

  #rowsFor(
    instrumentId: number,
    interval: CandleInterval,
  ): { readonly rows: readonly CandleRow[]; readonly firstMs: number } | undefined {
    const series = this.#series.get(instrumentId);
    const tier = tierOf(interval);
    const first = series?.rows(tier)[0];
    if (series === undefined || first === undefined) return undefined;
    return { rows: series.rows(tier), firstMs: firstWhole(series, tier, interval, first[START]) };
  }

  dump(): unknown {
    return { nowMs: this.#nowMs, series: this.#series.dump() };
  }

  reset(): void {
    this.#series.clear();
    this.#nowMs = 0;
  }

  restore(data: unknown): void {
    const { nowMs, series } = data as { readonly nowMs: number; readonly series: unknown };
    this.#nowMs = nowMs;
    this.#series.restore(series);
  }
}

/** Returns the tier with the coarsest rows that divide an interval. */
function tierOf(interval: CandleInterval): number {
  return TIERS.findLastIndex(({ stepMs }) => isMadeOf(interval, stepMs));
}

/** Returns the start of the first candle for which no rows have been dropped. */
function firstWhole(
  series: TieredSeries<CandleRow>,
  tier: number,
  interval: CandleInterval,
  firstRowMs: number,
): number {
  const startMs = startOf(interval, firstRowMs);
  const isPart = series.isCut(tier) && startMs < firstRowMs;
  return isPart ? startAfter(interval, startMs) : startMs;
}

function barsOf(
  rows: readonly CandleRow[],
  interval: CandleInterval,
  fromMs: number,
  lastMs: number,
): CandleBar[] {
  const bars: CandleBar[] = [];
  let at = firstFrom(rows, fromMs);
  let close = rows[at - 1]?.[CLOSE];
  for (let startMs = fromMs; startMs <= lastMs;) {
    const nextMs = startAfter(interval, startMs);
    let bar = close === undefined ? undefined : flatBar(startMs, nextMs - 1, close);
    for (; at < rows.length && (rows[at]?.[START] ?? nextMs) < nextMs; at++) {
      const row = rows[at];
      if (row === undefined) break;
      if (bar === undefined || bar.trades === 0) bar = flatBar(startMs, nextMs - 1, row[OPEN]);
      addRow(bar, row);
    }
    if (bar !== undefined) bars.push(bar);
    close = bar?.close;
    startMs = nextMs;
  }
  return bars;
}

function flatBar(startMs: number, endMs: number, price: number): CandleBar {
  const prices = { open: price, high: price, low: price, close: price };
  return { startMs, endMs, ...prices, lots: 0, trades: 0 };
}

function addRow(bar: CandleBar, [, , high, low, close, lots, trades]: CandleRow): void {
  bar.high = Math.max(bar.high, high);
  bar.low = Math.min(bar.low, low);
  bar.close = close;
  bar.lots += lots;
  bar.trades += trades;
}
