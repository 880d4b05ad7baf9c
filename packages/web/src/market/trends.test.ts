import { expect, test } from 'vitest';
import { dayChange, isSinceStart } from './past-prices.ts';

test("the price change covers a day, or the time since a young market's first trade", () => {
  const trend = { open: '100', closes: [] };
  expect(dayChange({ markPx: '103', prevDayPx: '' }, trend)).toBe('0.03');
  expect(dayChange({ markPx: '99', prevDayPx: '110' }, trend)).toBe('-0.1');
  expect(dayChange({ markPx: '103', prevDayPx: '' }, undefined)).toBe(undefined);
  expect(dayChange(undefined, trend)).toBe(undefined);
  expect(isSinceStart({ markPx: '103', prevDayPx: '' }, trend)).toBe(true);
  expect(isSinceStart({ markPx: '99', prevDayPx: '110' }, trend)).toBe(false);
  expect(isSinceStart(undefined, { open: undefined, closes: [] })).toBe(false);
});
