import { afterEach, describe, expect, test, vi } from 'vitest';
import { createClient, type Client, type ClientOptions } from '../client.ts';
import { FakePrices } from '@oddlot/testing/sdk/fake-prices';
import { FakeStreams } from '@oddlot/testing/sdk/fake-streams';
import {
  PersistentSocket,
  type OpenSocket,
  type Socket,
  type SocketOptions,
} from './persistent-socket.ts';

const stops: (() => unknown)[] = [];
afterEach(async () => {
  vi.useRealTimers();
  for (const stop of stops.splice(0).reverse()) await stop();
});

/** A connection whose events the test triggers. */
class Line implements Socket {
  readonly sent: string[] = [];
  isClosed = false;
  #listeners = new Map<string, ((event: { readonly data?: unknown }) => void)[]>();

  send(text: string): void {
    this.sent.push(text);
  }

  close(): void {
    this.isClosed = true;
  }

  addEventListener(type: string, listener: (event: { readonly data?: unknown }) => void): void {
    this.#listeners.set(type, [...(this.#listeners.get(type) ?? []), listener]);
  }

  happens(type: 'open' | 'message' | 'close', data?: unknown): void {
    for (const listener of this.#listeners.get(type) ?? []) listener({ data });
  }
}

/**
 * Creates a socket whose connections open only when the test opens them. It uses fake timers and
 * the production delays.
 */
function aSocket(options: Partial<SocketOptions> = {}) {
  vi.useFakeTimers();
  const lines: Line[] = [];
  const dialedMs: number[] = [];
  const openSocket: OpenSocket = () => {
    dialedMs.push(performance.now());
    lines.push(new Line());
    return lines.at(-1)!;
  };
  const socket = new PersistentSocket(
    { url: 'ws://venue/ws', openSocket, ...options },
    {
      ping: 'ping',
      isNeeded: () => true,
      unansweredMs: () => 0,
      opened: () => undefined,
      received: () => socket.works(),
      disconnected: () => undefined,
    },
  );
  stops.push(() => socket.close());
  const dialed = async (count: number): Promise<Line> => {
    for (let step = 0; lines.length < count && step < 2000; step++) {
      await vi.advanceTimersByTimeAsync(10);
    }
    await vi.advanceTimersByTimeAsync(0);
    return lines[count - 1]!;
  };
  return { socket, lines, dialedMs, dialed };
}

describe('connecting to a venue that is down is retried', () => {
  test('a venue that is down is tried at least every half second, but not constantly', async () => {
    const { socket, dialedMs, dialed } = aSocket();
    socket.need();
    for (let count = 1; count <= 60; count++) (await dialed(count)).happens('close');
    const waits = dialedMs.slice(1).map((ms, index) => ms - dialedMs[index]!);
    expect(Math.max(...waits)).toBeLessThanOrEqual(510);
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(90);
    expect(Math.min(...waits.slice(3))).toBeGreaterThanOrEqual(240);
  });

  test('a venue that closes connections before sending a frame is tried at growing intervals', async () => {
    const { socket, dialedMs, dialed } = aSocket();
    socket.need();
    for (let count = 1; count <= 10; count++) {
      const line = await dialed(count);
      line.happens('open');
      line.happens('close');
    }
    expect(dialedMs.at(-1)! - dialedMs.at(-2)!).toBeGreaterThan(4000);
  });
});

test('nextTryInMs is the time until the next connection attempt', async () => {
  const { socket, dialed } = aSocket({
    backoff: { baseMs: 8_000, maxMs: 8_000, random: () => 1 },
  });
  expect(socket.nextTryInMs).toBeUndefined();
  socket.need();
  const line = await dialed(1);
  expect(socket.nextTryInMs).toBeUndefined();
  line.happens('close');
  expect(socket.nextTryInMs).toBe(8_000);
  await vi.advanceTimersByTimeAsync(3_000);
  expect(socket.nextTryInMs).toBe(5_000);
  await dialed(2);
  expect(socket.nextTryInMs).toBeUndefined();
});

describe('a response from the venue ends delays and replaces stale connections', () => {
  test('a response over HTTP ends the delay before the next attempt', async () => {
    const { socket, lines, dialed } = aSocket({
      backoff: { baseMs: 60_000, maxMs: 60_000, random: () => 1 },
    });
    socket.need();
    (await dialed(1)).happens('close');
    expect(socket.status).toBe('waiting');
    socket.venueIsBack();
    expect(socket.status).toBe('connecting');
    await dialed(2);
    expect(lines.length).toBe(2);
  });

  test('a response over HTTP ends an attempt that hangs, but not one that has just started', async () => {
    const { socket, lines, dialed } = aSocket();
    socket.need();
    await dialed(1);
    socket.venueIsBack();
    expect(lines.length).toBe(1);
    await vi.advanceTimersByTimeAsync(1100);
    socket.venueIsBack();
    await dialed(2);
    expect(lines[0]!.isClosed).toBe(true);
    expect(lines.length).toBe(2);
  });

  test('a response over HTTP replaces a connection that failed silently, and keeps one that responds', async () => {
    const { socket, lines, dialed } = aSocket();
    socket.need();
    const dead = await dialed(1);
    dead.happens('open');
    await vi.advanceTimersByTimeAsync(10);
    socket.venueIsBack();
    expect(dead.sent).toEqual(['ping']);
    const alive = await dialed(2);
    alive.happens('open');
    await vi.advanceTimersByTimeAsync(10);
    socket.venueIsBack();
    alive.happens('message', 'pong');
    await vi.advanceTimersByTimeAsync(5000);
    expect(socket.status).toBe('open');
    expect(lines.length).toBe(2);
  });
});

test('a closed socket leaves no timer running and never opens again', async () => {
  const { socket, lines, dialed } = aSocket();
  socket.need();
  const line = await dialed(1);
  // Earlier tests may have left timers running in addition to the one for the unopened connection.
  // The code below is synchronous and sets no other timers.
  const others = vi.getTimerCount() - 1;
  line.happens('open');
  socket.venueIsBack();
  expect(vi.getTimerCount()).toBeGreaterThan(others);
  socket.close();
  socket.release();
  socket.reconnect();
  socket.venueIsBack();
  socket.need();
  line.happens('close');
  expect(vi.getTimerCount()).toBe(others);
  expect(socket.status).toBe('closed');
  expect(lines.length).toBe(1);
});

test('a status listener that throws does not affect the connection', async () => {
  const thrown: unknown[] = [];
  const catchIt = (error: unknown): void => void thrown.push(error);
  const others = process.listeners('uncaughtException');
  process.removeAllListeners('uncaughtException').on('uncaughtException', catchIt);
  stops.push(() => {
    process.removeListener('uncaughtException', catchIt);
    for (const other of others) process.on('uncaughtException', other);
  });
  const { socket, dialed } = aSocket({
    onStatus: (status) => {
      throw new Error(`told ${status}`);
    },
  });
  socket.need();
  const line = await dialed(1);
  line.happens('open');
  expect(socket.status).toBe('open');
  await vi.advanceTimersByTimeAsync(10_000);
  expect(line.sent).toEqual(['ping']);
  vi.useRealTimers();
  await vi.waitFor(() => expect(thrown.map(String)).toContain('Error: told open'), {
    timeout: 60_000,
  });
});

describe('a client reports and restores its connections', () => {
  async function aClient(options: Partial<ClientOptions> = {}): Promise<{
    client: Client;
    streams: FakeStreams;
    prices: FakePrices;
  }> {
    const streams = await FakeStreams.start();
    const prices = await FakePrices.start();
    stops.push(() => Promise.all([streams.stop(), prices.stop()]));
    const openSocket: OpenSocket = (url) =>
      new WebSocket(url.endsWith('/ws-rtds') ? prices.url : url) as Socket;
    const url = `http://127.0.0.1:${streams.port}`;
    const client = createClient({ url, openSocket, ...options });
    stops.push(() => client.close());
    return { client, streams, prices };
  }

  async function subscribeAll({ streams }: Client): Promise<void> {
    await streams.trades({ coin: '0' }, () => undefined).ready;
    await streams.tickers({}, () => undefined).ready;
    await streams.referencePrices(
      { topic: 'crypto_prices_chainlink', symbol: 'btc/usd' },
      () => undefined,
    ).ready;
  }

  test('a client reports the status of each of its three connections', async () => {
    const statuses: string[] = [];
    const onStreamStatus = (status: string, path: string): void =>
      void statuses.push(`${path} ${status}, all ${client.streams.status}`);
    const { client, prices } = await aClient({ onStreamStatus });
    expect(client.streams.status).toBe('idle');
    await client.streams.trades({ coin: '0' }).ready;
    expect(client.streams.statuses).toEqual({ ws: 'open', 'api-ws': 'idle', 'ws-rtds': 'idle' });
    expect(client.streams.status).toBe('open');
    await subscribeAll(client);
    expect(client.streams.statuses).toEqual({ ws: 'open', 'api-ws': 'open', 'ws-rtds': 'open' });
    statuses.length = 0;
    prices.cut();
    // The connection can be restored before the first check.
    await vi.waitFor(() => expect(statuses).toContain('ws-rtds open, all open'), {
      timeout: 60_000,
    });
    expect(statuses.slice(0, 2)).toEqual([
      'ws-rtds waiting, all waiting',
      'ws-rtds connecting, all connecting',
    ]);
    expect(statuses.every((each) => each.startsWith('ws-rtds'))).toBe(true);
    expect(client.streams.statuses).toEqual({ ws: 'open', 'api-ws': 'open', 'ws-rtds': 'open' });
    client.close();
    expect(client.streams.status).toBe('closed');
  });

  test('reconnect replaces all connections, and the streams resume where they left off', async () => {
    const { client, streams, prices } = await aClient();
    streams.snapshot = { tickers: [] };
    await subscribeAll(client);
    client.streams.reconnect();
    expect(client.streams.status).toBe('connecting');
    await vi.waitFor(() => expect(client.streams.status).toBe('open'), { timeout: 60_000 });
    expect([streams.connectionCount, prices.connectionCount]).toEqual([4, 2]);
    await vi.waitFor(() => expect(streams.controls.length).toBe(4), { timeout: 60_000 });
    expect(streams.controls.at(-1)?.resumeFrom).toEqual({ epoch: 'first', seq: 0 });
    client.close();
    expect(() => client.streams.reconnect()).toThrow('closed');
  });

  test('a connection on which every subscription was rejected becomes idle', async () => {
    const { client, streams } = await aClient();
    streams.refusal = { code: 'INVALID_PARAMS', message: 'Instrument not found' };
    await expect(client.streams.trades({ coin: '9' }).ready).rejects.toThrow('not found');
    await vi.waitFor(() => expect(client.streams.status).toBe('idle'), { timeout: 60_000 });
  });
});
