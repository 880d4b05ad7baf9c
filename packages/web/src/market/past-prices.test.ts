import { expect, test } from 'vitest';
import { pastLine } from './past-prices.ts';

const price = (timeMs: number, value: number) => ({ timeMs, value });
const past = [price(0, 100), price(60, 160), price(120, 130)];

test('past prices are interpolated at whole intervals before the first candle', () => {
  expect(pastLine(past, { beforeMs: 140, stepMs: 20, max: 4 })).toEqual([
    { timeMs: 60, value: 160 },
    { timeMs: 80, value: 150 },
    { timeMs: 100, value: 140 },
    { timeMs: 120, value: 130 },
  ]);
});

test('the line of past prices ends before the first candle at the last past price', () => {
  const line = pastLine(past, { beforeMs: 180, stepMs: 60, max: 100 });
  expect(line.map(({ timeMs, value }) => [timeMs, value])).toEqual([
    [0, 100],
    [60, 160],
    [120, 130],
  ]);
  expect(pastLine(past, { beforeMs: 300, stepMs: 100, max: 1 })).toEqual([
    { timeMs: 200, value: 130 },
  ]);
});

test('without past prices, no line is drawn for them', () => {
  expect(pastLine([], { beforeMs: 100, stepMs: 10, max: 9 })).toEqual([]);
});
