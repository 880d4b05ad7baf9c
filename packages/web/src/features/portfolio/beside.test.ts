import { expect, test } from 'vitest';
import { besideOf, isFlat } from './curve.tsx';
import type { CurvePoint } from './use-portfolio.ts';

const point = (time: number, accountValue: string, pnl = '0'): CurvePoint =>
  ({ time, accountValue, pnl }) as CurvePoint;
const past = [
  { timeMs: 10, value: 80, text: '80' },
  { timeMs: 20, value: 120, text: '120' },
  { timeMs: 30, value: 100, text: '100' },
  { timeMs: 50, value: 70, text: '70' },
];

test('ends where the account begins, at what it was worth', () => {
  expect(besideOf(past, point(40, '1000'), 'equity', 0)).toEqual([
    { timeMs: 10, value: 800 },
    { timeMs: 20, value: 1200 },
    { timeMs: 30, value: 1000 },
  ]);
});

test('of a result it is what that money would have won, and nothing at the end', () => {
  expect(besideOf(past, point(40, '1000'), 'pnl', 15)).toEqual([
    { timeMs: 20, value: 200 },
    { timeMs: 30, value: 0 },
  ]);
});

test('an account without a beginning, or older than all of it, stands alone', () => {
  expect(besideOf(past, undefined, 'equity', 0)).toEqual([]);
  expect(besideOf(past, point(5, '1000'), 'equity', 0)).toEqual([]);
  expect(besideOf([], point(40, '1000'), 'equity', 0)).toEqual([]);
});

test('a curve is flat until it has won or lost something', () => {
  expect(isFlat([point(1, '5'), point(2, '9')])).toBe(true);
  expect(isFlat([point(1, '5'), point(2, '9', '0.1')])).toBe(false);
});
