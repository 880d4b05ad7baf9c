import { afterEach, expect, test } from 'vitest';
import { createClient, type Client } from '../client.ts';
import { ValidationError } from '../errors.ts';
import { FakeVenue, type Answer } from '@oddlot/testing/sdk/fake-venue';

const USER = `0x${'ab'.repeat(20)}`;

const running: FakeVenue[] = [];
afterEach(async () => {
  for (const venue of running.splice(0)) await venue.stop();
});

async function aVenue(...script: Answer[]): Promise<FakeVenue> {
  const venue = await FakeVenue.start(...script);
  running.push(venue);
  return venue;
}

const answer = (data: unknown): Answer => ({ body: { success: true, code: 0, data } });

type Ask = (info: Client['info']) => Promise<unknown>;
const span = { startTime: 1000, endTime: 2000 };

const ASKED: readonly (readonly [Ask, object])[] = [
  [(info) => info.outcomeMeta(), { type: 'outcomeMeta' }],
  [
    (info) => info.outcomeMeta({ marketSlugs: ['a'], markets: 'event' }),
    { type: 'outcomeMeta', marketSlugs: ['a'], markets: 'event' },
  ],
  [(info) => info.outcomeEvent({ eventSlug: 'rain' }), { type: 'outcomeMeta', eventSlug: 'rain' }],
  [(info) => info.outcomePositions({ user: USER }), { type: 'outcomePositions', user: USER }],
  [
    (info) => info.clearinghouseState({ user: USER, accountType: 'outcome' }),
    { type: 'clearinghouseState', user: USER, accountType: 'outcome' },
  ],
  [
    (info) => info.outcomeFrontendOpenOrders({ user: USER, instrumentIds: [100_000] }),
    { type: 'outcomeFrontendOpenOrders', user: USER, instrumentIds: [100_000] },
  ],
  [
    (info) => info.outcomeAssetCtxs({ instrumentIds: [100_000] }),
    { type: 'outcomeAssetCtxs', instrumentIds: [100_000] },
  ],
  [
    (info) => info.outcomeProbability({ instrumentIds: [100_000], interval: '1w' }),
    { type: 'outcomeProbability', instrumentIds: [100_000], interval: '1w' },
  ],
  [
    (info) => info.outcomeSeriesTimeline({ seriesSlug: 'btc', limit: 5 }),
    { type: 'outcomeSeriesTimeline', seriesSlug: 'btc', limit: 5 },
  ],
  [
    (info) => info.outcomeResolution({ instrumentId: 100_000 }),
    { type: 'outcomeResolution', instrumentId: 100_000 },
  ],
  [
    (info) => info.cryptoPrice({ symbol: 'BTC', source: 'twap' }),
    { type: 'cryptoPrice', symbol: 'BTC', source: 'twap' },
  ],
  [
    (info) => info.cryptoPriceHistory({ symbol: 'BTC', ...span }),
    { type: 'cryptoPriceHistory', symbol: 'BTC', ...span },
  ],
  [
    (info) => info.candleSnapshot({ coin: '100000', interval: '1m', ...span }),
    { type: 'candleSnapshot', req: { coin: '100000', interval: '1m', ...span } },
  ],
];

test.each(ASKED.map(([ask, request]) => [request, ask] as const))(
  'the outcome query %j is sent as written',
  async (request, ask) => {
    const venue = await aVenue(answer({ asked: true }));
    await expect(ask(createClient({ url: venue.url }).info)).resolves.toEqual({ asked: true });
    expect(JSON.parse(venue.received[0]!.text)).toEqual(request);
  },
);

test('a query that the venue would reject is not sent', async () => {
  const venue = await aVenue(answer([]));
  const { info } = createClient({ url: venue.url });
  await expect(info.outcomeAssetCtxs({ instrumentIds: [] })).rejects.toThrow(ValidationError);
  const unsorted = info.outcomeMeta({ sortBy: 'alphabet' as never });
  await expect(unsorted).rejects.toThrow('Wrong type for sortBy');
  expect(venue.received).toEqual([]);
});

test('outcomeEvents requests the next page only when its events are needed', async () => {
  const page = (next_cursor: string | null, ...slugs: string[]): Answer =>
    answer({ events: slugs.map((slug) => ({ slug })), next_cursor });
  const script = [page('one', 'a', 'b'), page('two'), page(null, 'c')];
  const venue = await aVenue(...script, ...script);
  const { info } = createClient({ url: venue.url });
  const slugs: string[] = [];
  for await (const { slug } of info.outcomeEvents({ sortBy: 'newest', limit: 2 })) slugs.push(slug);
  expect(slugs).toEqual(['a', 'b', 'c']);
  const asked = { type: 'outcomeMeta', sortBy: 'newest', limit: 2 };
  expect(venue.received.map(({ text }) => JSON.parse(text))).toEqual([
    asked,
    { ...asked, cursor: 'one' },
    { ...asked, cursor: 'two' },
  ]);
  for await (const { slug } of info.outcomeEvents()) if (slug === 'b') break;
  expect(venue.received).toHaveLength(4);
});
