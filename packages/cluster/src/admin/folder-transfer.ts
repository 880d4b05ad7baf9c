import { join } from 'node:path';
import { decodeOpening, OPENING_PLACE, seqOf } from '../block-message.ts';
import { ClusterLog } from '../cluster-log.ts';
import { retryUntilAnswered } from '../retry-until-answered.ts';
import { ProposalOrder } from '@oddlot/replica/proposal-order';
import { SnapshotExchange } from '../snapshot-exchange.ts';
import { FileJournal } from '@oddlot/replica/log/file-journal';
import { SnapshotStore } from '@oddlot/replica/log/checked-stores';
import { attestedIn, unlessAttested, unlessContradicted } from '@oddlot/replica/attestations';
import { newestUsable } from '@oddlot/replica/bases';
import { adoptServiceName, lockData } from '@oddlot/replica/log/data-folder';
import {
  type AdminPlace,
  AdminRefusedError,
  assertNoReplicaRunning,
  nowMs,
} from './admin-place.ts';
import { checkCopy, compareStream, type Progress, withCopy } from './folder-copy.ts';
import type { BlockStream } from '../block-stream.ts';
import { confirmedLastSeq } from '../stream-facts.ts';
import { writeStream } from '../write-stream.ts';

/**
 * Exports the stream of a cluster to a folder from which a venue on one machine can continue. If
 * the folder contains an earlier export, the export is continued.
 */
export async function exportFolder(place: AdminPlace, onProgress: Progress): Promise<string> {
  const { cluster, config, stream } = place;
  const { data } = config;
  const found = await retryUntilAnswered(() => stream.at(OPENING_PLACE));
  if (found === undefined) throw new AdminRefusedError(`The stream of ${cluster} is empty`);
  const opening = decodeOpening(found);
  if (opening.firstSeq > 1) {
    throw new AdminRefusedError(
      `The stream of ${cluster} begins with block ${opening.firstSeq}. Copy the data ` +
        'folder of a stopped replica instead; a single-process venue can use it too',
    );
  }
  assertNoReplicaRunning(place, 'later blocks would be missing from the folder');
  const lock = await lockData(data);
  try {
    const journal = await FileJournal.open({
      directory: join(data, 'journal'),
      clock: { nowMs },
      onFatal: (error) => {
        throw error;
      },
    });
    const { serviceNetwork } = opening;
    adoptServiceName(data, serviceNetwork);
    await fetchAll(place, { journal, serviceNetwork }, onProgress);
    return await finish(place, onProgress);
  } finally {
    lock.release();
  }
}

async function fetchAll(
  { config, connect, stream }: AdminPlace,
  copy: { readonly journal: FileJournal; readonly serviceNetwork: string },
  onProgress: Progress,
): Promise<void> {
  const { journal, serviceNetwork } = copy;
  const order = new ProposalOrder();
  const { lastPlace } = await retryUntilAnswered(() => stream.end());
  let trouble: unknown;
  const log = new ClusterLog({
    stream: await connect(),
    copy: journal,
    order,
    clock: { nowMs },
    serviceNetwork,
    readsAsItIs: true,
    onFatal: (error) => (trouble ??= error),
    onLost: (error) => (trouble ??= error),
  });
  const last = seqOf({ ...copy, firstSeq: 1, era: '' }, lastPlace);
  try {
    await log.follow(1, ({ proposal, seq, timeMs }) => {
      if (proposal !== undefined) order.take(proposal, timeMs);
      onProgress('read', seq, last);
    });
  } finally {
    await log.close();
  }
  if (trouble === undefined && journal.lastSeq >= last) return;
  const why = trouble instanceof Error ? trouble.message : `it ends at block ${journal.lastSeq}`;
  throw new AdminRefusedError(`${config.data}: ${why}`, { cause: trouble });
}

/**
 * Verifies the log, and downloads the newest snapshot so that the log need not be replayed on the
 * first startup.
 */
async function finish(
  { cluster, config, stream }: AdminPlace,
  onProgress: Progress,
): Promise<string> {
  const { data, streamReplicas: replicas } = config;
  const exchange = await SnapshotExchange.open(stream.connection, { cluster, replicas });
  const directory = join(data, 'snapshots');
  const fetched = await exchange.fetchNewest(directory);
  const journal = await FileJournal.open({ directory: join(data, 'journal'), clock: { nowMs } });
  try {
    const ofOthers = unlessAttested((height) => attestedIn(journal, height), undefined);
    const own = unlessContradicted(journal);
    await newestUsable(new SnapshotStore({ directory }), {
      faultOf: (claim) => (claim.height === fetched?.height ? ofOthers(claim) : own(claim)),
    });
    const { hash, height } = await checkCopy(data, journal, onProgress);
    return (
      `exported the stream of ${cluster} to ${data}: ${height} blocks; the hash of the ` +
      `last one is ${hash}`
    );
  } finally {
    await journal.close();
  }
}

/**
 * Imports the log of a venue on one machine into the stream of a cluster. The folder is not changed
 * and can become the data folder of the first replica.
 */
export function importFolder(place: AdminPlace, onProgress: Progress): Promise<string> {
  const { board, cluster, config } = place;
  const { data, streamReplicas: replicas } = config;
  return withCopy(config, async ({ journal, serviceNetwork }) => {
    const isUnfinished = await assertFree(place);
    const { highest } = board;
    if (highest !== undefined && highest.height > journal.lastSeq) {
      throw new AdminRefusedError(
        `Replica ${highest.replica} of ${cluster} reported block ${highest.height}, but this log ends at ${journal.lastSeq}, so it is not the log of that cluster. Choose another cluster name, or restore the stream with cluster-admin restore`,
      );
    }
    const { hash, height } = await checkCopy(data, journal, onProgress);
    const stream = isUnfinished ? await emptied(place) : place.stream;
    await writeStream({
      stream,
      journal,
      serviceNetwork,
      nowMs: nowMs(),
      onProgress: (seq, of) => onProgress('written', seq, of),
    });
    await compareStream(stream, journal, onProgress);
    await offerSnapshot();
    return (
      `imported ${data} as the stream of ${cluster}: ${height} blocks; the hash of the ` +
      `last one is ${hash}`
    );
  });

  /**
   * Offers a snapshot to joining replicas, so that they need not read the whole log. A log that
   * does not begin with the first block cannot be read without a snapshot.
   */
  async function offerSnapshot(): Promise<void> {
    const [newest] = await new SnapshotStore({ directory: join(data, 'snapshots') }).list();
    if (newest === undefined) return;
    const exchange = await SnapshotExchange.open(place.stream.connection, { cluster, replicas });
    await exchange.offer(newest.path);
  }
}

/** Returns whether the stream contains an interrupted import. Throws if it has other content. */
async function assertFree({ cluster, stream }: AdminPlace): Promise<boolean> {
  const { lastPlace } = await retryUntilAnswered(() => stream.end());
  if (lastPlace === 0) return false;
  const found = await retryUntilAnswered(() => stream.at(OPENING_PLACE));
  const opening = found && decodeOpening(found);
  const { lastSeq } = opening ?? {};
  // Only a confirmed end is proof of an unfinished import, which the caller then removes.
  if (opening !== undefined && lastSeq !== undefined)
    if ((await confirmedLastSeq(stream, opening)) < lastSeq) return true;
  throw new AdminRefusedError(
    `The stream of ${cluster} already has ${lastPlace} messages. Import a folder only ` +
      'into an empty stream',
  );
}

/** Removes an interrupted import. It is not continued, but rewritten from the start. */
async function emptied({ reopen, stream }: AdminPlace): Promise<BlockStream> {
  await retryUntilAnswered(() => stream.remove());
  return reopen();
}
