import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { createLogger } from '@oddlot/host/log';
import { inDirectory } from '@oddlot/testing/host';
import { describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { hasNatsServer } from '../support/venue/nats/has-nats-server.ts';
import { startReplica } from '../support/venue/nats/start-replica.ts';
import { withNatsServer } from '../support/venue/nats/with-nats-server.ts';

const nats = withNatsServer();
const NAMED = ['--service-network', 'example.org'];

describe.skipIf(!hasNatsServer)('the replicas of a cluster', () => {
  test("replicas publish their addresses and report each other's lag and leases", () =>
    inDirectory(async (folder) => {
      const place = { cluster: randomUUID(), url: nats.urls[0]! };
      const a = await startReplica({ ...place, name: 'a', data: join(folder, 'a') });
      const b = await startReplica({ ...place, name: 'b', data: join(folder, 'b') });
      await expect
        .poll(async () => ((await b.operations('/cluster')) as Status).replicas.map(nameAndUrl))
        .toEqual(expect.arrayContaining(['a http://a.example', 'b http://b.example']));
      const same = startReplica({ ...place, name: 'b', data: join(folder, 'same') });
      await expect(same).rejects.toThrow(
        `Another running process is replica b of ${place.cluster}`,
      );
      const status = (await a.operations('/cluster')) as Status;
      expect(status).toMatchObject({ replica: 'a', trouble: null });
      expect(status.leases).toEqual(expect.arrayContaining(['ticker', 'oracle']));
      await expect.poll(() => b.operations('/readyz')).toEqual({ status: 'ready' });
      await expect.poll(() => b.metric('oddlot_cluster_replicas')).toBe(2);
      expect(await a.metric('oddlot_cluster_leases_held{lease="ticker"}')).toBe(1);
      expect(await b.metric('oddlot_cluster_leases_held{lease="ticker"}')).toBe(0);
      expect(await b.metric('oddlot_cluster_log_lost')).toBe(0);
      expect(await b.metric('oddlot_cluster_lag_blocks')).toBeLessThan(100);
      // On request, a replica's answer includes an action that another replica has acknowledged.
      for (let at = 0; at < 10; at += 1) {
        await a.faucet();
        const { body } = await a.info({ type: 'stateHash' });
        const { height: minHeight } = (body as { data: { height: number } }).data;
        expect(await b.info({ type: 'venueStatus', minHeight })).toMatchObject({
          status: 200,
          body: { data: { height: expect.toSatisfy((height) => height >= minHeight) } },
        });
      }
      await a.stop();
      await expect.poll(() => b.metric('oddlot_cluster_leases_held{lease="ticker"}')).toBe(1);
      await expect
        .poll(async () => ((await b.operations('/cluster')) as Status).replicas.map(nameAndUrl))
        .toEqual(expect.arrayContaining(['a undefined', 'b http://b.example']));
      await b.stop();
    }));

  test('a replica without files does not start an existing venue from scratch', () =>
    inDirectory(async (folder) => {
      const place = { cluster: randomUUID(), url: nats.urls[0]! };
      const a = await startReplica({ ...place, name: 'a', data: join(folder, 'a') });
      const b = await startReplica({ ...place, name: 'b', data: join(folder, 'b') });
      await expect.poll(() => b.metric('oddlot_cluster_replicas')).toBe(2);
      await a.stop();
      await b.stop();
      await nats.removeStream(`oddlot-${place.cluster}-blocks`);
      await nats.removeStream(`OBJ_oddlot-${place.cluster}-snapshots`);
      const onFatal = (): void => undefined;
      const again = startReplica({ ...place, name: 'c', data: join(folder, 'c'), onFatal });
      await expect(again).rejects.toThrow(
        /The stream lost blocks 1 to \d+, which replica [ab] reported: the stream is empty/,
      );
      // A replica with a copy serves it and accepts no requests.
      const copy = await startReplica({ ...place, name: 'a', data: join(folder, 'a') });
      expect(await copy.faucet()).toMatchObject({
        status: 503,
        body: { code: 10503, message: 'The log has lost blocks from 1 on' },
      });
      expect(await copy.info({ type: 'perpMeta' })).toMatchObject({ status: 200 });
      expect(await copy.operations('/readyz')).toMatchObject({
        status: 'notReady',
        reason: expect.stringContaining('The stream lost blocks 1 to'),
      });
      expect(await copy.metric('oddlot_cluster_log_lost')).toBe(1);
      await copy.stop();
    }));

  test('if the stream is lost, an action in flight is rejected with a note that it may still execute', () =>
    inDirectory(async (folder) => {
      const place = { cluster: randomUUID(), url: nats.urls[0]! };
      const a = await startReplica({ ...place, name: 'a', data: join(folder, 'a') });
      await a.faucet();
      await nats.removeStream(`oddlot-${place.cluster}-blocks`);
      expect(await a.faucet()).toMatchObject({
        status: 503,
        body: {
          code: 10503,
          message: 'The log has lost blocks from 1 on',
          details: { why: expect.stringContaining('may still execute: query actionStatus') },
        },
      });
      await a.stop();
    }));

  test('replicas that start a venue together share a single network name', () =>
    inDirectory(async (folder) => {
      const place = { cluster: randomUUID(), url: nats.urls[0]!, flags: NAMED };
      const all = await Promise.all(
        ['a', 'b', 'c'].map((name) => startReplica({ ...place, name, data: join(folder, name) })),
      );
      const names = all.map(({ serviceNetwork }) => serviceNetwork);
      expect(names[0]).toMatch(/^example\.org-[0-9a-f]{8}$/);
      expect(names).toEqual([names[0], names[0], names[0]]);
      for (const each of all) await each.stop();
      const again = await startReplica({ ...place, name: 'a', data: join(folder, 'a') });
      expect(again.serviceNetwork).toBe(names[0]);
      await again.stop();
    }));

  test('a stopping replica first hands over its tasks and redirects its clients', () =>
    inDirectory(async (folder) => {
      const place = { cluster: randomUUID(), url: nats.urls[0]! };
      const a = await startReplica({ ...place, name: 'a', data: join(folder, 'a') });
      const b = await startReplica({ ...place, name: 'b', data: join(folder, 'b') });
      expect(await a.metric('oddlot_cluster_leases_held{lease="ticker"}')).toBe(1);
      const socket = new WebSocket(`${a.url.replace('http', 'ws')}/ws`);
      await once(socket, 'open');
      const closed = once(socket, 'close');
      await Promise.all(Array.from({ length: 20 }, () => a.faucet()));
      // Requests pending when the replica stops are answered while b continues to write.
      const last = Array.from({ length: 20 }, () => a.faucet());
      const stopped = a.stop();
      expect((await Promise.all(last)).map(({ status }) => status)).toEqual(last.map(() => 200));
      expect(await b.faucet()).toMatchObject({ status: 200 });
      const [code, reason] = (await closed) as [number, Buffer];
      expect([code, String(reason)]).toEqual([1012, 'reconnect to another replica']);
      await stopped;
      await expect(a.info({ type: 'perpMeta' })).rejects.toThrow('fetch failed');
      expect(await b.metric('oddlot_cluster_leases_held{lease="ticker"}')).toBe(1);
      await b.stop();
    }));

  test("a replica whose clock is ahead of the others' accepts no requests and hands over its tasks", () =>
    inDirectory(async (folder) => {
      const place = { cluster: randomUUID(), url: nats.urls[0]! };
      let othersMs = 0;
      const clock = (ms: () => number) => ({
        wallMs: () => Date.now() + ms(),
        bootMs: () => performance.now() + ms(),
      });
      const others = clock(() => othersMs);
      const b = await startReplica({ ...place, name: 'b', data: join(folder, 'b'), time: others });
      const c = await startReplica({ ...place, name: 'c', data: join(folder, 'c'), time: others });
      const lines: string[] = [];
      const log = createLogger({ destination: { write: (line: string) => void lines.push(line) } });
      const time = clock(() => 40_000);
      const a = await startReplica({ ...place, name: 'a', data: join(folder, 'a'), time, log });
      await b.stop();
      await expect.poll(() => c.metric('oddlot_cluster_leases_held{lease="ticker"}')).toBe(1);
      const again = join(folder, 'b');
      const d = await startReplica({ ...place, name: 'd', data: again, time: others });
      await expect.poll(() => a.metric('oddlot_cluster_replicas')).toBe(3);
      expect(await a.metric('oddlot_cluster_clock_apart_seconds')).toBeGreaterThan(30);
      expect(await a.faucet()).toMatchObject({
        status: 503,
        body: { code: 10503, message: expect.stringMatching(/^Clock is off by \d+ ms$/) },
      });
      expect(await a.operations('/readyz')).toMatchObject({ status: 'notReady' });
      expect(lines.join('')).toContain(
        'clock deviates too far from the other replicas: this replica rejects all requests',
      );
      await expect.poll(() => c.operations('/readyz')).toEqual({ status: 'ready' });
      expect(await c.faucet()).toMatchObject({ status: 200 });
      othersMs = 40_000;
      await expect.poll(() => a.operations('/readyz')).toEqual({ status: 'ready' });
      expect(await a.faucet()).toMatchObject({ status: 200 });
      for (const each of [a, c, d]) await each.stop();
    }));
});

type Status = {
  readonly replicas: readonly { readonly replica: string; readonly url?: string }[];
  readonly leases: readonly string[];
};

const nameAndUrl = ({ replica, url }: Status['replicas'][number]): string => `${replica} ${url}`;
