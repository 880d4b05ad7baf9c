import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from '@oddlot/host/log';
import { SnapshotStore } from '../log/snapshot-store.ts';
import { decodeSnapshot } from '../replica/snapshot-codec.ts';
import type { Cluster } from './open-cluster.ts';

/** Where the journal of a folder begins that has none yet. */
type Begin = { readonly seq: number; readonly timeMs: number };

/**
 * Gives a folder without a log a state to start from: the newest snapshot that its operator has copied there, or the one
 * that the others offer. The log behind it comes from the stream. Undefined where the log begins with the first block.
 */
export async function joinFolder(
  data: string,
  cluster: Cluster | undefined,
  log: Logger,
): Promise<Begin | undefined> {
  if (cluster === undefined || (await hasLog(join(data, 'journal')))) return undefined;
  const directory = join(data, 'snapshots');
  const fetched = await cluster.snapshots.fetchNewest(directory);
  if (fetched !== undefined) log.info(fetched, 'a snapshot of the cluster was fetched');
  const snapshot = await new SnapshotStore({ directory }).newestValid();
  if (snapshot === undefined) return undefined;
  const { head } = decodeSnapshot(snapshot.payload);
  return { seq: head.height, timeMs: head.timeMs };
}

async function hasLog(journal: string): Promise<boolean> {
  return (
    existsSync(journal) && (await readdir(journal)).some((name) => name.startsWith('journal-'))
  );
}
