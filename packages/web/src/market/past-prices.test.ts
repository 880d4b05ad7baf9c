import { expect, test } from 'vitest';
import { pastLine } from './past-prices.ts';

const price = (timeMs: number, value: number) => ({ timeMs, value, text: String(value) });
const past = [price(0, 100), price(60, 160), price(120, 130)];

test('prices are read off at whole steps before the first candle, between two in proportion', () => {
  expect(pastLine(past, { beforeMs: 140, stepMs: 20, max: 4 })).toEqual([
    { timeMs: 60, value: 160 },
    { timeMs: 80, value: 150 },
    { timeMs: 100, value: 140 },
    { timeMs: 120, value: 130 },
  ]);
});

test('it ends where the past does, and after the last price it stays', () => {
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

test('of nothing there is no line', () => {
  expect(pastLine([], { beforeMs: 100, stepMs: 10, max: 9 })).toEqual([]);
});
