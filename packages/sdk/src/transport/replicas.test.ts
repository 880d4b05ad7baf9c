import { afterEach, expect, test, vi } from 'vitest';
import { createClient, type Client, type ClientOptions } from '../client.ts';
import { FakeStreams } from '@oddlot/testing/sdk/fake-streams';
import { FakeVenue, type Answer } from '@oddlot/testing/sdk/fake-venue';
import { NonceSource } from '../nonce.ts';
import { privateKeyWallet } from '../wallet.ts';
import type { StreamEvent } from './stream.ts';
import { Replicas } from './http.ts';

const KEY = `0x${'11'.repeat(32)}` as const;
const WAIT = { timeout: 30_000 };
const running: { stop(): Promise<unknown> }[] = [];
const clients: Client[] = [];
afterEach(async () => {
  for (const client of clients.splice(0)) client.close();
  for (const each of running.splice(0)) await each.stop();
});

function clientOf(url: string, options: Partial<ClientOptions>): Client {
  const client = createClient({
    url,
    network: 'testnet',
    wallet: privateKeyWallet(KEY),
    nonces: new NonceSource(() => 1_800_000_000_000),
    backoff: { baseMs: 4, maxMs: 20, random: () => 0.5 },
    ...options,
  });
  clients.push(client);
  return client;
}

const httpOf = (streams: FakeStreams): string => `http://127.0.0.1:${streams.port}`;

async function twoStreams(): Promise<[FakeStreams, FakeStreams]> {
  const both: [FakeStreams, FakeStreams] = [await FakeStreams.start(), await FakeStreams.start()];
  running.push(...both);
  both[1].epoch = 'another';
  return both;
}

test('replicas are used in turn, and a late failure report changes nothing', () => {
  const moves: string[] = [];
  const replicas = new Replicas(['a', 'b', 'c', 'a'], (url) => moves.push(url));
  expect(replicas.all).toEqual(['a', 'b', 'c']);
  expect(replicas.lost('a')).toBe(true);
  expect(replicas.lost('a')).toBe(true);
  expect(replicas.current).toBe('b');
  replicas.lost('b');
  replicas.lost('c');
  expect([replicas.current, moves]).toEqual(['a', ['b', 'c', 'a']]);
  replicas.learn(['c', 'd']);
  expect([replicas.current, replicas.all]).toEqual(['a', ['a', 'c', 'd']]);
  expect(new Replicas(['a']).lost('a')).toBe(false);
});

test('a fact stream resumes after its last block without repeating events', async () => {
  const [first, second] = await twoStreams();
  const client = clientOf(httpOf(first), { replicas: [httpOf(second)] });
  const seen: StreamEvent<unknown>[] = [];
  await client.streams.trades({ coin: '1' }, (event) => void seen.push(event)).ready;
  first.publishAt(7, ['seven']);
  first.publishAt(9, ['nine']);
  for (const [height, text] of [
    [7, 'seven'],
    [9, 'nine'],
    [10, 'ten'],
    [12, 'twelve'],
  ] as const) {
    second.publishAt(height, [text]);
  }
  await vi.waitFor(() => expect(seen.length).toBe(2), WAIT);
  await first.stop();
  running.shift();
  await vi.waitFor(() => expect(seen.length).toBe(4), WAIT);
  // The last block is requested again, because it may have more frames.
  expect(second.controls[0]?.resumeFrom).toEqual({ height: 8 });
  second.publishAt(13, ['thirteen']);
  await vi.waitFor(() => expect(seen.length).toBe(5), WAIT);
  expect(seen).toMatchObject(
    [7, 9, 10, 12, 13].map((height) => ({ type: 'data', height, isSnapshot: false })),
  );
  expect(client.replicas.current).toBe(httpOf(second));
});

test('a stream that received no events resumes after the block of its first response', async () => {
  const [first, second] = await twoStreams();
  first.height = 5;
  const client = clientOf(httpOf(first), { replicas: [httpOf(second)] });
  const seen: StreamEvent<unknown>[] = [];
  await client.streams.trades({ coin: '1' }, (event) => void seen.push(event)).ready;
  second.publishAt(4, ['before']);
  second.publishAt(6, ['six']);
  first.cut();
  await vi.waitFor(() => expect(seen.length).toBe(1), WAIT);
  expect(second.controls[0]?.resumeFrom).toEqual({ height: 5 });
  expect(seen).toMatchObject([{ data: ['six'], height: 6 }]);
});

test('after the venue restarts, a stream resumes by block and not by position', async () => {
  const [venue] = await twoStreams();
  const client = clientOf(httpOf(venue), {});
  const seen: StreamEvent<unknown>[] = [];
  await client.streams.trades({ coin: '1' }, (event) => void seen.push(event)).ready;
  venue.publishAt(7, ['seven']);
  await vi.waitFor(() => expect(seen.length).toBe(1), WAIT);
  venue.epoch = 'next';
  venue.cut();
  venue.publishAt(8, ['eight']);
  await vi.waitFor(() => expect(seen.length).toBe(2), WAIT);
  expect(seen).toMatchObject([{ data: ['seven'] }, { type: 'data', data: ['eight'] }]);
  const asked = venue.controls.filter(({ method }) => method === 'subscribe');
  expect(asked.map(({ resumeFrom }) => resumeFrom)).toEqual([
    undefined,
    { epoch: 'first', seq: 1 },
    { height: 6 },
  ]);
});

test('a failed request is sent to another replica with the same bytes, and reads wait for earlier writes', async () => {
  const found = { body: { success: true, code: 0, data: { universe: [] } } };
  const executed: Answer = {
    body: {
      status: 'ok',
      code: 0,
      confirm: 'executed',
      txHash: '0x00',
      height: 7,
      data: { type: 'CancelAll', data: { statuses: ['success'] } },
    },
  };
  const first = await FakeVenue.start('cut', executed, { status: 503, body: {} });
  const second = await FakeVenue.start('cut', found, found);
  running.push(first, second);
  const moves: string[] = [];
  const onReplica = (url: string): void => void moves.push(url);
  const client = clientOf(first.url, { replicas: [second.url], onReplica });
  await client.exchange.cancelAll();
  const sent = [first, second].flatMap(({ received }) => received.map(({ text }) => text));
  expect(sent.length).toBe(3);
  expect(new Set(sent).size).toBe(1);
  await client.info.perpMeta();
  expect(second.received.slice(1).map(({ text }) => JSON.parse(text))).toEqual([
    { type: 'stateHash', minHeight: 7 },
    expect.objectContaining({ type: 'perpMeta' }),
  ]);
  expect(moves).toEqual([second.url, first.url, second.url]);
});
