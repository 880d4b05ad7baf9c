import { afterEach, describe, expect, test, vi } from 'vitest';
import { WebSocket as NodeSocket } from 'ws';
import { createClient } from '../client.ts';
import { SocketError } from '../errors.ts';
import {
  Subscription,
  type StreamContext,
  type StreamListener,
  type StreamOptions,
} from '../streams/subscription.ts';
import { FakeStreams } from '@oddlot/testing/sdk/fake-streams';
import type { OpenSocket, Socket, SocketOptions } from './persistent-socket.ts';
import type { StreamEvent } from './stream.ts';
import { checkedKey } from './checked-key.ts';
import { SocketTransport } from './socket-transport.ts';

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

async function aServer(port?: number): Promise<FakeStreams> {
  const server = await FakeStreams.start(port);
  stops.push(() => server.stop());
  return server;
}

function aSocket(server: FakeStreams, options: Partial<SocketOptions> = {}): SocketTransport {
  const socket = new SocketTransport({
    url: server.url,
    keyOf: checkedKey('ws'),
    backoff: { baseMs: 5, maxMs: 50, random: () => 0.5 },
    ...options,
  });
  stops.push(() => socket.close());
  return socket;
}

const trades = channel('trades');
const l2Book = channel('l2Book');

/** Creates a method that subscribes to a channel, like those of a client. */
function channel(type: string) {
  return (
    context: StreamContext,
    parameters: { readonly coin: string },
    listener?: StreamListener<unknown>,
    options?: StreamOptions,
  ) => new Subscription(context, { type, ...parameters }, { listener, ...options });
}

/**
 * Subscribes to trades and records the events in short form: the data, or the reason for a reset.
 */
async function listen(socket: SocketTransport) {
  const seen: unknown[] = [];
  const events: StreamEvent<unknown>[] = [];
  const subscription = trades({ socket }, { coin: '0' }, (event) => {
    events.push(event);
    seen.push(event.type === 'data' ? event.data : `reset: ${event.reason}`);
  });
  await subscription.ready;
  return { seen, events, subscription };
}

describe('a lost connection is restored without losing events', () => {
  test('a stream on a new connection resumes with the events that it missed', async () => {
    const server = await aServer();
    const { seen, events } = await listen(aSocket(server));
    server.publish('a');
    server.publish('b');
    await vi.waitFor(() => expect(seen).toEqual(['a', 'b']), { timeout: 60_000 });
    server.cut();
    server.lose('c');
    server.lose('d');
    await vi.waitFor(() => expect(seen).toEqual(['a', 'b', 'c', 'd']), { timeout: 60_000 });
    server.publish('e');
    await vi.waitFor(() => expect(seen).toEqual(['a', 'b', 'c', 'd', 'e']), { timeout: 60_000 });
    expect(events.map((event) => event.type === 'data' && event.seq)).toEqual([1, 2, 3, 4, 5]);
    expect(server.controls.at(-1)?.resumeFrom).toEqual({ epoch: 'first', seq: 2 });
  });

  test('if the missed frames are no longer available, the client reports a reset and receives a snapshot', async () => {
    const server = await aServer();
    const { seen, events } = await listen(aSocket(server));
    server.publish('a');
    await vi.waitFor(() => expect(seen).toEqual(['a']), { timeout: 60_000 });
    server.epoch = 'second';
    server.seq = 40;
    server.snapshot = 'all';
    server.cut();
    await vi.waitFor(() => expect(seen).toEqual(['a', 'reset: epoch', 'all']), { timeout: 60_000 });
    expect(events.at(-1)).toMatchObject({ isSnapshot: true, seq: 40 });
    server.publish('b');
    await vi.waitFor(() => expect(seen.at(-1)).toBe('b'), { timeout: 60_000 });
    expect(events.at(-1)).toMatchObject({ isSnapshot: false, seq: 41 });
  });

  test('the connection is retried until the venue is available again', async () => {
    const server = await aServer();
    const statuses: string[] = [];
    const onStatus = (status: string) => statuses.push(status);
    const { seen } = await listen(aSocket(server, { onStatus }));
    server.publish('a');
    await vi.waitFor(() => expect(seen).toEqual(['a']), { timeout: 60_000 });
    await server.stop();
    await vi.waitFor(
      () => expect(statuses.filter((status) => status === 'waiting').length).toBeGreaterThan(2),
      { timeout: 60_000 },
    );
    const next = await aServer(server.port);
    next.seq = 1;
    next.lose('b');
    await vi.waitFor(() => expect(seen).toEqual(['a', 'b']), { timeout: 60_000 });
    expect(statuses.slice(0, 3)).toEqual(['connecting', 'open', 'waiting']);
    expect(statuses.at(-1)).toBe('open');
  });

  test('a stream that was never confirmed subscribes without a position from which to resume', async () => {
    const server = await aServer();
    server.isSilent = true;
    const socket = aSocket(server);
    const subscription = trades({ socket }, { coin: '0' });
    await vi.waitFor(() => expect(server.controls.length).toBe(1), { timeout: 60_000 });
    server.isSilent = false;
    server.cut();
    await subscription.ready;
    expect(server.controls.map(({ resumeFrom }) => resumeFrom)).toEqual([undefined, undefined]);
  });

  test('a stream that lost its snapshot subscribes without a position from which to resume', async () => {
    const server = await aServer();
    const seen: unknown[] = [];
    const book = l2Book({ socket: aSocket(server) }, { coin: '0' }, (event) => {
      if (event.type === 'data') seen.push([event.isSnapshot, event.data]);
    });
    await book.ready;
    server.snapshot = 'all';
    server.cut();
    await vi.waitFor(() => expect(seen).toEqual([[true, 'all']]), { timeout: 60_000 });
    expect(server.controls.map(({ resumeFrom }) => resumeFrom)).toEqual([undefined, undefined]);
    server.cut();
    await vi.waitFor(() => expect(server.controls.length).toBe(3), { timeout: 60_000 });
    expect(server.controls[2]?.resumeFrom).toEqual({ epoch: 'first', seq: 0 });
  });

  test('a connection that receives no frames is detected and replaced', async () => {
    const server = await aServer();
    const { seen } = await listen(aSocket(server, { pingMs: 20, silentMsMax: 2_000 }));
    await vi.waitFor(() => expect(server.pings).toBeGreaterThan(2), { timeout: 60_000 });
    expect(server.connectionCount).toBe(1);
    server.isSilent = true;
    await vi.waitFor(() => expect(server.connectionCount).toBeGreaterThan(1), { timeout: 60_000 });
    server.isSilent = false;
    server.lose('a');
    await vi.waitFor(() => expect(seen).toEqual(['a']), { timeout: 60_000 });
  });
});

test('a late listener does not get a state from before a reset', async () => {
  const server = await aServer();
  server.snapshot = 'before';
  const socket = aSocket(server);
  const first = l2Book({ socket }, { coin: '0' });
  await first.next();
  Object.assign(server, { epoch: 'second', snapshot: undefined });
  server.cut();
  expect((await first.next()).value).toEqual({ type: 'reset', reason: 'epoch' });
  const later = l2Book({ socket }, { coin: '0' });
  server.publish('after');
  expect((await later.next()).value).toMatchObject({ data: 'after' });
});

describe('a gap in the sequence of frames is closed', () => {
  test('after a gap, the client resubscribes from the last complete frame', async () => {
    const server = await aServer();
    const { seen } = await listen(aSocket(server));
    server.publish('a');
    server.lose('b');
    server.publish('c');
    server.publish('d');
    await vi.waitFor(() => expect(seen).toEqual(['a', 'b', 'c', 'd']), { timeout: 60_000 });
    expect(server.connectionCount).toBe(1);
    expect(server.controls.map(({ method }) => method)).toEqual([
      'subscribe',
      'unsubscribe',
      'subscribe',
    ]);
    expect(server.controls.at(-1)?.resumeFrom).toEqual({ epoch: 'first', seq: 1 });
  });
});

test('a repeated frame is reported only once', async () => {
  const server = await aServer();
  const { seen } = await listen(aSocket(server));
  server.publish('a');
  server.seq -= 1;
  server.publish('a');
  server.publish('b');
  await vi.waitFor(() => expect(seen).toEqual(['a', 'b']), { timeout: 60_000 });
});

describe('subscriptions share one connection', () => {
  test('all subscriptions use one connection, and equal ones are sent only once', async () => {
    const server = await aServer();
    server.snapshot = { coin: 'BTC-USDC', time: 1, levels: [[], []] };
    const socket = aSocket(server);
    const first = l2Book({ socket }, { coin: '0' });
    await first.next();
    const second = l2Book({ socket }, { coin: '00' });
    // A late listener of a state channel gets the state immediately.
    expect((await second.next()).value).toMatchObject({ isSnapshot: true, data: server.snapshot });
    await trades({ socket }, { coin: '0' }).ready;
    expect(server.connectionCount).toBe(1);
    expect(server.controls.length).toBe(2);
    first.close();
    second.close();
    await vi.waitFor(() => expect(server.controls.at(-1)?.method).toBe('unsubscribe'), {
      timeout: 60_000,
    });
    expect(server.controls.length).toBe(3);
  });

  test('many subscriptions are sent without exceeding the frame rate of the venue', async () => {
    const server = await aServer();
    const socket = aSocket(server);
    const subscriptions = Array.from({ length: 30 }, (_, coin) =>
      trades({ socket }, { coin: String(coin) }),
    );
    await vi.waitFor(() => expect(server.controls.length).toBe(20), { timeout: 60_000 });
    await Promise.all(subscriptions.map(({ ready }) => ready));
    expect(server.controls.length).toBe(30);
  });

  test('the connection closes when there are no listeners, and opens again for a new one', async () => {
    const server = await aServer();
    const socket = aSocket(server, { lingerMs: 20 });
    const { subscription } = await listen(socket);
    subscription.close();
    await vi.waitFor(() => expect(socket.status).toBe('idle'), { timeout: 60_000 });
    const { seen } = await listen(socket);
    server.publish('a');
    await vi.waitFor(() => expect(seen).toEqual(['a']), { timeout: 60_000 });
    expect(server.connectionCount).toBe(2);
    expect(server.controls.at(-1)?.resumeFrom).toBeUndefined();
  });
});

describe('a refused subscription is retried only if it can succeed later', () => {
  const backoff = { baseMs: 100, maxMs: 1_000, random: () => 1 };

  test("a refused subscription rejects, and its loop throws the venue's reason", async () => {
    const server = await aServer();
    server.refusal = { code: 'INVALID_PARAMS', message: 'Instrument not found' };
    const socket = aSocket(server);
    const errors: SocketError[] = [];
    const subscription = trades({ socket }, { coin: '9' }, undefined, {
      onError: (error) => errors.push(error),
    });
    await expect(subscription.ready).rejects.toMatchObject({ code: 'INVALID_PARAMS' });
    await expect(subscription.next()).rejects.toThrow('Instrument not found');
    expect(errors.length).toBe(1);
  });

  test('a subscribe frame that exceeded the frame rate is sent again', async () => {
    const server = await aServer();
    server.refusal = { code: 'RISK_RATE_LIMITED', message: 'rate limit exceeded' };
    const subscription = trades({ socket: aSocket(server) }, { coin: '0' });
    await vi.waitFor(() => expect(server.controls.length).toBe(2), { timeout: 60_000 });
    server.refusal = undefined;
    await subscription.ready;
  });

  test('an existing subscription is retried if the venue cannot serve it after a reconnect', async () => {
    const server = await aServer();
    const socket = aSocket(server);
    server.refusal = { code: 'INTERNAL', message: 'no answer' };
    await expect(trades({ socket }, { coin: '1' }).ready).rejects.toThrow('no answer');
    server.refusal = undefined;
    const { seen } = await listen(socket);
    server.refusal = { code: 'INTERNAL', message: 'no answer' };
    const before = server.controls.length;
    server.cut();
    await vi.waitFor(() => expect(server.controls.length).toBeGreaterThan(before + 1), {
      timeout: 60_000,
    });
    server.refusal = undefined;
    await vi.waitFor(
      () => {
        server.publish('a');
        expect(seen).toContain('a');
      },
      { timeout: 60_000 },
    );
  });

  test('a subscription that the venue cannot serve yet is retried at growing intervals', async () => {
    const startMs = performance.now();
    const server = await aServer();
    server.refusal = { code: 'INTERNAL', message: 'History is at block 7', retryAfterMs: 500 };
    const subscription = trades({ socket: aSocket(server, { backoff }) }, { coin: '0' });
    await vi.waitFor(() => expect(server.controls.length).toBe(3), { timeout: 60_000 });
    server.refusal = undefined;
    await subscription.ready;
    expect(server.controls.length).toBe(4);
    // The delays are 100, 200 and 400 ms, but timers can be slightly early.
    expect(performance.now() - startMs).toBeGreaterThan(650);
  });

  test('a closed subscription is not retried', async () => {
    const server = await aServer();
    server.refusal = { code: 'INTERNAL', message: 'History is at block 7', retryAfterMs: 500 };
    const socket = aSocket(server, { backoff, lingerMs: 10 });
    const subscription = trades({ socket }, { coin: '0' });
    await vi.waitFor(() => expect(server.controls.length).toBe(1), { timeout: 60_000 });
    subscription.close();
    await vi.waitFor(() => expect(socket.status).toBe('idle'), { timeout: 60_000 });
    expect(server.controls.filter(({ method }) => method === 'subscribe').length).toBe(1);
  });

  test('a subscription with malformed parameters is not sent', async () => {
    const server = await aServer();
    const socket = aSocket(server);
    expect(() => trades({ socket }, { coin: 'BTC' })).toThrow(SocketError);
    expect(server.connectionCount).toBe(0);
  });
});

describe('a subscription can be read in a loop', () => {
  test('leaving the loop closes the subscription', async () => {
    const server = await aServer();
    const socket = aSocket(server, { lingerMs: 10 });
    const subscription = trades({ socket }, { coin: '0' });
    await subscription.ready;
    for (const data of ['a', 'b', 'c']) server.publish(data);
    const seen: unknown[] = [];
    for await (const event of subscription) {
      if (event.type === 'data') seen.push(event.data);
      if (seen.length === 2) break;
    }
    expect(seen).toEqual(['a', 'b']);
    expect(await subscription.next()).toEqual({ done: true, value: undefined });
    await vi.waitFor(() => expect(socket.status).toBe('idle'), { timeout: 60_000 });
  });

  test('closing the client ends the loop', async () => {
    const server = await aServer();
    const socket = aSocket(server);
    const subscription = trades({ socket }, { coin: '0' });
    await subscription.ready;
    const waiting = subscription.next();
    socket.close();
    expect(await waiting).toEqual({ done: true, value: undefined });
    expect(() => trades({ socket }, { coin: '0' })).toThrow('closed');
  });

  test('a loop that falls far behind ends with an error instead of skipping events', async () => {
    const server = await aServer();
    const subscription = trades({ socket: aSocket(server) }, { coin: '0' });
    await subscription.ready;
    for (let count = 0; count <= 10_000; count++) server.publish(count);
    await vi.waitFor(() => expect(server.controls.at(-1)?.method).toBe('unsubscribe'), {
      timeout: 60_000,
    });
    let last: unknown;
    const read = async () => {
      for await (const event of subscription) last = event;
    };
    await expect(read()).rejects.toThrow('behind');
    expect(last).toMatchObject({ data: 10_000 });
  });
});

test("the runtime's sockets and those of the ws package behave alike", async () => {
  const server = await aServer();
  const openSocket: OpenSocket = (url) => new NodeSocket(url) as Socket;
  const { seen } = await listen(aSocket(server, { openSocket }));
  server.publish('a');
  server.cut();
  server.lose('b');
  await vi.waitFor(() => expect(seen).toEqual(['a', 'b']), { timeout: 60_000 });
});

test("a client derives the stream URLs from the venue's URL", async () => {
  const server = await aServer();
  const client = createClient({ url: `http://127.0.0.1:${server.port}/` });
  stops.push(() => client.close());
  const subscription = client.streams.trades({ coin: '0' });
  await subscription.ready;
  expect(client.streams.status).toBe('open');
});
