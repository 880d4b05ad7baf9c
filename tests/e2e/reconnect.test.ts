import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createClient, type OrderUpdate, type StreamEvent, type Trade } from '@oddlot/sdk';
import { exact, show } from '../support/exact.ts';
import { freePorts } from '@oddlot/testing/host';
import type { Market } from '../support/market.ts';
import { FIXED_PRICE_FLAGS, Venue } from '../support/venue-process.ts';
import { aMarket, closeClients, limit, trader, type Person } from './test-accounts.ts';

/**
 * Goal: a client never loses data unnoticed in a power cut. Method: the venue is killed and
 * restarted with the same data and port while Alice is subscribed and Bob keeps trading with her.
 */

let port: string;
let venue: Venue;
let alice: Person;
let bob: Person;
let market: Market;

beforeAll(async () => {
  port = String(await freePorts(1));
  venue = await Venue.start([...FIXED_PRICE_FLAGS, '--port', port]);
  alice = await trader(venue, 'alice');
  bob = await trader(venue, 'bob');
  market = await aMarket(venue, alice);
});

afterAll(async () => {
  closeClients();
  await venue?.remove();
});

async function startAgainHere(): Promise<void> {
  await venue.startAgain([...FIXED_PRICE_FLAGS, '--port', port]);
}

/** Computes Alice's state from streams alone, as a trading bot does. */
function watch({ client, address }: Person) {
  const view = {
    resets: 0,
    trades: new Map<number, Trade>(),
    live: new Map<number, OrderUpdate['order']>(),
    position: '',
  };
  const onOrders = (event: StreamEvent<OrderUpdate[]>): void => {
    if (event.type === 'reset' || event.isSnapshot) view.live.clear();
    if (event.type === 'reset') return;
    for (const { order, status } of event.data) {
      if (status === 'open') view.live.set(order.oid, order);
      else view.live.delete(order.oid);
    }
  };
  const subscriptions = [
    client.streams.orderUpdates({ user: address }, onOrders),
    client.streams.trades({ coin: market.coin }, (event) => {
      if (event.type === 'reset') view.resets += 1;
      else for (const trade of event.data) view.trades.set(trade.tid, trade);
    }),
    client.streams.clearinghouseState({ user: address }, (event) => {
      if (event.type === 'reset') return;
      const [held] = event.data.clearinghouseState.assetPositions;
      view.position = held?.position.szi ?? '0';
    }),
  ];
  return { view, ready: Promise.all(subscriptions.map(({ ready }) => ready)) };
}

/**
 * Places orders within a third of a second, and resolves once each order exists exactly once,
 * whichever attempt got a response.
 */
async function placeMany({ address, client }: Person): Promise<void> {
  const { exchange, info } = client;
  const prices = Array.from({ length: 60 }, (_, index) => market.ticks(market.at(-2000), index));
  const place = async (price: string, index: number) => {
    await new Promise((resolve) => setTimeout(resolve, index * 5));
    const order = limit(market, { side: 'buy', price, size: market.worth(15) });
    return exchange.order({ orders: [order] }, { confirm: 'executed' });
  };
  const replies = await Promise.all(prices.map(place));
  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set(['executed']));
  const open = await info.frontendOpenOrders({ user: address });
  expect(open.map(({ limitPx }) => limitPx).sort()).toEqual(prices.toSorted());
  // Each reply names an existing order.
  const placed = replies.flatMap((reply) => (reply.status === 'executed' ? reply.orders : []));
  expect(new Set(placed.map(({ oid }) => oid))).toEqual(new Set(open.map(({ oid }) => oid)));
}

test('after a power cut, streams resume without missing a fill and pending requests execute once', async () => {
  const dave = await trader(venue, 'dave');
  const { view, ready } = watch(alice);
  await ready;
  const size = market.worth(50);
  const price = market.at(0);
  const sell = limit(market, { side: 'sell', price, size });
  const rest = limit(market, { side: 'sell', price: market.at(200), size });
  const orders = [sell, sell, sell, rest];
  await alice.client.exchange.order({ orders }, { confirm: 'executed' });
  const buy = { orders: [limit(market, { side: 'buy', price, size, tif: 'Ioc' as const })] };
  const fills = async (): Promise<void> => {
    const reply = await bob.client.exchange.order(buy, { confirm: 'executed' });
    expect(reply).toMatchObject({ status: 'executed', orders: [{ state: 'filled' }] });
  };

  await fills();
  await vi.waitFor(() => expect(view.trades.size).toBe(1), { timeout: 60_000 });
  const placing = placeMany(dave);
  await new Promise((resolve) => setTimeout(resolve, 150));
  // Bob's second fill is confirmed, and the power cut comes right after it.
  await fills();
  await venue.kill();
  const traded = fills();
  await startAgainHere();
  // The client retried Bob's third order and many of Dave's until the venue was available again.
  await Promise.all([traded, placing]);

  await vi.waitFor(async () => {
    expect(view.resets).toBe(0);
    const position = show(-3n * exact(size));
    expect(view.position).toBe(position);
    const { assetPositions } = await alice.client.info.clearinghouseState({ user: alice.address });
    expect(assetPositions[0]?.position.szi).toBe(position);
    const open = await alice.client.info.frontendOpenOrders({ user: alice.address });
    expect([...view.live.keys()]).toEqual(open.map(({ oid }) => oid));
    expect(open.length).toBe(1);
    expect(view.trades.size).toBe(3);
  }, 60_000);
});

test('after a lost connection, the stream resumes with the frames it missed', async () => {
  const lines: { close(): void }[] = [];
  const carol = await trader(venue, 'carol');
  const listener = createClient({
    url: venue.url,
    backoff: { baseMs: 20, maxMs: 100, random: () => 0.5 },
    openSocket: (url) => {
      const line = new WebSocket(url);
      lines.push(line);
      return line;
    },
  });
  const seen: StreamEvent<OrderUpdate[]>[] = [];
  const updates = listener.streams.orderUpdates({ user: carol.address }, (event) =>
    seen.push(event),
  );
  await updates.ready;
  const prices = [-800, -900, -1000].map((basisPoints) => market.at(basisPoints));
  for (const price of prices) {
    lines.at(-1)?.close();
    const order = limit(market, { side: 'buy', price, size: market.worth(20) });
    await carol.client.exchange.order({ orders: [order] }, { confirm: 'executed' });
  }
  await vi.waitFor(() => expect(seen.length).toBe(3), { timeout: 60_000 });
  const numbers = seen.map((event) => (event.type === 'data' ? event.seq : 0));
  expect(numbers).toEqual(numbers.map((_, index) => numbers[0]! + index));
  expect(seen.flatMap((event) => (event.type === 'data' ? event.data : []))).toMatchObject(
    prices.map((limitPx) => ({ status: 'open', order: { limitPx } })),
  );
  expect(lines.length).toBeGreaterThan(1);
  listener.close();
});

test('the venue serves a hundred lists that are subscribed to right after a power cut', async () => {
  const users = Array.from(
    { length: 25 },
    (_, at) => `0x${(at + 1).toString(16).padStart(40, '0')}`,
  );
  await venue.kill();
  await startAgainHere();
  const listener = createClient({ url: venue.url });
  const { streams } = listener;
  const lists = users.flatMap((user) => [
    streams.userFills({ user }, () => undefined),
    streams.userHistoricalOrders({ user }, () => undefined),
    streams.userNonFundingLedgerUpdates({ user }, () => undefined),
    streams.userFundings({ user }, () => undefined),
  ]);
  await Promise.all(lists.map(({ ready }) => ready));
  listener.close();
});

test("streams on all three paths resume within a second of the venue's start", async () => {
  const { streams } = createClient({ url: venue.url });
  const { info } = createClient({ url: venue.url, retriesMax: 0 });
  const quiet = (): void => undefined;
  const subscriptions = [
    streams.trades({ coin: market.coin }, quiet),
    streams.tickers({ accountType: 'perp' }, quiet),
    streams.referencePrices({ topic: 'crypto_prices_chainlink' }, quiet),
  ];
  await Promise.all(subscriptions.map(({ ready }) => ready));
  expect(streams.statuses).toEqual({ ws: 'open', 'api-ws': 'open', 'ws-rtds': 'open' });
  await venue.kill();
  await vi.waitFor(() => expect(Object.values(streams.statuses)).not.toContain('open'), {
    timeout: 60_000,
  });
  // The pause is long enough that the retry delay would reach several seconds if its doubling had
  // no bound.
  await new Promise((resolve) => setTimeout(resolve, 6000));
  const started = startAgainHere();
  await vi.waitFor(() => info.perpMeta(), { timeout: 60_000, interval: 10 });
  const back = { ws: 'open', 'api-ws': 'open', 'ws-rtds': 'open' };
  await vi.waitFor(() => expect(streams.statuses).toEqual(back), { timeout: 1000, interval: 10 });
  await started;
  streams.close();
  expect(streams.status).toBe('closed');
});
