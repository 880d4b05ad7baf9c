import { afterEach, describe, expect, test } from 'vitest';
import {
  ApiError,
  type Client,
  type ClientOptions,
  createClient,
  limitOrder,
  privateKeyWallet,
  randomPrivateKey,
} from '@oddlot/sdk';
import { aSharedVenue, aVenue, type World } from '../support/actors.ts';
import type { Json } from '../support/client.ts';

/** With `transport: 'socket'`, the SDK executes each action once, even if the socket fails. */

const confirm = { confirm: 'executed' } as const;

const clients: Client[] = [];
afterEach(() => {
  for (const client of clients.splice(0)) client.close();
});

type Wire = {
  /** The paths of the HTTP requests sent. */
  readonly fetched: string[];
  /** The post frames sent. */
  readonly posted: string[];
  /** The number of upcoming answers to drop, along with their connections. */
  answersLost: number;
  /** The number of upcoming posts to drop, along with their connections. */
  postsLost: number;
};

/** Returns a funded client with an open socket, and a record of its subsequent requests. */
async function aClient(world: World, options: Partial<ClientOptions> = {}) {
  const wire: Wire = { fetched: [], posted: [], answersLost: 0, postsLost: 0 };
  const wallet = privateKeyWallet(randomPrivateKey());
  const client = createClient({
    url: world.venue.url,
    network: 'testnet',
    wallet,
    transport: 'socket',
    backoff: { baseMs: 10, maxMs: 50, random: () => 0.5 },
    fetch: (url, init) => {
      wire.fetched.push(new URL(url).pathname);
      return fetch(url, init);
    },
    openSocket: (url) => withFaults(new WebSocket(url), wire),
    ...options,
  });
  clients.push(client);
  await client.faucet({ user: wallet.address });
  await client.info.settings();
  await expect.poll(() => client.streams.statuses.ws, { timeout: 60_000 }).toBe('open');
  wire.fetched.length = 0;
  wire.posted.length = 0;
  return { client, wallet, wire };
}

function withFaults(socket: WebSocket, wire: Wire): ReturnType<ClientOptions['openSocket'] & {}> {
  return {
    send(text) {
      if (!text.includes('"post"')) return socket.send(text);
      wire.posted.push(text);
      if (wire.postsLost === 0) return socket.send(text);
      wire.postsLost -= 1;
      socket.close();
    },
    close: () => socket.close(),
    addEventListener(type, listener) {
      socket.addEventListener(type, (event) => {
        const { data } = event as { data?: unknown };
        if (wire.answersLost > 0 && String(data).includes('"channel":"post"')) {
          wire.answersLost -= 1;
          socket.close();
          return;
        }
        listener({ data });
      });
    },
  };
}

describe('the SDK sends requests over the socket', () => {
  const world = aSharedVenue();
  const order = () => {
    const { btc } = world;
    const entry = { price: btc.at(-2000), size: btc.worth(20), tif: 'Gtc' } as const;
    return { orders: [limitOrder({ asset: btc.id, side: 'buy', ...entry })] };
  };
  const openOrders = (user: string): Promise<Json[]> =>
    world.client.data({ type: 'frontendOpenOrders', user });

  test('actions and queries need no HTTP request once the socket is open', async () => {
    const { client, wallet, wire } = await aClient(world);
    const reply = await client.exchange.order(order(), confirm);
    const [resting] = await client.info.frontendOpenOrders({ user: wallet.address });
    expect(reply).toMatchObject({ status: 'executed', orders: [{ oid: resting?.oid }] });
    expect(wire.fetched).toEqual([]);
    expect(wire.posted).toHaveLength(2);
  });

  test("the SDK's streams and requests share one connection", async () => {
    const { client, wallet } = await aClient(world);
    const updates = client.streams.orderUpdates({ user: wallet.address }, () => undefined);
    await updates.ready;
    await client.exchange.order(order(), confirm);
    updates.close();
    expect(client.streams.statuses.ws).toBe('open');
    expect(await client.info.frontendOpenOrders({ user: wallet.address })).toHaveLength(1);
  });

  test.each([1, 2, 3])('R-tx: an order executes once even after %d lost answers', async (lost) => {
    const { client, wallet, wire } = await aClient(world);
    wire.answersLost = lost;
    const reply = await client.exchange.order(order(), confirm);
    expect(wire.posted.length).toBeGreaterThan(0);
    const [resting, ...more] = await openOrders(wallet.address);
    expect(reply).toMatchObject({ status: 'executed', orders: [{ oid: resting?.oid }] });
    expect(more).toEqual([]);
  });

  test('R-tx: an order executes once even after a lost post', async () => {
    const { client, wallet, wire } = await aClient(world);
    wire.postsLost = 1;
    const reply = await client.exchange.order(order(), confirm);
    expect(reply.status).toBe('executed');
    expect(await openOrders(wallet.address)).toHaveLength(1);
    // The SDK sent the same bytes again.
    const signatures = wire.posted.map((text) => /"signature":\{.*?\}/.exec(text)?.[0]);
    expect(new Set(signatures).size).toBe(1);
  });

  test('requests beyond the limit on unanswered posts are sent over HTTP', async () => {
    const { client, wire } = await aClient(world);
    const answers = await Promise.all(Array.from({ length: 120 }, () => client.info.venueStatus()));
    expect(answers).toHaveLength(120);
    expect(wire.posted).toHaveLength(100);
    expect(wire.fetched).toEqual(Array.from({ length: 20 }, () => '/info'));
  });

  test('the SDK throws the same errors for posts as for HTTP requests', async () => {
    const { client, wire } = await aClient(world);
    const [entry] = order().orders;
    const tooSmall = { orders: [{ ...entry!, s: '0.0000000001' }] };
    await expect(client.exchange.order(tooSmall)).rejects.toThrow(ApiError);
    expect(wire.fetched.filter((path) => path === '/exchange')).toEqual([]);
  });

  test('the SDK falls back to HTTP if the venue does not support posts', async () => {
    // /api-ws does not respond to posts, just like /ws in an earlier release.
    const wires: Wire = { fetched: [], posted: [], answersLost: 0, postsLost: 0 };
    const { client, wallet, wire } = await aClient(world, {
      openSocket: (url) => withFaults(new WebSocket(url.replace(/\/ws$/, '/api-ws')), wires),
    });
    const reply = await client.exchange.order(order(), confirm);
    expect(reply.status).toBe('executed');
    expect(wires.posted).toHaveLength(1);
    expect(wire.fetched).toContain('/exchange');
    await client.info.venueStatus();
    expect(wires.posted).toHaveLength(1);
    expect(await openOrders(wallet.address)).toHaveLength(1);
  });
});

describe('the SDK respects the rate limits on posts', () => {
  const world = aVenue(['--oracle', 'still']);

  test('rate limits on posts delay a request just as those on HTTP do', async () => {
    const waits: number[] = [];
    const { client } = await aClient(world, { onRateLimited: (waitMs) => waits.push(waitMs) });
    const queries = Array.from({ length: 90 }, () => client.info.venueStatus());
    expect(await Promise.all(queries)).toHaveLength(90);
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(1000);
  });
});
