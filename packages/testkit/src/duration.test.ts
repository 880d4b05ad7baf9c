import { expect, test } from 'vitest';
import { durationMs } from './duration.ts';

test.each([
  [0, 0],
  [250, 250],
  ['250ms', 250],
  ['1.5s', 1_500],
  ['8h', 28_800_000],
  ['1d12h', 129_600_000],
  ['1h30m', 5_400_000],
])('the duration %s is %i ms', (duration, ms) => {
  expect(durationMs(duration)).toBe(ms);
});

test.each(['', 'h', '8', '8 h', '-1s', '1.0001ms', '1w', 1.5, -1, Number.NaN])(
  'the invalid duration %s is rejected',
  (duration) => {
    expect(() => durationMs(duration)).toThrow('Use whole milliseconds');
  },
);
