import type { BlockStream } from '../cluster/block-stream.ts';
import { restoreStream, RestoreRefusedError, streamStanding } from '../cluster/restore-stream.ts';
import { AdminRefusedError, type AdminPlace, nowMs } from './admin-place.ts';
import { checkCopy, type Progress } from './check-copy.ts';
import { compareStream } from './compare-stream.ts';
import { withCopy } from './with-copy.ts';

/**
 * Writes the stream of a cluster again from the copy of one of its replicas. Refuses while another has told of more
 * blocks, and where the stream has other blocks than the copy, unless the operator names the first one that is given up.
 */
export function restoreFromCopy(
  place: AdminPlace,
  giveUpFrom: number | undefined,
  onProgress: Progress,
): Promise<string> {
  const { board, cluster, config, stream } = place;
  const { data } = config;
  return withCopy(config, async ({ journal, serviceNetwork }) => {
    const { lastSeq } = journal;
    const parts = { journal, serviceNetwork, nowMs: nowMs() };
    const standing = await streamStanding({ ...parts, stream });
    const { highest } = board;
    const isShort = highest !== undefined && highest.height > lastSeq;
    if (standing.kind === 'forked') {
      if (giveUpFrom !== standing.from)
        throw new AdminRefusedError(forkedText(data, standing.from));
    } else if (isShort && giveUpFrom !== lastSeq + 1) {
      throw new AdminRefusedError(
        `replica ${highest.replica} has told of block ${highest.height}, and this copy ends at ${lastSeq}: restore from the copy of ` +
          `${highest.replica}, or give up what was acknowledged behind it by --give-up-from ${lastSeq + 1}`,
      );
    }
    const { hash } = await checkCopy(data, journal, onProgress);
    let written: BlockStream | undefined;
    try {
      await restoreStream({
        // It closes what it was given.
        stream: await place.connect(),
        ...parts,
        giveUpFrom,
        reopen: async () => (written = await place.reopen()),
        onProgress: (seq, of) => onProgress('written', seq, of),
      });
    } catch (error) {
      // The stream has all of this copy, and what others had besides is given up.
      if (!(error instanceof RestoreRefusedError) || !isShort) throw error;
    }
    if (written !== undefined) await compareStream(written, journal, onProgress);
    await board.clear();
    return `the stream of ${cluster} has the ${lastSeq} blocks of ${data} again; the last one has the hash ${hash}`;
  });
}

function forkedText(data: string, from: number): string {
  return (
    `${data} is not a copy of this stream: they differ from block ${from} on. Restore from the folder of a replica of this cluster, ` +
    `or give up what the stream has from there on and somebody has acknowledged, by --give-up-from ${from}`
  );
}
