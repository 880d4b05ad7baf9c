import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { drawServiceName, lockData } from './log/data-folder.ts';

/** The folder cannot be renamed; nothing was changed. */
class RenameRefusedError extends Error {
  override readonly name = 'RenameRefusedError';
}

/**
 * Renames a data folder on which no venue runs: for a copy that becomes a separate venue, on which
 * no request signed for the original may execute.
 */
export async function renameVenue({
  data,
  word,
}: {
  readonly data: string;
  /** The prefix of the new name. */
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
