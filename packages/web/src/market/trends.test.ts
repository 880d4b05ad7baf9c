import { expect, test } from 'vitest';
import { dayChange, withPast } from './past-prices.ts';

test("the change covers a day, or the time since a young venue's first trade", () => {
  const trend = { open: '100', closes: [], before: 0 };
  expect(dayChange({ markPx: '103', prevDayPx: '' }, trend)).toBe('0.03');
  expect(dayChange({ markPx: '99', prevDayPx: '110' }, trend)).toBe('-0.1');
  expect(dayChange({ markPx: '103', prevDayPx: '' }, undefined)).toBe(undefined);
  expect(dayChange(undefined, trend)).toBe(undefined);
});

test('simulated prices precede the prices of a young venue, and too few of them draw no line', () => {
  const own = { open: '100', closes: [100, 101], before: 0 };
  const price = (value: number) => ({ timeMs: value, value, text: String(value) });
  const past = Array.from({ length: 12 }, (_, at) => price(88 + at));
  expect(withPast(own, past)).toEqual({
    open: '88',
    closes: [...past.map(({ value }) => value), 100, 101],
    before: 12,
  });
  expect(withPast(own, past.slice(3))).toBe(own);
  expect(withPast(own, [])).toBe(own);
});
