import { splitEvents } from './block-events.ts';
import type { State } from '@oddlot/engine';
import { ListedEventIndex } from './listed-event-index.ts';
import { type ListedEvent, OutcomeCatalogue, SETTLED_KEPT_MS } from './outcome-catalogue.ts';
import type { AppliedBlock, Projection } from '@oddlot/replica/block';
import { type CandlePrice, Candles } from './candles.ts';
import { Probabilities } from './probabilities.ts';
import { ReferencePrices } from './reference-prices.ts';
import { DAY_MS, HOUR_MS } from './candle-interval.ts';
import { type Fold, SeriesSet, type Tier } from './tiered-series.ts';

/** Market data that is not in the engine's state: texts, results and historical prices. */
export class MarketData {
  readonly catalogue: OutcomeCatalogue;
  readonly candles = new Candles();
  readonly #priceCandles = { mark: new Candles('mark'), oracle: new Candles('oracle') };
  readonly prices = new ReferencePrices();
  readonly fundings = new FundingRates();
  readonly probabilities: Probabilities;
  readonly listedEvents: ListedEventIndex;

  constructor(state: () => State, options: { readonly settledRetentionMs?: number } = {}) {
    const { settledRetentionMs: retentionMs = SETTLED_KEPT_MS } = options;
    const onLeave = (event: ListedEvent): void => this.#forget(event);
    this.catalogue = new OutcomeCatalogue(state, { retentionMs, onLeave });
    this.probabilities = new Probabilities(state);
    this.listedEvents = new ListedEventIndex(this.catalogue, state);
  }

  /**
   * Returns the contents of snapshots. The event index is not stored, because it is rebuilt from
   * the catalogue.
   */
  get projections(): readonly Projection[] {
    const { mark, oracle } = this.#priceCandles;
    const candles = [this.candles, mark, oracle];
    return [this.catalogue, ...candles, this.prices, this.fundings, this.probabilities];
  }

  candlesOf(price: CandlePrice): Candles {
    return price === 'trade' ? this.candles : this.#priceCandles[price];
  }

  /**
   * Attaches the projections to a replica that writes snapshots. No further calls to `onBlock` are
   * then needed.
   */
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

  #forget(event: ListedEvent): void {
    this.listedEvents.forget(event);
    for (const id of event.instrumentIds) {
      this.candles.forget(id);
      this.probabilities.forget(id);
    }
  }
}

/** The funding for one hour: its due time, and the rate and premium in units of 10^-10. */
type FundingPoint = [dueMs: number, rateE10: number, premiumE10: number];

const TIERS: readonly Tier[] = [{ stepMs: HOUR_MS, retentionMs: 90 * DAY_MS }];
/**
 * The maximum number of rows for all markets together. A row takes about 40 bytes in a snapshot.
 */
const ROWS_MAX = 250_000;

const ONE_AN_HOUR: Fold<FundingPoint> = {
  bucket: (timeMs, stepMs) => Math.ceil(timeMs / stepMs),
  open: ([dueMs, rateE10, premiumE10]) => [dueMs, rateE10, premiumE10],
  merge() {},
};

/**
 * The hourly funding of perps, stored in snapshots. `onBlock` must be called for every block in
 * order, including replayed ones. A snapshot from an older release does not include this data, so
 * it is empty after a restore from such a snapshot.
 */
export class FundingRates {
  readonly name = 'fundingRates';
  readonly version = 1;
  readonly #rates = new SeriesSet<number, FundingPoint>({
    tiers: TIERS,
    fold: ONE_AN_HOUR,
    rowsMax: ROWS_MAX,
  });

  onBlock(block: AppliedBlock): void {
    for (const event of splitEvents(block).others) {
      if (event.type !== 'fundingClosed') continue;
      const { dueMs, instrumentId, premiumE10, rateE10 } = event;
      this.#rates.record(instrumentId, [dueMs, rateE10, premiumE10]);
    }
  }

  /** Returns the hours in a period, oldest first, including both ends. */
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
