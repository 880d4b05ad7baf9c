import { type EngineEvent, marketView, type State } from '@oddlot/engine';
import { OUTCOME_ID_MIN } from '@oddlot/protocol';
import type { AppliedBlock } from '@oddlot/replica/block';
import { DAY_MS, HOUR_MS, MINUTE_MS } from './candle-interval.ts';
import { firstAfter, LAST_OF_STEP, type PointRow, SeriesSet, type Tier } from './tiered-series.ts';

/** The probability of YES at a given time, in the market's half price units. */
type ProbabilityPoint = { readonly atMs: number; readonly halves: number };

/**
 * One-minute points are kept for a day, ten-minute points for a week, and three-hour points for two
 * years. They are never coarser than a query's default resolution.
 */
const TIERS: readonly Tier[] = [
  { stepMs: MINUTE_MS, retentionMs: DAY_MS },
  { stepMs: 10 * MINUTE_MS, retentionMs: 7 * DAY_MS },
  { stepMs: 3 * HOUR_MS, retentionMs: 730 * DAY_MS },
];

/**
 * The maximum number of rows for all markets together. A row takes about 25 bytes in a snapshot.
 */
const ROWS_MAX = 500_000;

/**
 * The marks of outcome markets over time, recorded only when they change and stored in snapshots.
 * `onBlock` must be called for every block in order, including replayed ones.
 */
export class Probabilities {
  readonly name = 'probabilities';
  readonly version = 2;
  readonly #state: () => State;
  readonly #series = new SeriesSet<number, PointRow>({
    tiers: TIERS,
    fold: LAST_OF_STEP,
    rowsMax: ROWS_MAX,
  });

  constructor(state: () => State) {
    this.#state = state;
  }

  onBlock(block: AppliedBlock): void {
    const touched = new Set<number>();
    for (const event of block.result.events) {
      if (event.type === 'marketResolved') {
        // Only the result counts, and the book may no longer exist at the end of the block.
        touched.delete(event.instrumentId);
        this.#record(event.instrumentId, block.timeMs, 2 * event.fraction);
        this.#series.end(event.instrumentId);
        continue;
      }
      const id = marketOf(event);
      if (id !== undefined) touched.add(id);
    }
    for (const id of touched) {
      const market = marketView(this.#state(), id);
      if (market === undefined || market.fraction !== undefined) continue;
      this.#record(id, block.timeMs, market.markHalves);
    }
  }

  /**
   * Drops a market's marks. Afterwards, they can only be approximated from the trades in the
   * history database.
   */
  forget(instrumentId: number): void {
    this.#series.forget(instrumentId);
  }

  /**
   * Returns the value at each multiple of the step in a period, oldest first, starting with the
   * listing.
   */
  points(instrumentId: number, grid: Grid): ProbabilityPoint[] {
    const series = this.#series.get(instrumentId);
    if (series === undefined) return [];
    return pointsOf((atMs) => series.at(atMs)?.row, grid);
  }

  dump(): unknown {
    return this.#series.dump();
  }

  reset(): void {
    this.#series.clear();
  }

  restore(data: unknown): void {
    this.#series.restore(data);
  }

  #record(instrumentId: number, timeMs: number, halves: number): void {
    if (this.#series.get(instrumentId)?.last?.[1] === halves) return;
    this.#series.record(instrumentId, [timeMs, halves]);
  }
}

type Grid = { readonly fromMs: number; readonly toMs: number; readonly stepMs: number };

/** Returns the value at each multiple of a step in a period, from the given rows, oldest first. */
export function pointsIn(rows: readonly PointRow[], grid: Grid): ProbabilityPoint[] {
  return pointsOf((atMs) => rows[firstAfter(rows, atMs) - 1], grid);
}

function pointsOf(
  heldAt: (atMs: number) => PointRow | undefined,
  { fromMs, stepMs, toMs }: Grid,
): ProbabilityPoint[] {
  const points: ProbabilityPoint[] = [];
  for (let atMs = Math.ceil(fromMs / stepMs) * stepMs; atMs <= toMs; atMs += stepMs) {
    const held = heldAt(atMs);
    if (held !== undefined) points.push({ atMs, halves: held[1] });
  }
  return points;
}

/** Returns the market whose mark an event may have changed. */
function marketOf(event: EngineEvent): number | undefined {
  switch (event.type) {
    case 'outcomeTraded':
    case 'outcomeMarketListed':
      return event.instrumentId;
    case 'orderUpdated': {
      const { instrumentId } = event.order;
      return instrumentId >= OUTCOME_ID_MIN ? instrumentId : undefined;
    }
    default:
      return undefined;
  }
}
