import { expect, test } from 'vitest';
import { ALICE, BOB, START_MS } from '@oddlot/testing/venue/ws/test-venue';
import { MarketData } from './market-data.ts';
import { FIRST_ID, OutcomeVenue, SERIES } from '@oddlot/testing/venue/outcome-venue';

test('market data restored from a snapshot gives the same results as the original', () => {
  const world = new OutcomeVenue();
  world.venue.apply([{ type: 'registerSeries', series: SERIES }]);
  world.list('rain');
  world.fund(ALICE, BOB);
  const rain = world.markets.catalogue.marketBySlug('rain')!.instrumentId;
  world.mint(ALICE, BOB, 0.6, 100, rain);
  for (let second = 0; second < 130; second++) world.price(100 + second);
  world.mint(ALICE, BOB, 0.3, 10, FIRST_ID);
  world.resolve(0.5, rain);

  const restored = new MarketData(() => world.venue.state);
  const dumps = new Map(world.markets.projections.map((each) => [each.name, each.dump()]));
  expect(dumps.size).toBe(7);
  for (const projection of restored.projections) {
    const data = JSON.stringify(dumps.get(projection.name));
    projection.restore(JSON.parse(data), projection.version);
  }
  world.venue.onBlock((block) => restored.onBlock(block));
  for (let second = 0; second < 60; second++) world.price(300 + second);
  world.mint(ALICE, BOB, 0.4, 10, FIRST_ID);

  const again = new OutcomeVenue();
  Object.assign(again, { venue: world.venue, markets: restored });
  const questions: [string, object][] = [
    ['outcomeMeta', { status: 'all' }],
    ['outcomeMeta', { status: 'all', sortBy: 'trending' }],
    ['outcomeProbability', { instrumentIds: [rain, FIRST_ID], interval: '1h' }],
    ['candleSnapshot', { coin: String(FIRST_ID), interval: '1m', startTime: 0 }],
    ['outcomeResolution', { instrumentId: rain }],
    ['outcomeSeriesTimeline', { seriesSlug: 'btc-15m' }],
    ['cryptoPrice', { symbol: 'BTC', eventStartTime: START_MS + 60_000, source: 'twap' }],
    ['cryptoPriceHistory', { symbol: 'BTC', startTime: 0, endTime: world.nowMs }],
  ];
  for (const [type, fields] of questions) {
    expect(again.data(type, fields), type).toEqual(world.data(type, fields));
  }
});
