import type { Candle } from '@oddlot/sdk';
import { describe, expect, test } from 'vitest';
import { indicatorLines } from './indicator-lines.ts';

/** Returns candles with the closing prices 1, 2, 3, and so on. */
function rising(count: number): readonly Candle[] {
  return Array.from({ length: count }, (_, at) => {
    const price = String(at + 1);
    return { t: at * 60_000, o: price, h: price, l: price, c: price, v: '1', n: 1 } as Candle;
  });
}

describe('chart indicators', () => {
  test('a moving average is the mean of its last candles', () => {
    const [line] = indicatorLines('sma', rising(22));
    expect(line!.points.map(({ value }) => value)).toEqual([10.5, 11.5, 12.5]);
    expect(line!.points[0]!.timeMs).toBe(19 * 60_000);
  });

  test('the VWAP includes all candles so far', () => {
    const [line] = indicatorLines('vwap', rising(3));
    expect(line!.points.at(-1)!.value).toBeCloseTo(2, 9);
  });

  test('rising prices have an RSI of 100 and bands around the mean', () => {
    const [strength] = indicatorLines('rsi', rising(40));
    expect(strength!.points.at(-1)!.value).toBe(100);
    const [upper, middle, lower] = indicatorLines('bollinger', rising(20));
    expect(middle!.points[0]!.value).toBe(10.5);
    expect(upper!.points[0]!.value - 10.5).toBeCloseTo(10.5 - lower!.points[0]!.value, 9);
  });

  test.each(['sma', 'ema', 'vwap', 'bollinger', 'rsi', 'macd'] as const)(
    'the %s indicator is empty without enough candles',
    (kind) => {
      for (const line of indicatorLines(kind, [])) expect(line.points).toEqual([]);
      if (kind === 'vwap') return;
      for (const line of indicatorLines(kind, rising(5))) expect(line.points).toEqual([]);
    },
  );
});
