import { expect, test } from 'vitest';
import { DAY_MS } from './by-day.ts';
import { weeksOf } from './calendar.tsx';

test.each([
  ['2026-11', 6],
  ['2027-02', 4],
  ['2028-02', 5],
])('the weeks of %s start on Monday and contain each of its days once', (month, count) => {
  const startMs = Date.parse(`${month}-01T00:00:00Z`);
  const start = new Date(startMs);
  const endMs = Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 1);
  const weeks = weeksOf(startMs, endMs);
  expect(weeks).toHaveLength(count);
  expect(weeks.every(([first]) => new Date(first!).getUTCDay() === 1)).toBe(true);
  const inside = weeks.flat().filter((ms) => ms >= startMs && ms < endMs);
  expect(inside).toEqual(
    Array.from({ length: (endMs - startMs) / DAY_MS }, (_, at) => startMs + at * DAY_MS),
  );
});
