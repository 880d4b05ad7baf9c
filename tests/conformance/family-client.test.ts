import { SubscriptionClient, WebSocketTransport } from '@nktkas/hyperliquid';
import { getAddress } from 'viem';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { aVenue } from '../support/actors.ts';
import { eventually, type Json } from '../support/client.ts';

/**
 * A public client library of the family subscribes here unchanged, by the id of an
 * instrument. It finds the answer to what it sent by the echo.
 */

const world = aVenue();
let transport: WebSocketTransport;
let client: SubscriptionClient;

beforeEach(() => {
  transport = new WebSocketTransport({ url: world.venue.streams, timeout: 5000 });
  client = new SubscriptionClient({ transport });
});

afterEach(async () => {
  await transport.close();
});

/** The library hands out only frames whose `coin` is what was asked for; here that is a name. */
async function dataOf(type: string, params: object): Promise<Json[]> {
  const received: Json[] = [];
  await transport.subscribe(type, { type, ...params }, ({ detail }) => received.push(detail));
  return received;
}

test('l2Book answers a client that sends keys of its own with null', async () => {
  const { btc } = world;
  const { coin, name } = btc;
  const book = await client.l2Book({ coin }, () => undefined);
  await book.unsubscribe();
  // Unsubscribed is unsubscribed: the same again is no duplicate.
  await client.l2Book({ coin }, () => undefined);
  const books = await dataOf('l2Book', { coin, nSigFigs: null, mantissa: null });
  const alice = await world.trader('alice');
  const price = btc.at(-500);
  await alice.placed({ market: btc, side: 'buy', price, size: btc.worth(20) });
  await eventually(() =>
    expect(books[0]).toMatchObject({ coin: name, levels: [[{ px: price }], []] }),
  );
});

test('trades and activeAssetCtx answer and deliver', async () => {
  const { btc } = world;
  const { coin, name } = btc;
  await client.trades({ coin }, () => undefined);
  await client.activeAssetCtx({ coin }, () => undefined);
  const [trades, contexts] = [
    await dataOf('trades', { coin }),
    await dataOf('activeAssetCtx', {
      coin,
    }),
  ];
  const [alice, bob] = [await world.trader('alice'), await world.trader('bob')];
  const trade = { market: btc, price: btc.at(0), size: btc.worth(20) };
  await bob.placed({ ...trade, side: 'sell' });
  await alice.placed({ ...trade, side: 'buy' });
  await eventually(() => expect(trades[0]).toMatchObject([{ coin: name, sz: trade.size }]));
  await eventually(() => expect(contexts[0]).toMatchObject({ coin: name }));
});

test('orderUpdates answers whatever the case of the address, and tells of orders', async () => {
  const alice = await world.trader('alice');
  const { btc } = world;
  const rows: Json[] = [];
  const subscription = await client.orderUpdates({ user: getAddress(alice.address) }, (data) =>
    rows.push(...data),
  );
  const placed = { market: btc, side: 'buy', price: btc.at(-500), size: btc.worth(20) } as const;
  const { oid } = await alice.placed(placed);
  await eventually(() => expect(rows[0]).toMatchObject({ order: { oid }, status: 'open' }));
  await subscription.unsubscribe();
});
