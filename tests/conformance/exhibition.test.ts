import { afterEach, expect, test } from 'vitest';
import { clockEnvironment } from '../fixtures/venue-clock.ts';
import { startAt } from '../fixtures/people.ts';
import { FIXED_PRICE_FLAGS, temporaryData, type Venue } from '../support/venue-process.ts';
import { Client, type Json } from '../support/client.ts';

const MINUTE_MS = 60_000;
const FLAGS = [...FIXED_PRICE_FLAGS, '--no-bots', '--exhibition'];
/** Several series start a new round on this hour. */
const HOUR_MS = Math.ceil(Date.now() / (180 * MINUTE_MS)) * 180 * MINUTE_MS;

let venue: Venue | undefined;
afterEach(async () => {
  await venue?.remove();
  venue = undefined;
});

const clockFrom = (ms: number) => clockEnvironment(`from:${ms}`);

async function openEvents(at: Venue): Promise<Json[]> {
  const query = { type: 'outcomeMeta', status: 'open' };
  return (await new Client(at.url).data(query)).events as Json[];
}

const slugs = (events: readonly Json[]): string[] => events.map(({ slug }) => String(slug)).sort();

test.each([
  ['seconds before the hour', HOUR_MS - 15_000],
  ['as one round ends', HOUR_MS + 13 * MINUTE_MS - 20_000],
])(
  'a venue started %s has open events with minutes left',
  async (_, startMs) => {
    venue = await startAt(await temporaryData(), clockFrom(startMs), FLAGS);
    const events = await openEvents(venue);
    const lasting = events.filter(({ end_time: end }) => Number(end) - startMs > 9 * MINUTE_MS);
    expect(lasting.length).toBeGreaterThanOrEqual(2);
    const markets = lasting.map((event) => (event.markets as Json[]).length);
    expect(Math.min(...markets)).toBe(1);
    expect(lasting.some((event) => event.mutually_exclusive && event.markets.length > 2)).toBe(
      true,
    );
  },
  60_000,
);

test('a restart finds its existing events and does not list any event again', async () => {
  const folder = await temporaryData();
  venue = await startAt(folder, clockFrom(HOUR_MS - 15_000), FLAGS);
  const all = async (at: Venue) =>
    slugs((await new Client(at.url).data({ type: 'outcomeMeta', status: 'all' })).events as Json[]);
  const before = await all(venue);
  await venue.stop();
  venue = await startAt(folder, clockFrom(HOUR_MS + 30_000), FLAGS);
  const after = await all(venue);
  expect(new Set(after).size).toBe(after.length);
  expect(after).toEqual(before);
});
