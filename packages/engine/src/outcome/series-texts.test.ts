import { timeMs } from '@oddlot/units';
import { expect, test } from 'vitest';
import type { SeriesListing } from '../messages/command.ts';
import { MARKET } from '@oddlot/testing/engine/outcomes';
import { Scenario, START_MS } from '@oddlot/testing/engine/scenario';

const PERIOD_MS = 900_000;
const { maxOrderSize, minOrderSize, orderDelayMs, priceTick, szDecimals, takerFeeE8 } = MARKET;
const SERIES: SeriesListing = {
  slug: 'btc-15m',
  title: 'BTC up or down',
  symbol: 'BTC',
  recurrence: '15m',
  source: 'oracle',
  category: 'crypto',
  tags: [],
  image: null,
  icon: null,
  firstStartMs: timeMs(START_MS),
  listAhead: 20,
  enabled: true,
  windowSeconds: 30,
  note: 'Prices are simulated.',
  maxOrderSize,
  minOrderSize,
  orderDelayMs,
  priceTick,
  szDecimals,
  takerFeeE8,
};

const { events } = Scenario.open({ accounts: [] }).block({
  type: 'registerSeries',
  series: SERIES,
});
const titles = events.flatMap((event) =>
  event.type === 'outcomeEventListed' ? [event.event.title] : [],
);
const markets = events.flatMap((event) =>
  event.type === 'outcomeMarketListed' ? [event.market] : [],
);

test('R-series: all markets of a series have different texts', () => {
  expect(markets).toHaveLength(21);
  for (const texts of [titles, markets.map(({ question }) => question)]) {
    expect(new Set(texts).size).toBe(21);
  }
});

test('R-series: the texts of a market contain its times, its averaging window and the note', () => {
  for (const [index, { description, question }] of markets.entries()) {
    const at = START_MS + index * PERIOD_MS;
    const start = new Date(at).toISOString().slice(11, 16);
    // The end of a day is formatted differently from the start of the next.
    const end = new Date(at + PERIOD_MS).toISOString().slice(11, 16).replace('00:00', '24:00');
    expect(titles[index]).toMatch(new RegExp(`^BTC up or down: .*, ${start}–${end} UTC$`));
    expect(question).toContain(`at ${end} UTC at or above that at ${start} UTC`);
    expect(description).toContain(`BTC at ${end} UTC is at or above its price at ${start} UTC`);
    expect(description).toMatch(/the 30 seconds before that time: .* Prices are simulated\.$/);
  }
});
