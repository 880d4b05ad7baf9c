import type { AppliedBlock } from '../block/applied-block.ts';
import { DAY_MS, HOUR_MS } from './candle-interval.ts';
import { SeriesSet } from './series-set.ts';
import type { Fold, Tier } from './tiered-series.ts';

/** An hour of a market: when it fell due, its rate and the premium that made it, 10^-10. */
type FundingPoint = [dueMs: number, rateE10: number, premiumE10: number];

const TIERS: readonly Tier[] = [{ stepMs: HOUR_MS, keptMs: 90 * DAY_MS }];
/** Of all markets; about 40 bytes each in a snapshot. */
const ROWS_MAX = 250_000;

/** An hour is told once. */
const ONE_AN_HOUR: Fold<FundingPoint> = {
  bucket: (timeMs, stepMs) => Math.ceil(timeMs / stepMs),
  open: ([dueMs, rateE10, premiumE10]) => [dueMs, rateE10, premiumE10],
  merge() {},
};

/**
 * What the hours of perps came to. To be called for every block, in order, replayed ones included;
 * kept in snapshots. In a snapshot of an older program there is none: it begins there.
 */
export class FundingRates {
  readonly name = 'fundingRates';
  readonly version = 1;
  readonly #rates = new SeriesSet<number, FundingPoint>({
    tiers: TIERS,
    fold: ONE_AN_HOUR,
    rowsMax: ROWS_MAX,
  });

  onBlock({ result }: AppliedBlock): void {
    for (const event of result.events) {
      if (event.type !== 'fundingClosed') continue;
      const { dueMs, instrumentId, premiumE10, rateE10 } = event;
      this.#rates.record(instrumentId, [dueMs, rateE10, premiumE10]);
    }
  }

  /** The hours of a span, oldest first, both ends among them. */
  between(instrumentId: number, fromMs: number, toMs: number): readonly FundingPoint[] {
    const parts = this.#rates.get(instrumentId)?.between(fromMs, toMs) ?? [];
    return parts.flatMap(({ rows }) => rows);
  }

  dump(): unknown {
    return this.#rates.dump();
  }

  reset(): void {
    this.#rates.clear();
  }

  restore(data: unknown): void {
    this.#rates.restore(data);
  }
}
