import { splitEvents } from './block-events.ts';
import type { PriceSource } from '@oddlot/engine';
import { divHalfUp } from '@oddlot/units';
import type { AppliedBlock } from '@oddlot/replica/block';
import { DAY_MS, HOUR_MS, MINUTE_MS } from './candle-interval.ts';
import {
  firstAfter,
  LAST_OF_STEP,
  type PointRow,
  type Row,
  SeriesSet,
  type Tier,
} from './tiered-series.ts';

/** The price of an underlying in units of 10^-8, with the time at which it was observed. */
export type PricePoint = { readonly atMs: number; readonly priceE8: number };

/** The source of a price. `twap` is the time-weighted average used to settle series (R-series). */
export type ShownSource = PriceSource | 'twap';

/** A time-weighted average, as the sum of its samples and their number. */
type Twap = { readonly sumE8: bigint; readonly samples: number };

const SECOND_MS = 1_000;
/** The maximum age of an observation (R-series). */
const OBSERVATION_AGE_MS = 5_000;
/** The minimum share of a window's seconds that must have a sample, in percent (R-series). */
const COVERAGE_PERCENT = 90;
/** The default window length, called W in R-series, which also applies to `twap` here. */
const WINDOW_SECONDS = 60;

/**
 * One-second prices are kept for six hours, one-minute prices for a week, and 15-minute prices for
 * two months. Two days of prices per second for a dozen symbols would be two million rows in every
 * snapshot. Queries for older prices concern the start times of markets, which are at full quarters
 * of an hour.
 */
const PRICE_TIERS: readonly Tier[] = [
  { stepMs: SECOND_MS, retentionMs: 6 * HOUR_MS },
  { stepMs: MINUTE_MS, retentionMs: 7 * DAY_MS },
  { stepMs: 15 * MINUTE_MS, retentionMs: 60 * DAY_MS },
];

/**
 * The tiers of averages of whole minutes, which are stored because they cannot be computed after
 * the one-second prices are dropped.
 */
const TWAP_TIERS: readonly Tier[] = PRICE_TIERS.slice(1);

/**
 * The maximum number of rows for all symbols and sources together. A row takes about 30 bytes in a
 * snapshot.
 */
const ROWS_MAX = 1_000_000;

/**
 * Historical reference prices by symbol and source, stored in snapshots. `onBlock` must be called
 * for every block in order, including replayed ones.
 */
export class ReferencePrices {
  readonly name = 'referencePrices';
  readonly version = 2;
  readonly #prices = new SeriesSet<string, PointRow>({
    tiers: PRICE_TIERS,
    fold: LAST_OF_STEP,
    rowsMax: ROWS_MAX,
  });
  readonly #averages = new SeriesSet<string, PointRow>({
    tiers: TWAP_TIERS,
    fold: LAST_OF_STEP,
    rowsMax: ROWS_MAX,
  });

  onBlock(block: AppliedBlock): void {
    for (const event of splitEvents(block).others) {
      if (event.type !== 'referencePriceTaken') continue;
      const { observedMs, priceE8, source, symbol } = event;
      const key = keyOf(symbol, source);
      const lastMs = this.#prices.get(key)?.last?.[0] ?? observedMs;
      this.#prices.record(key, [observedMs, priceE8]);
      const minuteMs = observedMs - (observedMs % MINUTE_MS);
      // All observations before this minute have been recorded, because their times never decrease.
      if (lastMs < minuteMs) this.#keepAverage(key, minuteMs);
    }
  }

  /** Returns true if there is any price for the symbol. */
  hasSymbol(symbol: string): boolean {
    return this.#base(symbol) !== undefined;
  }

  /** Returns the newest price, regardless of its age. */
  latest(symbol: string, source: ShownSource): PricePoint | undefined {
    const base = this.#keyFor(symbol, source);
    const last = base === undefined ? undefined : this.#prices.get(base)?.last;
    if (last === undefined) return undefined;
    if (source === 'twap') return this.price(symbol, source, wholeSecondFrom(last[0]));
    return { atMs: last[0], priceE8: last[1] };
  }

  /**
   * Returns the price at a given time, or the average over the window ending then; undefined if it
   * is unknown.
   */
  price(symbol: string, source: ShownSource, timeMs: number): PricePoint | undefined {
    if (source === 'twap') return this.#average(symbol, timeMs);
    const found = this.#prices.get(keyOf(symbol, source))?.at(timeMs);
    if (found === undefined || !isFresh(found, timeMs)) return undefined;
    return { atMs: found.row[0], priceE8: found.row[1] };
  }

  /**
   * Computes the average over the seconds before a given time from the stored one-second prices
   * (R-series).
   */
  twap(
    symbol: string,
    source: PriceSource,
    atMs: number,
    windowSeconds: number = WINDOW_SECONDS,
  ): Twap | undefined {
    return this.#twapOf(keyOf(symbol, source), atMs, windowSeconds);
  }

  /** Returns the prices in a period, oldest first, thinned evenly if there are more than `max`. */
  history(
    symbol: string,
    source: ShownSource,
    { fromMs, toMs, max }: { fromMs: number; toMs: number; max: number },
  ): PricePoint[] {
    const key = this.#keyFor(symbol, source);
    const series = key === undefined ? undefined : this.#prices.get(key);
    if (key === undefined || series === undefined) return [];
    if (source === 'twap') return this.#averageHistory(key, { fromMs, toMs, max });
    const rows = series.between(fromMs, toMs).flatMap((part) => part.rows);
    return thinned(rows, max).map(([atMs, priceE8]) => ({ atMs, priceE8 }));
  }

  /** Returns true if a period contains a time without a valid sample. */
  hasGap(symbol: string, source: ShownSource, fromMs: number, toMs: number): boolean {
    const key = this.#keyFor(symbol, source);
    const series = key === undefined ? undefined : this.#prices.get(key);
    if (series === undefined) return true;
    const before = series.at(fromMs);
    if (before === undefined || !isFresh(before, fromMs)) return true;
    let lastMs = Math.max(fromMs, before.row[0]);
    let lastStepMs = before.stepMs;
    for (const { rows, stepMs } of series.between(fromMs, toMs)) {
      for (const [atMs] of rows) {
        if (atMs - lastMs > lastStepMs + OBSERVATION_AGE_MS) return true;
        lastMs = atMs;
        lastStepMs = stepMs;
      }
    }
    const after = series.at(toMs);
    return after === undefined || !isFresh(after, toMs);
  }

  dump(): unknown {
    return { prices: this.#prices.dump(), averages: this.#averages.dump() };
  }

  reset(): void {
    this.#prices.clear();
    this.#averages.clear();
  }

  restore(data: unknown): void {
    const { averages, prices } = data as { readonly prices: unknown; readonly averages: unknown };
    this.#prices.restore(prices);
    this.#averages.restore(averages);
  }

  /**
   * Returns the series from which averages are computed: the oracle price if the symbol has one,
   * otherwise the spot price.
   */
  #base(symbol: string): string | undefined {
    const keys = [keyOf(symbol, 'oracle'), keyOf(symbol, 'spot')];
    return keys.find((key) => this.#prices.get(key) !== undefined);
  }

  #keyFor(symbol: string, source: ShownSource): string | undefined {
    return source === 'twap' ? this.#base(symbol) : keyOf(symbol, source);
  }

  #average(symbol: string, timeMs: number): PricePoint | undefined {
    const key = this.#base(symbol);
    if (key === undefined) return undefined;
    const atMs = timeMs - (timeMs % SECOND_MS);
    const twap = this.#twapOf(key, atMs, WINDOW_SECONDS);
    if (twap !== undefined) return { atMs, priceE8: shownE8(twap) };
    // The window's one-second prices are still stored, so the average is missing because there were
    // too few of them.
    const windowMs = atMs - WINDOW_SECONDS * SECOND_MS;
    if ((this.#prices.get(key)?.rows(0)[0]?.[0] ?? 0) <= windowMs) return undefined;
    const stored = this.#averages.get(key)?.at(timeMs);
    if (stored === undefined || !isFresh(stored, timeMs)) return undefined;
    return { atMs: stored.row[0], priceE8: stored.row[1] };
  }

  #averageHistory(key: string, span: { fromMs: number; toMs: number; max: number }): PricePoint[] {
    const { fromMs, max, toMs } = span;
    const seconds = this.#prices.get(key)?.rows(0) ?? [];
    const fineMs = wholeSecondFrom(seconds[0]?.[0] ?? toMs) + WINDOW_SECONDS * SECOND_MS;
    const parts = this.#averages.get(key)?.between(fromMs, Math.min(toMs, fineMs - 1)) ?? [];
    const points = parts.flatMap((part) => part.rows);
    for (let at = firstAfter(seconds, fineMs - 1); at < seconds.length; at++) {
      const atMs = (seconds[at]?.[0] ?? 0) - ((seconds[at]?.[0] ?? 0) % SECOND_MS);
      if (atMs < fromMs || atMs > toMs || atMs === points.at(-1)?.[0]) continue;
      points.push([atMs, 0]);
    }
    return thinned(points, max).flatMap(([atMs, known]) => {
      if (known !== 0) return [{ atMs, priceE8: known }];
      const twap = this.#twapOf(key, atMs, WINDOW_SECONDS);
      return twap === undefined ? [] : [{ atMs, priceE8: shownE8(twap) }];
    });
  }

  #keepAverage(key: string, minuteMs: number): void {
    const twap = this.#twapOf(key, minuteMs, WINDOW_SECONDS);
    if (twap !== undefined) this.#averages.record(key, [minuteMs, shownE8(twap)]);
  }

  #twapOf(key: string, atMs: number, windowSeconds: number): Twap | undefined {
    const rows = this.#prices.get(key)?.rows(0) ?? [];
    let sumE8 = 0n;
    let samples = 0;
    let at = firstAfter(rows, atMs - windowSeconds * SECOND_MS) - 1;
    for (let second = windowSeconds; second >= 1; second--) {
      const secondMs = atMs - second * SECOND_MS;
      while ((rows[at + 1]?.[0] ?? Infinity) <= secondMs) at += 1;
      const row = rows[at];
      if (row === undefined || secondMs - row[0] > OBSERVATION_AGE_MS) continue;
      sumE8 += BigInt(row[1]);
      samples += 1;
    }
    const isCovered = samples * 100 >= windowSeconds * COVERAGE_PERCENT;
    return isCovered ? { sumE8, samples } : undefined;
  }
}

function keyOf(symbol: string, source: PriceSource): string {
  return `${symbol}/${source}`;
}

/** Rounds an average for display. Series results are determined by the exact sums (R-series). */
function shownE8({ samples, sumE8 }: Twap): number {
  return Number(divHalfUp(sumE8, BigInt(samples)));
}

function wholeSecondFrom(timeMs: number): number {
  return Math.ceil(timeMs / SECOND_MS) * SECOND_MS;
}

/**
 * Returns true if the row is recent enough for a given time. A row in a coarse tier is valid for
 * its whole step.
 */
function isFresh(
  { row, stepMs }: { readonly row: PointRow; readonly stepMs: number },
  timeMs: number,
): boolean {
  const stepped = stepMs === SECOND_MS ? 0 : stepMs;
  return timeMs - row[0] <= OBSERVATION_AGE_MS + stepped;
}

/** Returns at most `max` rows, evenly spread, including the first and the last. */
function thinned<R extends Row>(rows: readonly R[], max: number): readonly R[] {
  if (rows.length <= max) return rows;
  const last = rows.length - 1;
  return Array.from(
    { length: max },
    (_, index) => rows[Math.floor((index * last) / (max - 1))] as R,
  );
}
