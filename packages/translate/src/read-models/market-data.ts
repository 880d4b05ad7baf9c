import type { State } from '@oddlot/engine';
import { ListedEventIndex } from './listed-event-index.ts';
import { type ListedEvent, OutcomeCatalogue, SETTLED_KEPT_MS } from './outcome-catalogue.ts';
import type { AppliedBlock, Projection } from '@oddlot/replica/block';
import { Candles } from './candles.ts';
import { Probabilities } from './probabilities.ts';
import { ReferencePrices } from './reference-prices.ts';
import { DAY_MS, HOUR_MS } from './candle-interval.ts';
import { type Fold, SeriesSet, type Tier } from './tiered-series.ts';

/** What is kept of markets beside the engine's state: texts, results, and the past of prices. */
export class MarketData {
  readonly catalogue: OutcomeCatalogue;
  readonly candles = new Candles();
  readonly prices = new ReferencePrices();
  readonly fundings = new FundingRates();
  readonly probabilities: Probabilities;
  readonly listedEvents: ListedEventIndex;

  constructor(state: () => State, options: { readonly settledKeptMs?: number } = {}) {
    const { settledKeptMs: keptMs = SETTLED_KEPT_MS } = options;
    const onLeave = (event: ListedEvent): void => this.#forget(event);
    this.catalogue = new OutcomeCatalogue(state, { keptMs, onLeave });
    this.probabilities = new Probabilities(state);
    this.listedEvents = new ListedEventIndex(this.catalogue, state);
  }

  /** What snapshots hold; the index of events is made again from the catalogue. */
  get projections(): readonly Projection[] {
    return [this.catalogue, this.candles, this.prices, this.fundings, this.probabilities];
  }

  /** Instead of `onBlock`, where there are snapshots. */
  attachTo(replica: {
    attach(projection: Projection): void;
    onBlock(listener: (block: AppliedBlock) => void): void;
  }): void {
    for (const projection of this.projections) replica.attach(projection);
    replica.onBlock((block) => this.listedEvents.onBlock(block));
  }

  onBlock(block: AppliedBlock): void {
    for (const projection of this.projections) projection.onBlock(block);
    this.listedEvents.onBlock(block);
  }

  /** Everything that belongs to an event goes with it. */
  #forget(event: ListedEvent): void {
    this.listedEvents.forget(event);
    for (const id of event.instrumentIds) {
      this.candles.forget(id);
      this.probabilities.forget(id);
    }
  }
}

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
