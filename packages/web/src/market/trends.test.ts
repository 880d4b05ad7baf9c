import { expect, test } from 'vitest';
import { dayChange } from './trends.ts';

test('the change is that over a day, or since the first trade of a younger venue', () => {
  const trend = { open: '100', closes: [] };
  expect(dayChange({ markPx: '103', prevDayPx: '' }, trend)).toBe('0.03');
  expect(dayChange({ markPx: '99', prevDayPx: '110' }, trend)).toBe('-0.1');
  expect(dayChange({ markPx: '103', prevDayPx: '' }, undefined)).toBe(undefined);
  expect(dayChange(undefined, trend)).toBe(undefined);
});
