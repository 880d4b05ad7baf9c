import type { Candle } from '@oddlot/sdk';
import { exact, show } from './exact.ts';

type Figures = Pick<Candle, 'o' | 'h' | 'l' | 'c' | 'v' | 'n'>;

/**
 * Merges candles into one candle for the whole period, because a period around midnight spans two
 * daily candles. If a candle is reported more than once, its last report counts.
 */
export function asOneCandle(received: readonly Candle[]): Figures | undefined {
  const candles = [...new Map(received.map((candle) => [candle.t, candle])).values()];
  const [first, last] = [candles[0], candles.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  const byPrice = (a: string, b: string): number => Number(a) - Number(b);
  return {
    o: first.o,
    h: candles
      .map(({ h }) => h)
      .toSorted(byPrice)
      .at(-1)!,
    l: candles.map(({ l }) => l).toSorted(byPrice)[0]!,
    c: last.c,
    v: show(candles.reduce((sum, { v }) => sum + exact(v), 0n)),
    n: candles.reduce((sum, { n }) => sum + n, 0),
  };
}
