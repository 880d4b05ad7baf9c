import type { Candle } from '@oddlot/sdk';
import { expect, test } from 'vitest';
import { countUntil, replayStart } from './use-replayed.ts';

const HOUR_MS = 3_600_000;
const at = (...starts: readonly number[]): readonly Candle[] =>
  starts.map((t) => ({ t }) as Candle);

test('a replay shows the candles that have started, and at least one', () => {
  const candles = at(100, 200, 300);
  expect([50, 100, 250, 300, 999].map((ms) => countUntil(candles, ms))).toEqual([1, 1, 2, 3, 3]);
});

test('a replay starts at the last full hour, or at the first candle', () => {
  expect(replayStart(at(0, 3 * HOUR_MS + 60_000))).toBe(2 * HOUR_MS);
  expect(replayStart(at(3 * HOUR_MS, 3 * HOUR_MS + 60_000))).toBe(3 * HOUR_MS);
  expect(replayStart([])).toBe(0);
});
