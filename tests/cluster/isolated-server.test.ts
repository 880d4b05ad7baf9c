import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { inDirectory } from '@oddlot/testing/host';
import { describe, expect, test } from 'vitest';
import { BlockStream } from '../../packages/cluster/src/block-stream.ts';
import { hasNatsServer } from '../support/venue/nats/has-nats-server.ts';
import { note, noted, openClusterLog } from '../support/venue/nats/open-cluster-log.ts';
import { withMesh } from '../support/nats-mesh.ts';

const REPLICAS = 3;
const WAIT = { timeout: 60_000 };

/** Returns the number of the server that leads a stream, as reported by a given server. */
async function leaderOf(url: string, cluster: string): Promise<number> {
  const connection = await connect({ servers: [url], reconnect: false });
  try {
    const manager = await jetstreamManager(connection, { timeout: 1_000 });
    const { cluster: group } = await manager.streams.info(`oddlot-${cluster}-blocks`);
    return Number(group!.leader!.slice(1)) - 1;
  } finally {
    await connection.close();
  }
}

describe.skipIf(!hasNatsServer)('a server isolated from the others', () => {
  test('an isolated server has only connections that the test can cut', () =>
    withMesh(REPLICAS, async ({ servers }) => {
      const own = servers.urls.map((url) => Number(new URL(url).port) + REPLICAS);
      for (const monitor of servers.monitors) {
        const { routes } = (await (await fetch(`${monitor}/routez`)).json()) as {
          readonly routes: readonly { readonly port: number }[];
        };
        expect(routes.length).toBeGreaterThan(0);
        expect(routes.map(({ port }) => port).filter((port) => own.includes(port))).toEqual([]);
      }
    }));

  test('replicas do not rely on an isolated server for the end of a stream, so blocks it lacks do not count as lost', () =>
    inDirectory(async (folder) =>
      withMesh(REPLICAS, async ({ lines, servers }) => {
        const cluster = randomUUID();
        const replicas = REPLICAS;
        const made = await BlockStream.open({
          servers: servers.urls,
          cluster,
          clientName: 'test',
          replicas,
        });
        await made.close();
        const all = { cluster, urls: servers.urls };
        const first = await openClusterLog({ ...all, directory: join(folder, 'a') });
        await first.log.append(note('before'));
        await first.close();
        const leader = await leaderOf(servers.urls[0]!, cluster);
        const isolated = servers.urls[leader]!;
        const others = servers.urls.filter((url) => url !== isolated);
        const own = { servers: [isolated], cluster, clientName: 'test', replicas };
        const old = await BlockStream.open(own);
        const before = await old.end();
        lines.isolate(leader);
        const second = await openClusterLog({
          cluster,
          urls: others,
          directory: join(folder, 'a'),
        });
        for (const text of ['one', 'two', 'three']) await second.log.append(note(text));
        await second.close();
        // The old server still considers itself the leader and has not received the others' later
        // messages.
        const reportedEnd = await old.end().then(
          ({ lastPlace }) => lastPlace,
          () => 'nothing',
        );
        expect(reportedEnd).not.toBe(before.lastPlace);
        const third = openClusterLog({ cluster, urls: [isolated], directory: join(folder, 'a') });
        const started = Promise.race([third.then(({ lost }) => lost), sleep(8_000, 'waits')]);
        expect(await started).toBe('waits');
        lines.heal();
        const replica = await third;
        expect(replica.lost).toEqual([]);
        // A block that is resent during the election can be stored twice; its repetition is read as
        // an empty block.
        const notes = replica.entries.map(noted).filter((text) => text !== '');
        expect(notes).toEqual(['before', 'one', 'two', 'three']);
        await expect.poll(() => replica.log.trouble(), WAIT).toBeUndefined();
        await replica.close();
        await old.close();
      }),
    ));
});
