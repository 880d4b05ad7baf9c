import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { inDirectory } from '@oddlot/testing/host';
import {
  createClient,
  limitOrder,
  privateKeyWallet,
  randomPrivateKey,
  type Client,
  type StreamEvent,
} from '@oddlot/sdk';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  startPostgres,
  type PostgresServer,
} from '../../packages/cluster/src/servers/postgres-server.ts';
import { hasNatsServer } from '../support/venue/nats/has-nats-server.ts';
import { startReplica } from '../support/venue/nats/start-replica.ts';
import { withNatsServer } from '../support/venue/nats/with-nats-server.ts';

/**
 * Tests a client of a venue with two replicas, one of which stops. The client must neither miss a
 * message nor receive one twice.
 */

const nats = withNatsServer();
let postgres: PostgresServer;
beforeAll(async () => {
  if (hasNatsServer) postgres = await startPostgres();
});
afterAll(() => postgres?.stop());

const WAIT = { timeout: 60_000, interval: 100 };

/** Records each channel's events, with the blocks of their rows, in order of arrival. */
function followed(client: Client, user: string) {
  const seen = new Map<string, StreamEvent<unknown>[]>();
  const { streams } = client;
  const noting = (name: string) => {
    const events: StreamEvent<unknown>[] = [];
    seen.set(name, events);
    return (event: StreamEvent<unknown>): void => void events.push(event);
  };
  const subscriptions = [
    streams.trades({ coin: '1' }, noting('trades')),
    streams.orderUpdates({ user }, noting('orderUpdates')),
    streams.explorerTxs({}, noting('explorerTxs')),
    streams.explorerBlock({}, noting('explorerBlock')),
    streams.userFills({ user }, noting('userFills')),
    streams.userHistoricalOrders({ user }, noting('userHistoricalOrders')),
    streams.userNonFundingLedgerUpdates({ user }, noting('userNonFundingLedgerUpdates')),
  ];
  return { seen, ready: Promise.all(subscriptions.map(({ ready }) => ready)) };
}

type Page = {
  readonly data: readonly { readonly order: { readonly oid: number } }[];
  readonly nextCursor: string;
};

const rowsOf = (events: readonly StreamEvent<unknown>[]) =>
  events.flatMap((event) =>
    event.type === 'data' && !event.isSnapshot ? [{ height: event.height, data: event.data }] : [],
  );

describe.skipIf(!hasNatsServer)('a client of two replicas', () => {
  test('a client continues on the other replica when one stops', { timeout: 300_000 }, () =>
    inDirectory(async (folder) => {
      const place = { cluster: randomUUID(), url: nats.urls[0]! };
      const flags = ['--database', await postgres.database()];
      const a = await startReplica({ ...place, name: 'a', data: join(folder, 'a'), flags });
      const b = await startReplica({ ...place, name: 'b', data: join(folder, 'b'), flags });
      const wallet = privateKeyWallet(randomPrivateKey());
      const user = wallet.address;
      const moving = createClient({ url: a.url, replicas: [b.url], network: 'testnet', wallet });
      const steady = createClient({ url: b.url, network: 'testnet', wallet });
      await moving.faucet({ user });
      await expect.poll(() => steady.accountStatus({ user }), WAIT).toMatchObject({});
      const [here, there] = [followed(moving, user), followed(steady, user)];
      await Promise.all([here.ready, there.ready]);
      /** Trades once and returns the trade's block. */
      const trade = async (client: Client): Promise<number> => {
        const { universe } = await client.info.perpMeta();
        const { index: asset } = universe[0]!;
        const { markPx } = await client.info.activeAssetData({ user, coin: String(asset) });
        const price = String(Math.floor(Number(markPx) * 0.98));
        const rest = { asset, side: 'buy', price, size: '0.001' } as const;
        await client.exchange.order({ orders: [limitOrder(rest)] }, { confirm: 'executed' });
        const cancelled = await client.exchange.cancelAll({}, { confirm: 'executed' });
        return 'height' in cancelled ? cancelled.height : 0;
      };
      await trade(moving);
      await trade(steady);
      const orders = { type: 'historicalOrders', user, limit: 1 };
      const page = (await a.info(orders)).body as Page;
      const behind = (await b.info({ ...orders, cursor: page.nextCursor })).body as Page;
      expect(behind.data).toHaveLength(1);
      expect(behind.data[0]!.order.oid).toBeLessThan(page.data[0]!.order.oid);
      const stopped = a.stop();
      // These trades are executed on the other replica while this client reconnects.
      await trade(steady);
      await trade(moving);
      await stopped;
      const last = await trade(moving);
      expect(moving.replicas.current).toBe(b.url);
      // The history lags the most, so a client that has received the last orders has also received
      // all other messages.
      const orderRows = () => rowsOf(there.seen.get('userHistoricalOrders')!);
      await expect.poll(() => orderRows().at(-1)?.height, WAIT).toBe(last);
      expect(orderRows().length).toBeGreaterThan(4);
      for (const [name, events] of there.seen) {
        if (name === 'explorerBlock') continue;
        const isAlike = () => isDeepStrictEqual(rowsOf(here.seen.get(name)!), rowsOf(events));
        await expect.poll(isAlike, WAIT).toBe(true);
        expect(here.seen.get(name)!.filter(({ type }) => type === 'reset')).toEqual([]);
      }
      const heights = rowsOf(here.seen.get('explorerBlock')!).map(({ height }) => height!);
      expect(heights).toEqual(heights.map((_, index) => heights[0]! + index));
      const { replicas } = await steady.info.settings();
      expect(replicas).toBeUndefined();
      moving.close();
      steady.close();
      await b.stop();
    }),
  );

  test('a client receives the addresses of both replicas', () =>
    inDirectory(async (folder) => {
      const place = { cluster: randomUUID(), url: nats.urls[0]! };
      const a = await startReplica({ ...place, name: 'a', data: join(folder, 'a') });
      const b = await startReplica({ ...place, name: 'b', data: join(folder, 'b') });
      const client = createClient({ url: a.url, network: 'testnet' });
      await expect
        .poll(async () => (await client.info.settings()).replicas, WAIT)
        .toEqual([
          { replica: 'a', url: 'http://a.example', height: expect.any(Number) },
          { replica: 'b', url: 'http://b.example', height: expect.any(Number) },
        ]);
      await a.stop();
      await b.stop();
    }));
});
