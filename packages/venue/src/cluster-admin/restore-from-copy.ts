import type { BlockStream } from '../cluster/block-stream.ts';
import { restoreStream, RestoreRefusedError } from '../cluster/restore-stream.ts';
import { AdminRefusedError, type AdminPlace, nowMs } from './admin-place.ts';
import { checkCopy, type Progress } from './check-copy.ts';
import { compareStream } from './compare-stream.ts';
import { withCopy } from './with-copy.ts';

/**
 * Writes the stream of a cluster again from the copy of one of its replicas. Refuses while another has told of more
 * blocks, unless the operator names the first one that is given up.
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
    const { highest } = board;
    const isShort = highest !== undefined && highest.height > lastSeq;
    if (isShort && giveUpFrom !== lastSeq + 1) {
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
        stream: await place.reopen(),
        journal,
        serviceNetwork,
        nowMs: nowMs(),
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
