import type { BlockStream } from '../block-stream.ts';
import { decodeOpening, OPENING_PLACE, seqOf } from '../block-message.ts';
import { FollowedStream, type KnownBlock } from '../followed-stream.ts';
import { retryUntilAnswered } from '../retry-until-answered.ts';
import type { BlockRange } from '../read-history.ts';
import { restoreStream, compareWithCopy } from '../agree-on-stream.ts';
import type { WriteStreamOptions } from '../write-stream.ts';
import {
  type AdminPlace,
  AdminRefusedError,
  assertNoReplicaRunning,
  nowMs,
} from './admin-place.ts';
import { checkCopy, compareStream, type Progress, withCopy } from './folder-copy.ts';

/**
 * Rewrites a cluster's stream from the copy held by one of its replicas. Refuses if acknowledged
 * blocks are missing from that copy, whether they are in the stream or in the files of another
 * replica, unless the operator specifies the first block to discard. The result is a different
 * stream: a folder that contains discarded blocks reports this, and other replicas no longer wait
 * for them.
 */
export function restoreFromCopy(
  place: AdminPlace,
  giveUpFrom: number | undefined,
  onProgress: Progress,
): Promise<string> {
  const { board, cluster, config } = place;
  const { data } = config;
  return withCopy(config, async ({ journal, serviceNetwork }) => {
    const { lastSeq } = journal;
    const parts = { journal, serviceNetwork, nowMs: nowMs() };
    const [first] = (await givenUp(place, parts)).toSorted((a, b) => a.from - b.from);
    if (first !== undefined && giveUpFrom !== first.from) throw new AdminRefusedError(first.text);
    if (first !== undefined)
      assertNoReplicaRunning(
        place,
        'they would build on the blocks that you give up, or replace them',
      );
    const { hash } = await checkCopy(data, journal, onProgress);
    let written: BlockStream | undefined;
    await restoreStream({
      stream: await place.connect(),
      ...parts,
      giveUpFrom: first?.from,
      followedEra: new FollowedStream(data).era,
      reopen: async () => (written = await place.reopen()),
      onProgress: (seq, of) => onProgress('written', seq, of),
    });
    if (written !== undefined) await compareStream(written, journal, onProgress);
    await board.clear();
    return (
      `restored the stream of ${cluster} from ${data}: ${lastSeq} blocks; the hash of the ` +
      `last one is ${hash}`
    );
  });
}

/** The first block that would be lost permanently, and the reason. */
type GivenUp = { readonly from: number; readonly text: string };

async function givenUp(
  { board, config: { data }, stream }: AdminPlace,
  parts: Omit<WriteStreamOptions, 'stream'>,
): Promise<GivenUp[]> {
  const { lastSeq } = parts.journal;
  const found = await retryUntilAnswered(() => stream.at(OPENING_PLACE));
  const opening = found && decodeOpening(found);
  const highest = board.highestIn(opening?.era);
  const longest = board.longestIn(opening?.era);
  const followedEra = new FollowedStream(data).era;
  const doubted = doubtedOf(highest);
  const comparison = await compareWithCopy({ ...parts, stream, doubted, followedEra });
  const all: GivenUp[] = [];
  const add = (from: number, why: string, what: string): void =>
    void all.push({ from, text: `${why}, or give up ${what} with --give-up-from ${from}` });
  if (comparison.kind === 'forked') {
    const { from } = comparison;
    add(
      from,
      `${data} is not a copy of this stream: the blocks differ starting with block ${from}. ` +
        "Restore from the data folder of one of this cluster's replicas",
      "the stream's acknowledged blocks from that block",
    );
  }
  if (highest?.replacedFrom !== undefined && comparison.kind === 'whole') {
    const { height, replacedFrom, replica } = highest;
    add(
      replacedFrom,
      `Replica ${replica} has blocks ${replacedFrom} to ${height}, which the stream lost ` +
        `and replaced with different ones. Restore from the copy of ${replica}`,
      "that replica's version of these blocks",
    );
  } else if (highest?.disputed !== undefined && comparison.kind === 'whole') {
    const { from, to } = highest.disputed;
    add(
      from,
      `A replica, whose name is not known yet, has read a different version of some or all of ` +
        `blocks ${from} to ${to}. Start the replicas and find it with cluster-admin status`,
      'that version of the blocks',
    );
  } else if (longest !== undefined && longest.height > lastSeq) {
    const { height, replica } = longest;
    add(
      lastSeq + 1,
      `Replica ${replica} reported block ${height}, but this copy ends at ${lastSeq}. ` +
        `Restore from the copy of ${replica}`,
      'the blocks acknowledged after the end of this copy',
    );
  }
  if (all.length > 0 && comparison.kind === 'whole' && opening !== undefined) {
    const { lastPlace } = await retryUntilAnswered(() => stream.end());
    const streamLast = seqOf(opening, lastPlace);
    if (streamLast > lastSeq)
      throw new AdminRefusedError(
        `The stream has blocks up to ${streamLast}, but this copy ends at ${lastSeq}. Use the copy of another replica, or stop all of them and fetch the missing blocks (cluster-admin export --data ${data})`,
      );
  }
  return all;
}

/**
 * Returns the range in which replicas' copies can differ even though they end at the same block.
 */
function doubtedOf(highest: KnownBlock | undefined): BlockRange | undefined {
  if (highest?.replacedFrom === undefined) return highest?.disputed;
  return { from: highest.replacedFrom, to: highest.height };
}
