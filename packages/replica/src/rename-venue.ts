import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { drawServiceName, lockData } from './log/data-folder.ts';

/** Why a folder gets no name; nothing was touched. */
class RenameRefusedError extends Error {
  override readonly name = 'RenameRefusedError';
}

/**
 * Gives a data folder that no venue runs on another name: for a copy that is to be a venue of its own, and
 * on which nothing may execute that was signed for the first.
 */
export async function renameVenue({
  data,
  word,
}: {
  readonly data: string;
  /** What the new name begins with. */
  readonly word: string;
}): Promise<{ readonly name: string; readonly former: string | undefined }> {
  if (!existsSync(join(data, 'journal'))) {
    throw new RenameRefusedError(
      `No log in ${data}: a new folder gets its network name automatically`,
    );
  }
  const lock = await lockData(data);
  try {
    const { former, name } = await drawServiceName(data, word);
    return { name: name ?? word, former: former[0] };
  } finally {
    lock.release();
  }
}
