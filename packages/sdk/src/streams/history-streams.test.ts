import { afterEach, expect, test, vi } from 'vitest';
import { createClient } from '../client.ts';
import { FakeStreams } from '@oddlot/testing/sdk/fake-streams';

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

const USER = `0x${'ab'.repeat(20)}`;

test('fills, orders, blocks and requests have streams like any other channel', async () => {
  const server = await FakeStreams.start();
  stops.push(() => server.stop());
  const client = createClient({ url: `http://127.0.0.1:${server.port}` });
  stops.push(() => client.close());
  const { streams } = client;
  const seen: unknown[] = [];
  const record = (event: { readonly type: string; readonly data?: unknown }): void => {
    if (event.type === 'data') seen.push(event.data);
  };
  await streams.userFills({ user: USER, accountType: ['outcome'] }, record).ready;
  await streams.userHistoricalOrders({ user: USER }, record).ready;
  await streams.explorerBlock({}, record).ready;
  await streams.explorerTxs({}, record).ready;
  expect(server.controls.map(({ subscription }) => subscription)).toEqual([
    { type: 'userFills', user: USER, accountType: ['outcome'] },
    { type: 'userHistoricalOrders', user: USER },
    { type: 'explorerBlock' },
    { type: 'explorerTxs' },
  ]);
  server.publish('a row');
  await vi.waitFor(() => expect(seen).toEqual(['a row', 'a row', 'a row', 'a row']), {
    timeout: 60_000,
  });
});
