import { join } from 'node:path';
import { decodeOpening } from '../cluster/block-message.ts';
import type { BlockStream } from '../cluster/block-stream.ts';
import { confirmedLastSeq } from '../cluster/confirmed-end.ts';
import { patiently } from '../cluster/patiently.ts';
import { SnapshotExchange } from '../cluster/snapshot-exchange.ts';
import { OPENING_PLACE } from '../cluster/stream-places.ts';
import { writeStream } from '../cluster/write-stream.ts';
import { SnapshotStore } from '../log/checked-stores.ts';
import { AdminRefusedError, type AdminPlace, nowMs } from './admin-place.ts';
import { checkCopy, type Progress } from './check-copy.ts';
import { compareStream } from './compare-stream.ts';
import { withCopy } from './with-copy.ts';

/**
 * Makes the log of a venue of one machine the stream of a cluster. The folder stays as it is, and is the data folder of
 * the first replica if that is started on it.
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

  /** Who joins need not read all of it, and can't where the log does not begin with the first block. */
  async function offerSnapshot(): Promise<void> {
    const [newest] = await new SnapshotStore({ directory: join(data, 'snapshots') }).list();
    if (newest === undefined) return;
    const exchange = await SnapshotExchange.open(place.stream.connection, { cluster, replicas });
    await exchange.offer(newest.path);
  }
}

/** Whether a part of an import lies there that was interrupted; throws where the stream has anything else. */
async function assertFree({ cluster, stream }: AdminPlace): Promise<boolean> {
  const { lastPlace } = await patiently(() => stream.end());
  if (lastPlace === 0) return false;
  const found = await patiently(() => stream.at(OPENING_PLACE));
  const opening = found && decodeOpening(found);
  const { lastSeq } = opening ?? {};
  // Confirmed, because what is unfinished is removed.
  if (opening !== undefined && lastSeq !== undefined)
    if ((await confirmedLastSeq(stream, opening)) < lastSeq) return true;
  throw new AdminRefusedError(
    `The stream of ${cluster} already has ${lastPlace} messages. Import a folder only ` +
      'into an empty stream',
  );
}

/** Nobody goes on with a part: it is written from the start again. */
async function emptied({ reopen, stream }: AdminPlace): Promise<BlockStream> {
  await patiently(() => stream.remove());
  return reopen();
}
