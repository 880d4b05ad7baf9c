import { expect, test } from 'vitest';
import { OracleTwap } from './oracle-twap.ts';

const HOUR = 3_600_000;

function recorded(...samples: readonly (readonly [number, number])[]): OracleTwap {
  const twap = new OracleTwap();
  for (const [instantMs, price] of samples) twap.record(instantMs, price);
  return twap;
}

test('the average of the prices there are, half up', () => {
  expect(recorded().average(HOUR)).toBeUndefined();
  expect(recorded([5_000, 10], [10_000, 11]).average(10_000)).toBe(11);
  expect(recorded([5_000, 10], [10_000, 10], [15_000, 11]).average(15_000)).toBe(10);
});

test('instants without a price do not count', () => {
  const twap = recorded([5_000, 10], [60_000, 30]);
  expect(twap.average(60_000)).toBe(20);
  expect(twap.dump()[1]).toHaveLength(12);
});

test('a price counts for the hour after it', () => {
  const twap = recorded([5_000, 10], [10_000, 30]);
  expect(twap.average(HOUR + 4_999)).toBe(20);
  expect(twap.average(HOUR + 5_000)).toBe(30);
  expect(twap.average(HOUR + 10_000)).toBeUndefined();
});

test('an hour is kept and no more, through a gap of any length', () => {
  const twap = new OracleTwap();
  for (let n = 1; n <= 1_000; n++) twap.record(n * 5_000, n);
  // The last 720: 281 to 1,000.
  expect(twap.average(5_000_000)).toBe(641);
  expect(twap.dump()[1]).toHaveLength(720);
  twap.record(100 * HOUR, 7);
  expect(twap.average(100 * HOUR)).toBe(7);
  expect(twap.dump()[1]).toHaveLength(720);
  const copy = new OracleTwap();
  copy.restore(twap.dump());
  expect(copy.average(100 * HOUR)).toBe(7);
});
