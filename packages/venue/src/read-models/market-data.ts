import type { State } from '@oddlot/engine';
import { ListedEventIndex } from './listed-event-index.ts';
import { type ListedEvent, OutcomeCatalogue, SETTLED_KEPT_MS } from './outcome-catalogue.ts';
import type { Projection } from '../block/projection.ts';
import type { AppliedBlock } from '../block/applied-block.ts';
import { Candles } from './candles.ts';
import { FundingRates } from './funding-rates.ts';
import { Probabilities } from './probabilities.ts';
import { ReferencePrices } from './reference-prices.ts';

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
