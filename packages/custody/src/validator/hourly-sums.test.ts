import { expect, test } from 'vitest';
import { HourlySums } from './bridge-deposits.ts';

const HOUR_MS = 3_600_000;

test('hourly sums count an amount for at most a day, and deduct the oldest amounts first', () => {
  const sums = new HourlySums();
  for (let times = 0; times < 100_000; times++) sums.add(1n, HOUR_MS + times);
  sums.add(7n, 3 * HOUR_MS);
  expect(sums.left(3 * HOUR_MS)).toBe(100_007n);
  sums.take(99_999n);
  expect(sums.left(25 * HOUR_MS - 1)).toBe(8n);
  expect(sums.left(25 * HOUR_MS)).toBe(7n);
  sums.take(100n);
  expect(sums.left(25 * HOUR_MS)).toBe(0n);
});
