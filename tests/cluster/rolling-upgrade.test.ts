import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { freePorts, inDirectory } from '@oddlot/testing/host';
import { createClient, limitOrder, privateKeyWallet, randomPrivateKey } from '@oddlot/sdk';
import { describe, expect, test } from 'vitest';
import { hasNatsServer } from '../support/venue/nats/has-nats-server.ts';
import { startReplica } from '../support/venue/nats/start-replica.ts';
import { withNatsServer } from '../support/venue/nats/with-nats-server.ts';

/**
 * Replaces the replicas one by one under load, as when a release with the same rules version is
 * installed.
 */

const nats = withNatsServer();

describe.skipIf(!hasNatsServer)('an upgrade of all replicas', () => {
  test(
    'upgrading all replicas rejects no request and executes each one once',
    { timeout: 300_000 },
    () =>
      inDirectory(async (folder) => {
        const place = { cluster: randomUUID(), url: nats.urls[0]! };
        const port = await freePorts(2);
        const urls = [port, port + 1].map((each) => `http://127.0.0.1:${each}`);
        /** Starts a process on a machine, with the previous process's folder, name and address. */
        const start = (machine: 0 | 1) =>
          startReplica({
            ...place,
            name: `machine-${machine}`,
            data: join(folder, String(machine)),
            flags: ['--port', String(port + machine), '--public-url', urls[machine]!],
          });
        const replicas = [await start(0), await start(1)];
        const wallet = privateKeyWallet(randomPrivateKey());
        const user = wallet.address;
        const client = createClient({ url: urls[0]!, replicas: urls, network: 'testnet', wallet });
        await client.faucet({ user });
        const { universe } = await client.info.perpMeta();
        const { index: asset } = universe[0]!;
        const { markPx } = await client.info.activeAssetData({ user, coin: String(asset) });
        const price = String(Math.floor(Number(markPx) * 0.98));
        const order = limitOrder({ asset, side: 'buy', price, size: '0.001' });

        const executed = { confirm: 'executed' } as const;
        const placed: number[] = [];
        const over = new AbortController();
        const trading = (async () => {
          while (!over.signal.aborted) {
            const reply = await client.exchange.order({ orders: [order] }, executed);
            const [result] = reply.status === 'executed' ? reply.orders : [];
            if (result?.state !== 'open') throw new Error(`refused: ${JSON.stringify(reply)}`);
            placed.push(result.oid!);
            await client.exchange.cancel({ cancels: [{ a: asset, o: result.oid! }] }, executed);
          }
        })();
        let failure: unknown;
        trading.catch((error: unknown) => (failure = error));
        const more = async () => {
          const enough = placed.length + 4;
          const isEnough = () => failure !== undefined || placed.length >= enough;
          await expect.poll(isEnough, { interval: 20 }).toBe(true);
          expect(failure).toBeUndefined();
        };
        await more();
        for (const machine of [0, 1] as const) {
          await replicas[machine]!.stop();
          await more();
          replicas[machine] = await start(machine);
          await expect
            .poll(() => replicas[machine]!.operations('/readyz'))
            .toEqual({ status: 'ready' });
          await more();
        }
        over.abort();
        await trading;

        for (const url of urls) expect(await orderIds(url, user)).toEqual(placed);
        const height = Math.max(...(await heights(urls)));
        await expect
          .poll(async () => Math.min(...(await heights(urls))))
          .toBeGreaterThanOrEqual(height);
        const hashes = await Promise.all(urls.map((url) => head(url, height)));
        expect(hashes[0]).toEqual(hashes[1]);
        client.close();
        for (const replica of replicas) await replica.stop();
      }),
  );
});

type Head = { readonly height: number; readonly stateHash: string };

async function info(url: string, query: object): Promise<{ data: never; nextCursor?: string }> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${url}/info`, {
    method: 'POST',
    headers,
    body: JSON.stringify(query),
  });
  return (await response.json()) as { data: never; nextCursor?: string };
}

async function head(url: string, height?: number): Promise<Head> {
  return (await info(url, { type: 'stateHash', ...(height !== undefined && { height }) })).data;
}

async function heights(urls: readonly string[]): Promise<number[]> {
  return (await Promise.all(urls.map((url) => head(url)))).map(({ height }) => height);
}

/** Returns all of an account's orders in a replica's history, in order. */
async function orderIds(url: string, user: string): Promise<number[]> {
  const found: number[] = [];
  let cursor: string | undefined;
  do {
    const page = await info(url, {
      type: 'historicalOrders',
      user,
      limit: 100,
      ...(cursor !== undefined && { cursor }),
    });
    found.push(...(page.data as { order: { oid: number } }[]).map(({ order }) => order.oid));
    cursor = page.nextCursor;
  } while (cursor !== undefined && cursor !== null);
  return found.toSorted((a, b) => a - b);
}
