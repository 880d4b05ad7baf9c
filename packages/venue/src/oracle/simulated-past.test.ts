import { expect, test } from 'vitest';
import { startPrice } from './random-walk.ts';
import { simulatedPast } from './simulated-prices.ts';

const DAY_MS = 86_400_000;
const BEGAN_MS = 1_794_700_000_000;

test('the simulated history covers a week and ends where the price walk starts', () => {
  const past = simulatedPast('BTC', BEGAN_MS);
  expect(past.at(-1)).toEqual({ atMs: BEGAN_MS, priceE8: startPrice('BTC', 8) });
  expect(past[0]!.atMs).toBe(BEGAN_MS - 7 * DAY_MS);
  const times = past.map(({ atMs }) => atMs);
  expect(times).toEqual(times.toSorted((a, b) => a - b));
  // The last day has a price every quarter of an hour, and earlier days one every hour.
  expect(past.length).toBe(1 + 96 + 6 * 24);
});

test('the simulated history is reproducible, and differs by symbol and venue', () => {
  const past = simulatedPast('BTC', BEGAN_MS);
  expect(simulatedPast('BTC', BEGAN_MS)).toEqual(past);
  const shape = (some: typeof past): readonly number[] =>
    some.map(({ priceE8 }) => priceE8 / some.at(-1)!.priceE8);
  expect(shape(simulatedPast('ETH', BEGAN_MS))).not.toEqual(shape(past));
  expect(shape(simulatedPast('BTC', BEGAN_MS + 1))).not.toEqual(shape(past));
});

test('the simulated history varies by a few percent and never reaches zero', () => {
  for (const symbol of ['BTC', 'ETH', 'SOL', 'XRP', 'NOBODY']) {
    const prices = simulatedPast(symbol, BEGAN_MS).map(({ priceE8 }) => priceE8);
    const [low, high] = [Math.min(...prices), Math.max(...prices)];
    expect(high / low).toBeGreaterThan(1.01);
    expect(high / low).toBeLessThan(2);
  }
});
