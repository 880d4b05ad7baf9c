import { splitEvents } from '@oddlot/translate/read-models/block-events';
import { type EngineEvent, marketView, type State } from '@oddlot/engine';
import type { LargestTrade, OpenInterestRow } from '@oddlot/protocol';
import { formatMoney, notional, present } from '@oddlot/units';
import type { AppliedBlock } from '@oddlot/replica/block';
import { HOUR_MS, MINUTE_MS } from '@oddlot/translate/read-models/candle-interval';
import { instrumentLookup } from '@oddlot/translate/instruments';
import { causeHash, outcomeTradeRecord, tradeRecord } from '@oddlot/translate/event-to-stream';
import { findPerp } from '@oddlot/translate/info/info-context';
import type {
  AccountType,
  CandleRecord,
  LargestTradesRecord,
  OpenInterestRecord,
  RankedTrade,
} from './block-rows.ts';
import { formatHalfPrice, formatPrice, formatSize } from '@oddlot/translate/format';

/** The length of the periods in which trades are ranked; a month has about 200 of them. */
export const RANKED_SPAN_MS = 4 * HOUR_MS;
/** The number of trades per list and period, also the maximum for a query over a longer time. */
export const RANKED_MAX = 20;

/** The lists of all perps and of all outcome markets. Each instrument also has its own list. */
const LIST_OF_ALL: Readonly<Record<AccountType, number>> = { perp: 0, outcome: -1 };

export function rankedList(of: { readonly instrumentId: number } | AccountType): number {
  return typeof of === 'string' ? LIST_OF_ALL[of] : of.instrumentId;
}

type TradeEvent = Extract<EngineEvent, { type: 'tradeExecuted' | 'outcomeTraded' }>;

/**
 * The largest trades in the current period, by the amount the taker paid. A block that changes a
 * list writes the whole list, so the last record of a period is final.
 */
export class LargestTrades {
  readonly #lists = new Map<number, readonly RankedTrade[]>();
  #startMs = 0;

  take(state: State, block: AppliedBlock): LargestTradesRecord[] {
    const startMs = block.timeMs - (block.timeMs % RANKED_SPAN_MS);
    if (startMs !== this.#startMs) this.#lists.clear();
    this.#startMs = startMs;
    const changed = new Set<number>();
    const known = new Set(this.#lists.keys());
    for (const event of splitEvents(block).others) {
      if (event.type !== 'tradeExecuted' && event.type !== 'outcomeTraded') continue;
      this.#record(state, block, event, changed);
    }
    return [...changed].map((list) => ({
      list,
      startMs,
      ...(known.has(list) ? {} : { isFirst: true }),
      trades: this.#lists.get(list) ?? [],
    }));
  }

  #record(state: State, block: AppliedBlock, event: TradeEvent, changed: Set<number>): void {
    const isPerp = event.type === 'tradeExecuted';
    const value = Number(notional(isPerp ? event.price : event.taker.price, event.size));
    const lists = [event.instrumentId, LIST_OF_ALL[isPerp ? 'perp' : 'outcome']];
    let ranked: RankedTrade | undefined;
    for (const list of lists) {
      const trades = this.#lists.get(list) ?? [];
      if (trades.length === RANKED_MAX && (trades.at(-1)?.value ?? 0) >= value) continue;
      ranked ??= { value, row: rowOf(state, block, event, value) };
      const place = trades.findIndex((each) => each.value < value);
      const at = place === -1 ? trades.length : place;
      this.#lists.set(list, trades.toSpliced(at, 0, ranked).slice(0, RANKED_MAX));
      changed.add(list);
    }
  }

  dump(): LargestTradesDump {
    return { startMs: this.#startMs, lists: [...this.#lists] };
  }

  restore({ lists, startMs }: LargestTradesDump): void {
    this.#startMs = startMs;
    for (const [list, trades] of lists) this.#lists.set(list, trades);
  }

  clear(): void {
    this.#lists.clear();
    this.#startMs = 0;
  }
}

function rowOf(state: State, block: AppliedBlock, event: TradeEvent, value: number): LargestTrade {
  const { timeMs } = block;
  const ntl = formatMoney(value);
  if (event.type === 'outcomeTraded') {
    const market = present(instrumentLookup(() => state)(event.instrumentId), 'a traded market');
    return { ...outcomeTradeRecord(market, event, timeMs), ntl };
  }
  const perp = present(findPerp(state, event.instrumentId), 'a traded perp');
  const hash = causeHash(block, event.commandIndex);
  return { ...tradeRecord(perp, { event, timeMs, hash }), ntl };
}

export type LargestTradesDump = {
  readonly startMs: number;
  readonly lists: readonly (readonly [list: number, trades: readonly RankedTrade[]])[];
};

/**
 * Records the open interest of each instrument once per hour, with the time of the first block of
 * the hour. Zero is recorded only when it is reached.
 */
export class OpenInterest {
  #lastMs: number | undefined;
  #held = new Set<number>();

  take(state: State, { timeMs }: AppliedBlock): OpenInterestRecord[] {
    const lastMs = this.#lastMs;
    this.#lastMs = timeMs;
    const isSameHour =
      lastMs !== undefined && Math.floor(lastMs / HOUR_MS) === Math.floor(timeMs / HOUR_MS);
    if (isSameHour) return [];
    const held = new Set<number>();
    const records: OpenInterestRecord[] = [];
    for (const { instrumentId, lots, row } of figures(state, timeMs)) {
      if (lots > 0) held.add(instrumentId);
      if (lots > 0 || this.#held.has(instrumentId)) records.push({ instrumentId, row: row() });
    }
    this.#held = held;
    return records;
  }

  dump(): OpenInterestDump {
    return { lastMs: this.#lastMs ?? null, held: [...this.#held] };
  }

  restore({ held, lastMs }: OpenInterestDump): void {
    this.#lastMs = lastMs ?? undefined;
    this.#held = new Set(held);
  }

  clear(): void {
    this.#lastMs = undefined;
    this.#held.clear();
  }
}

type Figure = {
  readonly instrumentId: number;
  readonly lots: number;
  readonly row: () => OpenInterestRow;
};

/** Open interest is measured in base units for perps and in pairs of shares for outcome markets. */
function* figures(state: State, time: number): Generator<Figure> {
  for (const { definition, mark, openInterest: lots } of state.perps.values()) {
    const { instrumentId, name: coin } = definition;
    const row = (): OpenInterestRow => ({
      coin,
      time,
      openInterest: formatSize(definition, lots),
      markPx: formatPrice(definition, mark),
    });
    yield { instrumentId, lots, row };
  }
  for (const [instrumentId, { pairs: lots }] of state.outcomes.markets) {
    const row = (): OpenInterestRow => {
      const { name: coin, ...scale } = present(
        instrumentLookup(() => state)(instrumentId),
        'a listed market',
      );
      const { markHalves } = present(marketView(state, instrumentId), 'a listed market');
      const openInterest = formatSize(scale, lots);
      return { coin, time, openInterest, markPx: formatHalfPrice(scale, markHalves) };
    };
    yield { instrumentId, lots, row };
  }
}

export type OpenInterestDump = { readonly lastMs: number | null; readonly held: readonly number[] };

/**
 * Candles of all other intervals are combined from these. The longer ones keep long queries fast.
 */
const BAR_STEPS_MS: readonly number[] = [MINUTE_MS, 15 * MINUTE_MS, 4 * HOUR_MS];

type Bar = { -readonly [Key in keyof CandleRecord]: CandleRecord[Key] };

/**
 * The open candles of trades. A candle is closed by the first block at or after its end. A period
 * without trades has no candle; readers repeat the previous close.
 */
export class RunningBars {
  readonly #bars = BAR_STEPS_MS.map(() => new Map<number, Bar>());

  take(block: AppliedBlock): CandleRecord[] {
    const { timeMs } = block;
    const closed = this.#close(timeMs);
    for (const event of splitEvents(block).others) {
      if (event.type !== 'tradeExecuted' && event.type !== 'outcomeTraded') continue;
      this.#record(timeMs, event.instrumentId, event.price, event.size);
    }
    return closed;
  }

  /** All candles of an interval start together, so if the first has ended, all have. */
  #close(timeMs: number): CandleRecord[] {
    const closed: CandleRecord[] = [];
    for (const [at, stepMs] of BAR_STEPS_MS.entries()) {
      const bars = this.#bars[at];
      const first = bars?.values().next().value;
      if (bars === undefined || first === undefined || timeMs < first.startMs + stepMs) continue;
      closed.push(...bars.values());
      bars.clear();
    }
    return closed;
  }

  #record(timeMs: number, instrumentId: number, price: number, size: number): void {
    for (const [at, stepMs] of BAR_STEPS_MS.entries()) {
      const bars = this.#bars[at];
      const bar = bars?.get(instrumentId);
      if (bar === undefined) {
        const startMs = timeMs - (timeMs % stepMs);
        const prices = { open: price, high: price, low: price, close: price };
        bars?.set(instrumentId, {
          instrumentId,
          stepMs,
          startMs,
          ...prices,
          lots: size,
          trades: 1,
        });
        continue;
      }
      bar.high = Math.max(bar.high, price);
      bar.low = Math.min(bar.low, price);
      bar.close = price;
      bar.lots += size;
      bar.trades += 1;
    }
  }

  dump(): readonly CandleRecord[] {
    return this.#bars.flatMap((bars) => [...bars.values()].map((bar) => ({ ...bar })));
  }

  restore(rows: readonly CandleRecord[]): void {
    for (const row of rows) {
      this.#bars[BAR_STEPS_MS.indexOf(row.stepMs)]?.set(row.instrumentId, { ...row });
    }
  }

  clear(): void {
    for (const bars of this.#bars) bars.clear();
  }
}
