import { afterEach, expect, test } from 'vitest';
import { createClient, type Client } from '../client.ts';
import { ApiError, ValidationError } from '../errors.ts';
import { FakeVenue, type Answer } from '../testing/fake-venue.ts';

/** Goal: the queries ask what the wire spells. Method: a server that records what it gets. */

const USER = `0x${'ab'.repeat(20)}`;

const running: FakeVenue[] = [];
afterEach(async () => {
  for (const venue of running.splice(0)) await venue.stop();
});

async function aVenue(answer: Answer): Promise<FakeVenue> {
  const venue = await FakeVenue.start(answer);
  running.push(venue);
  return venue;
}

test.each<[string, (info: Client['info']) => Promise<unknown>, object]>([
  ['triggerOrders', (info) => info.triggerOrders({ user: USER, asset: '1' }), { asset: '1' }],
  ['feeTierRates', (info) => info.feeTierRates({ user: USER }), {}],
  [
    'userNonFundingLedgerUpdates',
    (info) => info.userNonFundingLedgerUpdates({ user: USER, accountTypes: ['perp'], limit: 5 }),
    { accountTypes: ['perp'], limit: 5 },
  ],
])('%s', async (type, ask, rest) => {
  const data = [{ type }];
  const venue = await aVenue({ body: { success: true, code: 0, data } });
  await expect(ask(createClient({ url: venue.url }).info)).resolves.toEqual(data);
  const { path, text } = venue.received[0]!;
  expect(path).toBe('/info');
  expect(JSON.parse(text)).toEqual({ type, user: USER, ...rest });
});

test('a page that cannot be is not asked for', async () => {
  const venue = await aVenue({ body: { success: true, code: 0, data: [] } });
  const { info } = createClient({ url: venue.url });
  const failed = info.userNonFundingLedgerUpdates({ user: USER, limit: 0 });
  await expect(failed).rejects.toThrow(ValidationError);
  expect(venue.received).toEqual([]);
});

test('a refusal is thrown with its name', async () => {
  const body = { success: false, code: 10_404, name: 'NOT_FOUND', message: 'Instrument not found' };
  const venue = await aVenue({ body });
  const failed = createClient({ url: venue.url }).info.feeTierRates({ user: USER });
  await expect(failed).rejects.toThrow(ApiError);
  await expect(failed).rejects.toMatchObject({ name: 'NOT_FOUND' });
});
