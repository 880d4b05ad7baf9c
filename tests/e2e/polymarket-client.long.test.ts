import { setTimeout as later } from 'node:timers/promises';
import {
  ConnectionStatus,
  type Message,
  RealTimeDataClient,
} from '@polymarket/real-time-data-client';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { Venue } from '../support/venue-process.ts';

/**
 * Goal: Polymarket's client stays connected to /ws-rtds. The client sends pings only in response to
 * protocol-level pings from the service, which closes idle connections after a minute.
 */

const CONNECTED_MS = 180_000;
/** A price arrives every second, or slightly later on a busy machine. */
const SILENT_MS_MAX = 10_000;

let venue: Venue;
beforeAll(async () => {
  venue = await Venue.start(['--no-bots', '--reference-prices', 'simulated']);
});
afterAll(async () => {
  expect(venue.faults()).toEqual([]);
  await venue.remove();
});

test("Polymarket's client stays connected for three minutes", async () => {
  // The client logs every PONG as an unknown message, so logging is disabled.
  vi.spyOn(console, 'log').mockImplementation(() => undefined);
  const statuses: ConnectionStatus[] = [];
  const prices: { readonly symbol: string; readonly atMs: number }[] = [];
  const client = new RealTimeDataClient({
    host: `${venue.url.replace('http', 'ws')}/ws-rtds`,
    onStatusChange: (status) => statuses.push(status),
    onConnect: (connected) =>
      connected.subscribe({
        subscriptions: [{ topic: 'crypto_prices', type: 'update', filters: '' }],
      }),
    onMessage: (_, { payload }: Message) =>
      prices.push({ symbol: (payload as { symbol: string }).symbol, atMs: Date.now() }),
  }).connect();
  await later(CONNECTED_MS);
  const endMs = Date.now();
  client.disconnect();
  expect(statuses).toEqual([ConnectionStatus.CONNECTING, ConnectionStatus.CONNECTED]);
  const times = prices.filter(({ symbol }) => symbol === 'btcusdt').map(({ atMs }) => atMs);
  const gaps = [...times.slice(1), endMs].map((atMs, at) => atMs - times[at]!);
  expect(Math.max(...gaps)).toBeLessThan(SILENT_MS_MAX);
  expect(times.length).toBeGreaterThan(120);
});
