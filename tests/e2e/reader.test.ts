import { ApiError, createReader, type Reader, SocketError } from '@oddlot/sdk';
import { afterEach, expect, test } from 'vitest';
import { aVenue } from '../support/actors.ts';

/**
 * Tests a read-only client against a real venue. This client has no schemas, so the venue validates
 * the requests.
 */

const world = aVenue();
const readers: Reader[] = [];
afterEach(() => readers.splice(0).forEach((reader) => reader.close()));

function aReader(): Reader {
  const reader = createReader({ url: world.venue.url });
  readers.push(reader);
  return reader;
}

test("a read-only client can send all of a full client's queries", async () => {
  const { universe } = await aReader().info.perpMeta();
  expect(universe.map(({ name }) => name)).toContain('BTC-USDC');
});

test('the venue rejects malformed requests and gives the valid form', async () => {
  const asked = aReader().info.l2Book({ coin: 'BTC' });
  await expect(asked).rejects.toBeInstanceOf(ApiError);
  await expect(asked).rejects.toMatchObject({ details: { field: 'coin' } });
});

test('two listeners of one stream share a subscription', async () => {
  const { streams } = aReader();
  const first = streams.tickers({ accountType: 'perp' });
  const second = streams.tickers({ accountType: 'perp' });
  for (const stream of [first, second]) {
    const { value } = await stream.next();
    expect(value).toMatchObject({ type: 'data', isSnapshot: true });
  }
  expect(streams.statuses).toMatchObject({ 'api-ws': 'open', ws: 'idle' });
});

test('a rejected subscription gives a reason', async () => {
  const { streams } = aReader();
  const refused = streams.l2Book({ coin: '77777' });
  await expect(refused.ready).rejects.toBeInstanceOf(SocketError);
});
