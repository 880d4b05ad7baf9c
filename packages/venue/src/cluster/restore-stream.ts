import type { FileJournal } from '../log/file-journal.ts';
import { agreeOnStream } from './agree-on-stream.ts';
import type { StreamOpening } from './block-message.ts';
import type { BlockStream } from './block-stream.ts';
import { patiently } from './patiently.ts';
import { StreamLostError } from './stream-error.ts';
import { writeStream, type WriteStreamOptions } from './write-stream.ts';

/** Why a stream is not written again; nothing was touched. */
export class RestoreRefusedError extends Error {
  override readonly name = 'RestoreRefusedError';
}

type RestoreOptions = WriteStreamOptions & {
  readonly journal: FileJournal;
  /** Makes the stream anew after it was removed. */
  readonly reopen: () => Promise<BlockStream>;
};

/**
 * Writes a stream again that has lost blocks, from the longest copy that there is. Refuses where the stream has
 * everything that the copy has: then it is the copy that is behind.
 */
export async function restoreStream(options: RestoreOptions): Promise<StreamOpening> {
  const { journal, nowMs, reopen, serviceNetwork, stream } = options;
  const loss = await lossOf(options);
  if (loss === undefined) {
    throw new RestoreRefusedError(
      `the stream has all ${journal.lastSeq} blocks of this copy: there is nothing to restore from it`,
    );
  }
  await patiently(() => stream.remove());
  await stream.close();
  return writeStream({ ...options, stream: await reopen(), serviceNetwork, nowMs });
}

async function lossOf(options: RestoreOptions): Promise<StreamLostError | undefined> {
  const { journal, nowMs, serviceNetwork, stream } = options;
  try {
    await agreeOnStream({ stream, copy: journal, serviceNetwork, nowMs });
    return undefined;
  } catch (error) {
    if (error instanceof StreamLostError) return error;
    throw error;
  }
}
