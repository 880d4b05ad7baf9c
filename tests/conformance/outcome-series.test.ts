import { expect, test } from 'vitest';
import { aVenue } from '../support/actors.ts';
import { eventually, type Json } from '../support/client.ts';
import { Deployer, newSlug, seriesFields } from '../support/deployer.ts';
import { OUTCOMES } from '../support/outcomes.ts';
import { succeeded } from '../support/perps.ts';
import type { JsonObject } from '../support/wallet.ts';

/**
 * The venue's time is held in the middle of a quarter hour, so that the test and the venue agree on
 * the current round. It is the previous quarter hour because nonces come from the machine's clock,
 * which must not be behind the venue's clock.
 */

const QUARTER_MS = 900_000;
const RUNNING_MS = (Math.floor(Date.now() / QUARTER_MS) - 1) * QUARTER_MS;

const world = aVenue(OUTCOMES, { isHeld: true, startMs: RUNNING_MS + QUARTER_MS / 2 });
const deployer = new Deployer(world);

const running = (changes: JsonObject = {}): JsonObject =>
  seriesFields({ firstStartTime: RUNNING_MS, ...changes });
const metaOf = async (fields: object): Promise<Json> =>
  world.client.data({ type: 'outcomeMeta', ...fields });
const timelineOf = async (seriesSlug: string): Promise<Json> =>
  world.client.data({ type: 'outcomeSeriesTimeline', seriesSlug });

test('a series lists its next markets automatically, one per event, each with its own name', async () => {
  const fields = running({ listAhead: 3 });
  const { slug, firstStartTime } = fields as { slug: string; firstStartTime: number };
  expect(succeeded(await deployer.send({ registerSeries: fields })).created).toEqual({
    seriesSlug: slug,
  });
  const timeline = await eventually(async () => {
    const answer = await timelineOf(slug);
    expect(answer.items).toHaveLength(4);
    return answer;
  });
  const starts = timeline.items.map((item: Json) => item.startTime);
  expect(starts).toEqual([3, 2, 1, 0].map((at) => firstStartTime + at * QUARTER_MS));
  const marketSlug = `${slug}-${firstStartTime / 1_000}`;
  expect(timeline).toMatchObject({
    seriesSlug: slug,
    title: 'Up or down',
    underlying: 'BTC',
    recurrence: '15m',
    hasMore: false,
    current: {
      marketSlug,
      endTime: firstStartTime + QUARTER_MS,
      openPrice: null,
      closePrice: null,
      resolutionStatus: 'prepared',
      winningOutcome: null,
    },
  });
  const event = await metaOf({ eventSlug: timeline.current.eventSlug });
  expect(event).toMatchObject({ series_slug: slug, status: 'open' });
  expect(event.markets).toMatchObject([
    {
      slug: marketSlug,
      outcomes: ['Up', 'Down'],
      phase: 'open',
      trading: { order_delay_ms: 250 },
      underlying: { symbol: 'BTC', price_to_beat: null },
    },
  ]);
});

test('R-series: a market that has no prices before its start reports this before the first trade', async () => {
  // The first market in the series is already open, and its symbol has no price.
  const fields = running({ symbol: 'NEVER', listAhead: 1 });
  succeeded(await deployer.send({ registerSeries: fields }));
  const { current, items } = await timelineOf(String(fields['slug']));
  expect(current).toMatchObject({
    openPrice: null,
    strikeStatus: 'missing',
    decidedBy: 'operator',
  });
  expect(items[0]).toMatchObject({ strikeStatus: 'pending', decidedBy: 'series' });
  const event = await metaOf({ eventSlug: current.eventSlug });
  expect(event.markets).toMatchObject([
    {
      phase: 'open',
      underlying: { symbol: 'NEVER', price_to_beat: null, strike_status: 'missing' },
      settlement: { resolution_status: 'prepared', decided_by: 'operator' },
    },
  ]);
  const socket = await world.socket('/api-ws');
  const instrumentIds = items.map(({ instrumentId }: Json) => instrumentId);
  await socket.subscribe({ type: 'tickers', instrumentIds });
  const { data } = await socket.next((frame) => frame.channel === 'tickers');
  expect(data.tickers.map(({ strikeStatus }: Json) => strikeStatus).toSorted()).toEqual([
    'missing',
    'pending',
  ]);
  expect(world.venue.stderr).toContain(`"market":"${current.marketSlug}"`);
  expect(world.venue.stderr).toContain('started without a price to beat');
});

test('a new definition applies to future markets, and a disabled series stops listing markets', async () => {
  const fields = running({ listAhead: 1 });
  const slug = String(fields['slug']);
  const countOf = async () => (await timelineOf(slug)).items.length;
  succeeded(await deployer.send({ registerSeries: fields }));
  await eventually(async () => expect(await countOf()).toBe(2));
  succeeded(await deployer.send({ registerSeries: { ...fields, enabled: false, listAhead: 5 } }));
  succeeded(
    await deployer.send({ registerSeries: { ...fields, takerFeeRate: '0', listAhead: 2 } }),
  );
  await eventually(async () => expect(await countOf()).toBe(3));
  const { items } = await timelineOf(slug);
  const marketSlugs = items.map((item: Json) => item.marketSlug);
  const { events } = await metaOf({ marketSlugs, sortBy: 'endingSoon' });
  expect(events.map(({ markets }: Json) => markets[0].taker_fee_rate)).toEqual([
    '0.07',
    '0.07',
    '0',
  ]);
});

test.each<[string, JsonObject]>([
  ['firstStartTime', { firstStartTime: 900_001 }],
  ['recurrence', { recurrence: '5m' }],
  ['listAhead', { listAhead: 0 }],
  ['listAhead', { listAhead: 21 }],
  ['source', { source: 'twap' }],
  ['window', { window: 45 }],
  ['priceTick', { priceTick: '0.03' }],
  ['slug', { slug: newSlug('A') }],
])('registerSeries names the field of an invalid %s', async (field, changes) => {
  const reply = await deployer.send({ registerSeries: running(changes) });
  expect(reply.status, reply.text).toBe(400);
  expect(reply.json.details.field, reply.text).toContain(field);
});

test('a query for an unknown series is rejected', async () => {
  const reply = await world.client.info({ type: 'outcomeSeriesTimeline', seriesSlug: 'none' });
  expect(reply.json).toMatchObject({ code: 10017, message: 'Unknown series: none' });
});
