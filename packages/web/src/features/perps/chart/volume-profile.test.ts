import type { Candle } from '@oddlot/sdk';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { volumeProfile } from './drawings/drawing-overlay.tsx';

const candle = (l: number, h: number, v: number): Candle =>
  ({ l: String(l), h: String(h), v: String(v) }) as Candle;

test("the volume profile spreads a candle's volume over its range, and puts a flat candle's volume at one price", () => {
  const bins = volumeProfile([candle(100, 130, 30), candle(115.5, 115.5, 6)]);
  expect([bins.length, bins[0]!.low, bins.at(-1)!.high]).toEqual([30, 100, 130]);
  expect(bins.map(({ volume }) => Math.round(volume))).toEqual(
    Array.from({ length: 30 }, (_, at) => (at === 15 ? 7 : 1)),
  );
});

test('the volume profile is empty if there is no volume or only one price', () => {
  expect(volumeProfile([])).toEqual([]);
  expect(volumeProfile([candle(1, 2, 0)])).toEqual([]);
  expect(volumeProfile([candle(5, 5, 9)])).toEqual([]);
});

test('the volume profile conserves the volume', () => {
  const candles = fc.array(
    fc.tuple(fc.integer({ min: 1, max: 999 }), fc.nat(99), fc.integer({ min: 1, max: 99 })),
    { minLength: 1 },
  );
  fc.assert(
    fc.property(candles, (some) => {
      const bins = volumeProfile(some.map(([low, size, v]) => candle(low, low + size, v)));
      const whole = some.reduce((sum, [, , v]) => sum + v, 0);
      const counted = bins.reduce((sum, { volume }) => sum + volume, 0);
      return bins.length === 0 || Math.abs(counted - whole) < 1e-6 * whole;
    }),
  );
});
