import { expect, test } from 'vitest';
import { divHalfUp } from '@oddlot/units';
import type { AppliedBlock } from '@oddlot/replica/block';
import { ReferencePrices } from './reference-prices.ts';
import { OutcomeVenue, SERIES } from '@oddlot/testing/venue/outcome-venue';

const HOUR_MS = 3_600_000;
const START_MS = 1_800_000_000_000;

function push(prices: ReferencePrices, observedMs: number, priceE8: number): void {
  const event = {
    type: 'referencePriceTaken',
    symbol: 'BTC',
    source: 'oracle',
    priceE8,
    observedMs,
  };
  prices.onBlock({ timeMs: observedMs, result: { events: [event] } } as unknown as AppliedBlock);
}

test("an average of irregular observations equals the engine's strike (R-series)", () => {
  const world = new OutcomeVenue();
  world.venue.apply([{ type: 'registerSeries', series: SERIES }]);
  const startMs = START_MS + 900_000;
  world.waitUntil(startMs - 70_000);
  // The intervals between the observations are irregular, and the last one is 2 s before the start.
  for (let at = 0; at < 40; at++) world.price(100 + at, { afterMs: 1_700 });
  world.waitUntil(startMs + 5_000);
  const markets = world.markets.catalogue.seriesMarkets('btc-15m');
  const strike = markets.find(({ listing }) => listing.startMs === startMs)?.strikeE8;
  const twap = world.markets.prices.twap('BTC', 'oracle', startMs)!;
  expect(Number(divHalfUp(twap.sumE8, BigInt(twap.samples)))).toBe(strike);
  expect(twap.samples).toBe(60);
});

test('old prices are stored at a coarser step, and averages of whole minutes are kept', () => {
  const prices = new ReferencePrices();
  // The price increases by one every second for a day.
  for (let at = 0; at <= 86_400; at++) push(prices, START_MS + at * 1_000, 1 + at);
  const price = (source: 'oracle' | 'twap', atMs: number) =>
    prices.price('BTC', source, START_MS + atMs)?.priceE8;
  // Every second is stored for the last six hours, and every minute before that.
  expect(price('oracle', 86_399_000)).toBe(86_400);
  expect(price('oracle', HOUR_MS)).toBe(3_601);
  expect(price('oracle', HOUR_MS + 30_000)).toBe(3_601);
  // The average at the end of the first hour covers the prices 3541 to 3600.
  expect(price('twap', HOUR_MS)).toBe(3_571);
  expect(price('twap', 23 * HOUR_MS)).toBe(82_771);
  expect(price('twap', 30_000)).toBeUndefined();
  expect(prices.hasGap('BTC', 'oracle', START_MS, START_MS + 24 * HOUR_MS)).toBe(false);
  const span = { fromMs: START_MS, toMs: START_MS + 24 * HOUR_MS, max: 100_000 };
  const times = prices.history('BTC', 'twap', span).map(({ atMs }) => atMs);
  expect(times).toEqual([...new Set(times)].sort((a, b) => a - b));
  expect(times[0]).toBe(START_MS + 60_000);
  expect(times.at(-1)).toBe(START_MS + 24 * HOUR_MS);
});
