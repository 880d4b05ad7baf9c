import { afterEach, expect, test, vi } from 'vitest';
import { createClient, type Client } from '../client.ts';
import { FakeStreams } from '@oddlot/testing/sdk/fake-streams';

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

async function aClient(): Promise<{ server: FakeStreams; client: Client }> {
  const server = await FakeStreams.start();
  stops.push(() => server.stop());
  const client = createClient({ url: `http://127.0.0.1:${server.port}` });
  stops.push(() => client.close());
  return { server, client };
}

const USER = `0x${'ab'.repeat(20)}`;
const row = (time: number) => ({
  time,
  coin: 'SOL-USDC',
  usdc: '-88.91694',
  szi: '1000',
  fundingRate: '0.000493983',
  amount: '-88.91694',
});

test('userFundings sends the newest payments first, and then each new one', async () => {
  const { server, client } = await aClient();
  server.snapshot = { user: USER, isSnapshot: true, fundings: [row(2), row(1)] };
  const times: number[][] = [];
  const subscription = client.streams.userFundings({ user: USER }, (event) => {
    if (event.type === 'data') times.push(event.data.fundings.map(({ time }) => time));
  });
  await subscription.ready;
  expect(server.controls[0]?.subscription).toEqual({ type: 'userFundings', user: USER });
  server.publish({ user: USER, fundings: [row(3)] });
  await vi.waitFor(() => expect(times).toEqual([[2, 1], [3]]), { timeout: 60_000 });
});
