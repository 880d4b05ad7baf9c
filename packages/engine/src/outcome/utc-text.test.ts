import { describe, expect, test } from 'vitest';
import { utcDay, utcMinute } from './series.ts';

describe('times are formatted as calendar dates and minutes', () => {
  test('dates from 1970 to 2400 are formatted as the platform formats them', () => {
    const days = Array.from({ length: 157_054 }, (_, day) => day * 86_400_000);
    const differing = days.filter((dayMs) => {
      const [, date, month, year] = new Date(dayMs).toUTCString().split(' ');
      return utcDay(dayMs + 86_399_999) !== `${Number(date)} ${month} ${year}`;
    });
    expect(differing).toEqual([]);
  });

  test.each([
    [0, '00:00'],
    [1_794_745_800_000, '12:30'],
    [1_794_787_199_999, '23:59'],
  ])('the minute of time %d is formatted as %s', (timeMs, text) => {
    expect(utcMinute(timeMs)).toBe(text);
  });

  test('the end of a day is formatted as 24:00', () => {
    expect(utcMinute(1_794_787_200_000, 1_794_787_199_999)).toBe('24:00');
  });
});
