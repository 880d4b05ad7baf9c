import type { EngineEvent, State } from '@oddlot/engine';
import type { LargestTrade } from '@oddlot/protocol';
import { formatMoney, notional, present } from '@oddlot/units';
import type { AppliedBlock } from '../../block/applied-block.ts';
import { HOUR_MS } from '../../read-models/candle-interval.ts';
import { instrumentLookup } from '../../translate/actions/instrument-lookup.ts';
import { causeHash, tradeRecord } from '../../translate/event-to-stream.ts';
import { findPerp } from '../../translate/info/handler.ts';
import { outcomeTradeRecord } from '../../translate/outcome-stream.ts';
import type { AccountType, LargestTradesRecord, RankedTrade } from './block-rows.ts';

/** Trades are ranked within spans of this length: a month is some two hundred of them. */
export const RANKED_SPAN_MS = 4 * HOUR_MS;
/** Trades that a span keeps of each list, which is as many as any longer one can show of it. */
export const RANKED_MAX = 20;

/** Beside one for each instrument there is a list for all perps and one for all outcome markets. */
const LIST_OF_ALL: Readonly<Record<AccountType, number>> = { perp: 0, outcome: -1 };

export function rankedList(of: { readonly instrumentId: number } | AccountType): number {
  return typeof of === 'string' ? LIST_OF_ALL[of] : of.instrumentId;
}

type TradeEvent = Extract<EngineEvent, { type: 'tradeExecuted' | 'outcomeTraded' }>;

/**
 * The largest trades of the span that runs, by what the taker paid. A list is written again, whole, by the blocks that
 * change it, so that the last row of a span is its final one.
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
    for (const event of block.result.events) {
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
      // Of two that are as large the earlier one stays.
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
