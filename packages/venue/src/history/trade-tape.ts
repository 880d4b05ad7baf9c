import { type EngineEvent, settledMarketView, type State } from '@oddlot/engine';
import { PAGE_LIMITS, type OutcomeTrade, type Trade } from '@oddlot/protocol';
import { present } from '@oddlot/units';
import { RecentRows } from './recent-rows.ts';
import type { AppliedBlock } from '../block/applied-block.ts';
import type { Projection } from '../block/projection.ts';
import { SETTLED_KEPT_MS } from '../read-models/catalogue.ts';
import { instrumentLookup } from '../translate/actions/instrument-lookup.ts';
import { causeHash, tradeRecord } from '../translate/event-to-stream.ts';
import { findPerp } from '../translate/info/handler.ts';
import { outcomeTradeRecord } from '../translate/outcome-stream.ts';

/** A trade as it is shown; one on an outcome market says more. */
export type TapeTrade = Trade | OutcomeTrade;

/** The longest list of trades that anybody may ask for. */
const PER_INSTRUMENT_MAX = PAGE_LIMITS.recentTrades.max;
const TOTAL_MAX = 20_000;

type Dump = {
  readonly trades: readonly (readonly [instrumentId: string | number, readonly TapeTrade[]])[];
  readonly settled?: readonly (readonly [instrumentId: number, settledMs: number])[];
};

type TradeEvent = Extract<EngineEvent, { type: 'tradeExecuted' | 'outcomeTraded' }>;

/**
 * The trades of the newest block, and the last ones of each instrument. All channels of trades read
 * them here, so that a trade is put into words once, and not at all when nobody can see it.
 */
export class TradeTape implements Projection {
  /** The name is that of what rode in snapshots first: the memory of all streams. */
  readonly name = 'streams';
  readonly version = 3;
  readonly #state: () => State;
  readonly #recent = new RecentRows<TapeTrade>({
    perUserMax: PER_INSTRUMENT_MAX,
    totalMax: TOTAL_MAX,
  });
  /** Streams by instrument that show every trade. */
  readonly #watchers = new Map<number, number>();
  #fresh = new Map<number, readonly TapeTrade[]>();
  /** Markets that are paid, in that order: their trades go when their events leave memory. */
  #settled: (readonly [instrumentId: number, settledMs: number])[] = [];

  constructor(state: () => State) {
    this.#state = state;
  }

  /** The newest block's trades by instrument, in the order in which they happened. */
  get fresh(): ReadonlyMap<number, readonly TapeTrade[]> {
    return this.#fresh;
  }

  /** The last trades of an instrument, newest first. */
  last(instrumentId: number, count: number): TapeTrade[] {
    return this.#recent.of(String(instrumentId)).slice(0, count);
  }

  /** Somebody wants every trade of these instruments; the answer takes it back. */
  watch(instrumentIds: readonly number[]): () => void {
    for (const id of instrumentIds) this.#watchers.set(id, (this.#watchers.get(id) ?? 0) + 1);
    return () => {
      for (const id of instrumentIds) {
        const left = (this.#watchers.get(id) ?? 1) - 1;
        if (left > 0) this.#watchers.set(id, left);
        else this.#watchers.delete(id);
      }
    };
  }

  onBlock(block: AppliedBlock): void {
    this.#fresh = new Map();
    const events = new Map<number, TradeEvent[]>();
    for (const event of block.result.events) {
      if (event.type === 'marketSettled') this.#settled.push([event.instrumentId, block.timeMs]);
      if (event.type !== 'tradeExecuted' && event.type !== 'outcomeTraded') continue;
      const trades = events.get(event.instrumentId);
      if (trades === undefined) events.set(event.instrumentId, [event]);
      else trades.push(event);
    }
    for (const [id, trades] of events) {
      const shown = this.#watchers.has(id) ? trades : trades.slice(-PER_INSTRUMENT_MAX);
      const records = shown.map((event) => this.#record(block, event));
      for (const record of records) this.#recent.add(String(id), record);
      this.#fresh.set(id, records);
    }
    this.#forgetSettled(block.timeMs - SETTLED_KEPT_MS);
  }

  /** For snapshots of the venue: the blocks of these trades may not be replayed again. */
  dump(): unknown {
    return { trades: this.#recent.dump(), settled: this.#settled };
  }

  reset(): void {
    this.#recent.clear();
    this.#settled = [];
    this.#fresh = new Map();
  }

  restore(data: unknown): void {
    // The first snapshots held the rows alone, and ids as numbers; later ones funding rows beside them.
    const { settled, trades } = (Array.isArray(data) ? { trades: data } : data) as Dump;
    this.#recent.restore(trades.map(([id, each]) => [String(id), each]));
    // Those did not say what was paid: it is as if it were now.
    const { timeMs } = this.#state();
    this.#settled = settled?.slice() ?? trades.flatMap(([id]) => this.#paid(Number(id), timeMs));
  }

  #paid(instrumentId: number, timeMs: number): (readonly [number, number])[] {
    const isPaid = settledMarketView(this.#state(), instrumentId) !== undefined;
    return isPaid ? [[instrumentId, timeMs]] : [];
  }

  #forgetSettled(untilMs: number): void {
    let count = 0;
    for (const [instrumentId, settledMs] of this.#settled) {
      if (settledMs > untilMs) break;
      this.#recent.forget(String(instrumentId));
      count += 1;
    }
    if (count > 0) this.#settled.splice(0, count);
  }

  #record(block: AppliedBlock, event: TradeEvent): TapeTrade {
    const state = this.#state();
    if (event.type === 'outcomeTraded') {
      const market = present(instrumentLookup(() => state)(event.instrumentId), 'a traded market');
      return outcomeTradeRecord(market, event, block.timeMs);
    }
    const perp = present(findPerp(state, event.instrumentId), 'a traded perp');
    const hash = causeHash(block, event.commandIndex);
    return tradeRecord(perp, { event, timeMs: block.timeMs, hash });
  }
}
