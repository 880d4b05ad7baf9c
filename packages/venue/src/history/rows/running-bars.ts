import type { AppliedBlock } from '../../block/applied-block.ts';
import { HOUR_MS, MINUTE_MS } from '../../read-models/candle-interval.ts';
import type { CandleRecord } from './block-rows.ts';

/** Every interval is made of one of these; the coarser ones keep long questions short. */
const BAR_STEPS_MS: readonly number[] = [MINUTE_MS, 15 * MINUTE_MS, 4 * HOUR_MS];

type Bar = { -readonly [Key in keyof CandleRecord]: CandleRecord[Key] };

/**
 * Bars of trades that are not closed yet. A bar is closed by the first block at or past its end, and
 * one without trades does not exist: who reads them repeats the close before it.
 */
export class RunningBars {
  /** By step, then by instrument. */
  readonly #bars = BAR_STEPS_MS.map(() => new Map<number, Bar>());

  take({ result, timeMs }: AppliedBlock): CandleRecord[] {
    const closed = this.#close(timeMs);
    for (const event of result.events) {
      if (event.type !== 'tradeExecuted' && event.type !== 'outcomeTraded') continue;
      this.#record(timeMs, event.instrumentId, event.price, event.size);
    }
    return closed;
  }

  /** Bars of a step begin together, so that one which is over says that all others are. */
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
