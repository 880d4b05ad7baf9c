import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { NETWORKS } from '@oddlot/protocol';
import type { ClusterConfig } from '../cluster-settings.ts';
import { FileJournal } from '@oddlot/replica/log/file-journal';
import { lockData, readServiceNames } from '@oddlot/replica/log/data-folder';
import { AdminRefusedError, nowMs } from './admin-place.ts';
import { EraStore, SnapshotStore } from '@oddlot/replica/log/checked-stores';
import { FollowingReplica } from '@oddlot/replica/following-replica';
import type { LogEntry } from '@oddlot/replica/block';
import { decodeBlockMessage, decodeOpening, OPENING_PLACE, placeOf } from '../block-message.ts';
import type { BlockStream } from '../block-stream.ts';
import { retryUntilAnswered } from '../retry-until-answered.ts';
import { contentOf } from '../write-stream.ts';
import { BlockBuffer } from '@oddlot/replica/log/block-codec';

/** The log of a data folder whose venue is stopped, and the network name used in its signatures. */
type Copy = { readonly journal: FileJournal; readonly serviceNetwork: string };

/** Opens the log of a folder for one command and locks it, so that no venue starts on it. */
export async function withCopy<Result>(
  { data, network }: Pick<ClusterConfig, 'data' | 'network'>,
  use: (copy: Copy) => Promise<Result>,
): Promise<Result> {
  if (!existsSync(join(data, 'journal'))) throw new AdminRefusedError(`No log in ${data}`);
  const lock = await lockData(data);
  try {
    const journal = await FileJournal.open({
      directory: join(data, 'journal'),
      clock: { nowMs },
      onFatal: (error) => {
        throw error;
      },
    });
    try {
      if (journal.lastSeq === 0) throw new AdminRefusedError(`The log in ${data} is empty`);
      const serviceNetwork = readServiceNames(data).name ?? NETWORKS[network].serviceNetwork;
      return await use({ journal, serviceNetwork });
    } finally {
      await journal.close();
    }
  } finally {
    lock.release();
  }
}

export type Progress = (what: string, seq: number, of: number) => void;

/**
 * Applies a log to an engine, starting from the newest stored state. Verifies the checksums of all
 * entries, the hashes attested by replicas, and the starts of eras. Returns the last block.
 */
export async function checkCopy(
  data: string,
  journal: FileJournal,
  onProgress: Progress,
): Promise<{ readonly height: number; readonly hash: string }> {
  const replica = await FollowingReplica.create({
    log: journal,
    snapshots: new SnapshotStore({ directory: join(data, 'snapshots') }),
    eras: new EraStore({ directory: join(data, 'eras') }),
  });
  await replica.restoreBase();
  const { firstSeq, lastSeq } = journal;
  if (replica.head.height < firstSeq - 1) {
    throw new AdminRefusedError(
      `The log in ${data} begins with block ${firstSeq}, but the folder has no snapshot of ` +
        `block ${firstSeq - 1} or later`,
    );
  }
  await journal.replay(replica.head.height + 1, (entry) => {
    replica.take(entry);
    onProgress('checked', entry.seq, lastSeq);
  });
  const { height, kind, own } = replica.attestations.verdict(undefined);
  if (kind !== 'agreed') {
    throw new AdminRefusedError(
      `Block ${height} has hash ${own} in ${data}, but most replicas attested a different ` +
        'one. Use a different copy',
    );
  }
  return replica.head;
}

class StreamDiffersError extends Error {
  override readonly name = 'StreamDiffersError';
}

/** Reads a stream that was written from a journal, and compares every block with the journal. */
export async function compareStream(
  stream: BlockStream,
  journal: FileJournal,
  onProgress: Progress,
): Promise<void> {
  const found = await retryUntilAnswered(() => stream.at(OPENING_PLACE));
  if (found === undefined) throw new StreamDiffersError('the stream is empty');
  const opening = decodeOpening(found);
  const { firstSeq, lastSeq } = journal;
  const read = new Map<number, Uint8Array>();
  let wake = (): void => undefined;
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => undefined);
  const following = stream.follow(placeOf(opening, firstSeq), {
    take({ data, place }) {
      read.set(place, data);
      wake();
      if (read.size < READ_AHEAD_MAX) return undefined;
      return new Promise((resolve) => (taken = resolve));
    },
    onReplaced: (place) =>
      failed.reject(new StreamDiffersError(`sequence number ${place} was overwritten`)),
    onFatal: (error) => failed.reject(error),
  });
  let taken = (): void => undefined;
  const next = async (place: number): Promise<Uint8Array> => {
    for (;;) {
      const data = read.get(place);
      if (data !== undefined) {
        read.delete(place);
        taken();
        return data;
      }
      await Promise.race([new Promise<void>((resolve) => (wake = resolve)), failed.promise]);
    }
  };
  const compare = async (entry: LogEntry): Promise<void> => {
    const { encoded, timeMs } = decodeBlockMessage(await next(placeOf(opening, entry.seq)));
    const isSame = timeMs === entry.timeMs && contentOf(encoded).equals(bytesOf(entry));
    if (!isSame) throw new StreamDiffersError(`block ${entry.seq} of the stream differs`);
    onProgress('compared', entry.seq, lastSeq);
  };
  try {
    await journal.replay(firstSeq, compare, { withRequests: true });
  } finally {
    taken();
    await following.stop();
  }
}

const READ_AHEAD_MAX = 256;

function bytesOf({ commands }: LogEntry): Buffer {
  const buffer = new BlockBuffer();
  buffer.writeBlock(commands);
  return Buffer.from(buffer.bytes.subarray(0, buffer.length));
}
