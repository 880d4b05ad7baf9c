import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { inDirectory } from '@oddlot/host/testing';
import { describe, expect, test } from 'vitest';
import { genesisCommands } from '../genesis-commands.ts';
import { EraStore, SnapshotStore } from '../log/checked-stores.ts';
import { FileJournal } from '../log/file-journal.ts';
import type { Log } from '../log/log.ts';
import { LocalReplica } from '../replica/local-replica.ts';
import { hasNatsServer } from '../testing/nats/has-nats-server.ts';
import { openTestStream } from '../testing/nats/open-cluster-log.ts';
import { withNatsServer } from '../testing/nats/with-nats-server.ts';
import { ClusterLog } from './cluster-log.ts';
import { ProposalOrder } from './proposal-order.ts';

const nats = withNatsServer();

/** A replica, and what the database of the history knows when it is asked. */
async function openReplica(
  folder: string,
  { cluster, knownHeight }: { cluster: string; knownHeight?: () => Promise<number> },
): Promise<{ readonly replica: LocalReplica; readonly log: Log }> {
  const clock = { nowMs: () => Date.now() };
  const copy = await FileJournal.open({ directory: join(folder, 'journal'), clock });
  const order = new ProposalOrder();
  const log = new ClusterLog({
    stream: await openTestStream(nats.urls, cluster),
    copy,
    order,
    clock,
    serviceNetwork: 'Test',
    onFatal: (error) => {
      throw error;
    },
    onLost: () => undefined,
  });
  const replica = await LocalReplica.create({
    log,
    snapshots: new SnapshotStore({ directory: join(folder, 'snapshots') }),
    eras: new EraStore({ directory: join(folder, 'eras') }),
    clock,
    name: folder,
    genesis: genesisCommands('Test'),
    ...(knownHeight && { knownHeight }),
  });
  replica.attach(order);
  return { replica, log };
}

describe.skipIf(!hasNatsServer)('a history that other replicas write', () => {
  test('may be ahead of a replica that starts: it waits for the block, and reports a loss only where the stream ends before', () =>
    inDirectory(async (folder) => {
      const cluster = randomUUID();
      const writer = await openReplica(join(folder, 'writer'), { cluster });
      await writer.replica.start();
      let known = 0;
      const follower = await openReplica(join(folder, 'follower'), {
        cluster,
        // Between the end of the log as the start has seen it, and the answer of the database.
        knownHeight: async () => {
          for (let each = 0; each < 20; each += 1) await writer.replica.tick();
          return (known = writer.replica.head.height);
        },
      });
      await follower.replica.start();
      expect(follower.replica.head.height).toBeGreaterThanOrEqual(known);
      await follower.log.close();
      const beyond = await openReplica(join(folder, 'beyond'), {
        cluster,
        knownHeight: async () => known + 2,
      });
      await expect(beyond.replica.start()).rejects.toThrow(
        `The stream lost blocks ${known + 1} to ${known + 2}, which the history has: it ends at ${known}`,
      );
      await beyond.log.close();
      await writer.log.close();
    }));
});
