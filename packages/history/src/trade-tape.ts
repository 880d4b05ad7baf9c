import { splitEvents } from '@oddlot/translate/read-models/block-events';
import type { EngineEvent, State } from '@oddlot/engine';
import { OUTCOME_ID_MIN, type OutcomeTrade, PAGE_LIMITS, type Trade } from '@oddlot/protocol';
import { present } from '@oddlot/units';
import type { EventWithMarkets } from '@oddlot/translate/read-models/outcome-catalogue';
import type { AppliedBlock, Projection } from '@oddlot/replica/block';
import { instrumentLookup } from '@oddlot/translate/instruments';
import { causeHash, outcomeTradeRecord, tradeRecord } from '@oddlot/translate/event-to-stream';
import { findPerp } from '@oddlot/translate/info/info-context';

/** A trade as clients see it; on an outcome market, it has additional fields. */
export type TapeTrade = Trade | OutcomeTrade;

type TradesDump = {
  readonly trades: readonly (readonly [id: string, rows: readonly TapeTrade[]])[];
  readonly heights: readonly (readonly (number | null)[])[];
};

const PER_INSTRUMENT_MAX = PAGE_LIMITS.recentTrades.max;
/**
 * The limit on the total number of trades kept. It applies separately to perps and outcome markets,
 * so that outcome markets do not displace perps.
 */
const TOTAL_MAX = 20_000;

type TradeEvent = Extract<EngineEvent, { type: 'tradeExecuted' | 'outcomeTraded' }>;

/**
 * The trades of the newest block, and the last trades of each instrument. All trade channels share
 * them, so that a trade is converted at most once.
 */
export class TradeTape implements Projection {
  /**
   * The name used in snapshots, which dates from a release in which one projection had the data for
   * all streams.
   */
  readonly name = 'streams';
  readonly version = 2;
  readonly #state: () => State;
  readonly #left: () => readonly EventWithMarkets[];
  readonly #perps = recentTrades();
  readonly #outcomes = recentTrades();
  readonly #watchers = new Map<number, number>();
  #fresh = new Map<number, readonly TapeTrade[]>();
  readonly #heights = new WeakMap<TapeTrade, number>();

  /** `left` returns the events removed by the newest block; their trades are removed too. */
  constructor(state: () => State, left: () => readonly EventWithMarkets[] = () => []) {
    this.#state = state;
    this.#left = left;
  }

  get fresh(): ReadonlyMap<number, readonly TapeTrade[]> {
    return this.#fresh;
  }

  last(instrumentId: number, count: number): TapeTrade[] {
    return this.#of(instrumentId).of(String(instrumentId)).slice(0, count);
  }

  /**
   * Returns the trades of an instrument in blocks after a height, in order and with their heights,
   * or undefined if some of them may have been dropped.
   */
  since(
    instrumentId: number,
    height: number,
  ): readonly { readonly height: number; readonly trade: TapeTrade }[] | undefined {
    const trades: { height: number; trade: TapeTrade }[] = [];
    for (const trade of this.#of(instrumentId).of(String(instrumentId))) {
      const at = this.#heights.get(trade);
      if (at === undefined) return undefined;
      // No later trade is missing, because trades are dropped oldest first.
      if (at <= height) return trades.reverse();
      trades.push({ height: at, trade });
    }
    return undefined;
  }

  tradesOf(block: AppliedBlock, instrumentId: number): TapeTrade[] {
    const trades: TapeTrade[] = [];
    for (const event of block.result.events) {
      const isTrade = event.type === 'tradeExecuted' || event.type === 'outcomeTraded';
      if (isTrade && event.instrumentId === instrumentId) trades.push(this.#record(block, event));
    }
    return trades;
  }

  /** Keeps all new trades of these instruments until the returned function is called. */
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
    for (const event of splitEvents(block).others) {
      if (event.type !== 'tradeExecuted' && event.type !== 'outcomeTraded') continue;
      const trades = events.get(event.instrumentId);
      if (trades === undefined) events.set(event.instrumentId, [event]);
      else trades.push(event);
    }
    for (const [id, trades] of events) {
      const shown = this.#watchers.has(id) ? trades : trades.slice(-PER_INSTRUMENT_MAX);
      const records = shown.map((event) => this.#record(block, event));
      for (const record of records) {
        this.#heights.set(record, block.height);
        this.#of(id).add(String(id), record);
      }
      this.#fresh.set(id, records);
    }
    for (const { event } of this.#left()) {
      for (const id of event.instrumentIds) this.#outcomes.forget(String(id));
    }
  }

  #of(instrumentId: number): RecentRows<TapeTrade> {
    return instrumentId < OUTCOME_ID_MIN ? this.#perps : this.#outcomes;
  }

  /** Snapshots contain these trades, because their blocks may not be replayed on a restart. */
  dump(): TradesDump {
    const trades = [...this.#perps.dump(), ...this.#outcomes.dump()];
    const heights = trades.map(([, rows]) => rows.map((row) => this.#heights.get(row) ?? null));
    return { trades, heights };
  }

  reset(): void {
    this.#perps.clear();
    this.#outcomes.clear();
    this.#fresh = new Map();
  }

  restore(data: unknown): void {
    const { heights, trades } = data as TradesDump;
    for (const [at, [id, each]] of trades.entries()) {
      for (const [index, row] of each.entries()) {
        const height = heights[at]?.[index] ?? undefined;
        if (height !== undefined) this.#heights.set(row, height);
        this.#of(Number(id)).add(id, row);
      }
    }
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

function recentTrades(): RecentRows<TapeTrade> {
  return new RecentRows({ perUserMax: PER_INSTRUMENT_MAX, totalMax: TOTAL_MAX });
}

/** The iterator is replaced after this many rows have been added. */
const WALK_ADDS = 4_096;

/**
 * The newest rows of each user or other key in memory, with a limit per user and in total. Above
 * the total limit, the user who has gone without new rows the longest is removed.
 */
export class RecentRows<Row> {
  readonly #perUserMax: number;
  readonly #totalMax: number;
  /** The rows by user, oldest first. The user with the newest row is last. */
  readonly #rows = new Map<string, Row[]>();
  /**
   * A persistent iterator that starts at the oldest user, because a new iterator would have to skip
   * the gaps left by all removed users. An idle iterator keeps a grown map's old storage in memory,
   * so it is replaced regularly.
   */
  #oldest = this.#rows.entries();
  #sinceBegun = 0;
  #total = 0;

  constructor({ perUserMax, totalMax }: { perUserMax: number; totalMax: number }) {
    this.#perUserMax = perUserMax;
    this.#totalMax = totalMax;
  }

  add(user: string, row: Row): void {
    const rows = this.#rows.get(user) ?? [];
    this.#rows.delete(user);
    this.#rows.set(user, rows);
    rows.push(row);
    this.#total += 1;
    if (rows.length > this.#perUserMax) {
      rows.shift();
      this.#total -= 1;
    }
    while (this.#total > this.#totalMax) this.#forgetOldest();
    this.#sinceBegun += 1;
    if (this.#sinceBegun < WALK_ADDS) return;
    this.#sinceBegun = 0;
    this.#oldest = this.#rows.entries();
  }

  forget(user: string): void {
    this.#total -= this.#rows.get(user)?.length ?? 0;
    this.#rows.delete(user);
  }

  of(user: string): Row[] {
    return (this.#rows.get(user) ?? []).toReversed();
  }

  /** Snapshots contain these rows, because their blocks may not be replayed on a restart. */
  dump(): readonly (readonly [user: string, rows: readonly Row[]])[] {
    return [...this.#rows.entries()];
  }

  clear(): void {
    this.#rows.clear();
    this.#oldest = this.#rows.entries();
    this.#total = 0;
  }

  restore(data: unknown): void {
    for (const [user, rows] of data as ReturnType<RecentRows<Row>['dump']>) {
      for (const row of rows) this.add(user, row);
    }
  }

  #forgetOldest(): void {
    const next = this.#oldest.next();
    if (next.done === true) {
      this.#oldest = this.#rows.entries();
      return;
    }
    const [user, rows] = next.value;
    this.#rows.delete(user);
    this.#total -= rows.length;
  }
}
