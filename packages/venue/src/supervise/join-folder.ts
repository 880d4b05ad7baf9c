import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from '@oddlot/host/log';
import type { Config } from '../config.ts';
import { SnapshotStore } from '../log/checked-stores.ts';
import { unlessAttested } from '../replica/attestations.ts';
import { newestUsable } from '../replica/bases.ts';
import type { Cluster } from './open-cluster.ts';

/** Where the journal of a folder begins that has none yet. */
type Begin = { readonly seq: number; readonly timeMs: number };

/** No snapshot is attested, and the log does not reach back to the first block. */
class SnapshotsRefusedError extends Error {
  override readonly name = 'SnapshotsRefusedError';
}

/**
 * Gives a folder without a log a state to start from: the newest snapshot that its operator has copied there, or the one
 * that the others offer. The content of either must be what the log attests, or what the operator accepts by name. The
 * log behind it comes from the stream. Undefined where the log begins with the first block.
 */
export async function joinFolder(
  { acceptSnapshot, data }: Pick<Config, 'acceptSnapshot' | 'data'>,
  cluster: Pick<Cluster, 'attested' | 'firstSeq' | 'snapshots'> | undefined,
  log: Pick<Logger, 'error' | 'info'>,
): Promise<Begin | undefined> {
  if (cluster === undefined || (await hasLog(join(data, 'journal')))) return undefined;
  const directory = join(data, 'snapshots');
  const store = new SnapshotStore({ directory });
  const faultOf = unlessAttested((height) => cluster.attested(height), acceptSnapshot);
  let fault: string | undefined;
  const head = await newestUsable(store, {
    faultOf,
    async fetchBelow(height) {
      const fetched = await cluster.snapshots.fetchNewest(directory, height);
      if (fetched !== undefined) log.info(fetched, 'snapshot fetched from the cluster');
    },
    onRefused(height, why) {
      log.error({ height, why }, 'snapshot rejected and set aside');
      fault ??= `The snapshot of block ${height} was rejected: ${why}`;
    },
  });
  if (head !== undefined) return { seq: head.height, timeMs: head.timeMs };
  const { firstSeq = 1 } = cluster;
  if (fault === undefined || firstSeq === 1) return undefined;
  throw new SnapshotsRefusedError(
    `The log begins with block ${firstSeq}, but this replica has no snapshot to start from: ${fault}`,
  );
}

async function hasLog(journal: string): Promise<boolean> {
  return (
    existsSync(journal) && (await readdir(journal)).some((name) => name.startsWith('journal-'))
  );
}
