import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { inDirectory } from '@oddlot/testing/host';
import { describe, expect, test } from 'vitest';
import { genesisCommands } from '@oddlot/replica/genesis-commands';
import { EraStore, SnapshotStore } from '@oddlot/replica/log/checked-stores';
import { FileJournal } from '@oddlot/replica/log/file-journal';
import type { Log } from '@oddlot/replica/log/log';
import { LocalReplica } from '@oddlot/replica/local-replica';
import { hasNatsServer } from '@oddlot/testing/venue/nats/has-nats-server';
import { openTestStream } from '@oddlot/testing/venue/nats/open-cluster-log';
import { withNatsServer } from '@oddlot/testing/venue/nats/with-nats-server';
import { ClusterLog } from './cluster-log.ts';
import { ProposalOrder } from '@oddlot/replica/proposal-order';

const nats = withNatsServer();

/** Opens a replica whose history database reports the newest block that `knownHeight` returns. */
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
  test('a starting replica waits for a block that is already in the history, and reports a loss only if the stream ends before it', () =>
    inDirectory(async (folder) => {
      const cluster = randomUUID();
      const writer = await openReplica(join(folder, 'writer'), { cluster });
      await writer.replica.start();
      let known = 0;
      const follower = await openReplica(join(folder, 'follower'), {
        cluster,
        // These blocks are written after the starting replica has read the end of the log and
        // before the database responds.
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
        `The stream lost blocks ${known + 1} to ${known + 2}, which the history has: the stream ends at block ${known}`,
      );
      await beyond.log.close();
      await writer.log.close();
    }));
});
