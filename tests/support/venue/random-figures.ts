import { present, type Address } from '@oddlot/units';
import type {
  BlockRows,
  LargestTradesRecord,
  LiquidationRecord,
  OpenInterestRecord,
} from '../../../packages/history/src/rows/block-rows.ts';
import { RANKED_SPAN_MS } from '../../../packages/history/src/rows/market-figures.ts';
import type { RandomBelow } from './random-below.ts';

type At = { readonly height: number; readonly timeMs: number };

/** Random but consistent market statistics for each block. */
export class RandomFigures {
  readonly #randomBelow: RandomBelow;
  readonly #users: readonly Address[];
  readonly #instruments: readonly number[];
  readonly #ranked = new Map<string, LargestTradesRecord['trades']>();
  #trades = 0;

  constructor(
    randomBelow: RandomBelow,
    of: { readonly users: readonly Address[]; readonly instruments: readonly number[] },
  ) {
    this.#randomBelow = randomBelow;
    this.#users = of.users;
    this.#instruments = of.instruments;
  }

  of({ height, timeMs }: At): Pick<BlockRows, 'liquidations' | 'largestTrades' | 'openInterest'> {
    return {
      liquidations: Array.from({ length: this.#randomBelow(3) }, () => this.#liquidation(timeMs)),
      largestTrades: this.#randomBelow(2) === 0 ? [] : [this.#largest(timeMs)],
      // Each height has a different time, even if the clock does not advance.
      openInterest: this.#randomBelow(2) === 0 ? [] : [this.#interest(timeMs + height)],
    };
  }

  #liquidation(time: number): LiquidationRecord {
    const instrumentId = this.#pick(this.#instruments);
    const row: LiquidationRecord['row'] = {
      time,
      hash: `0x${'5e'.repeat(32)}`,
      user: this.#pick(this.#users),
      coin: `C${instrumentId}-USDC`,
      instrumentId,
      side: this.#randomBelow(2) === 0 ? 'B' : 'A',
      sz: String(1 + this.#randomBelow(9)),
      px: '100.5',
      ntl: '201',
      step: 'market',
      leverageType: 'Cross',
      markPx: '101',
      accountValue: '-0.5',
      maintenanceMargin: '3',
    };
    return { instrumentId, row };
  }

  /** Extends the list of the largest trades of the current period. */
  #largest(time: number): LargestTradesRecord {
    const startMs = time - (time % RANKED_SPAN_MS);
    const list = this.#pick([0, -1, ...this.#instruments]);
    const key = `${list} ${startMs}`;
    const earlier = this.#ranked.get(key);
    const instrumentId = this.#pick(this.#instruments);
    const value = this.#randomBelow(50);
    this.#trades += 1;
    const row = {
      coin: `C${instrumentId}`,
      instrumentId,
      side: this.#randomBelow(2) === 0 ? ('B' as const) : ('A' as const),
      px: '7.5',
      sz: '2',
      time,
      hash: `0x${'7a'.repeat(32)}`,
      tid: this.#trades,
      ntl: String(value),
    };
    const trades = [...(earlier ?? []), { value, row }].sort((a, b) => b.value - a.value);
    this.#ranked.set(key, trades);
    return { list, startMs, ...(earlier === undefined ? { isFirst: true } : {}), trades };
  }

  #interest(time: number): OpenInterestRecord {
    const instrumentId = this.#pick(this.#instruments);
    const openInterest = String(this.#randomBelow(100));
    return { instrumentId, row: { coin: `C${instrumentId}`, time, openInterest, markPx: '9.5' } };
  }

  #pick<Item>(items: readonly Item[]): Item {
    return present(items[this.#randomBelow(items.length)], 'an item');
  }
}
