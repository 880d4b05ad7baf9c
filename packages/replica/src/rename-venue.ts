import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { drawServiceName, lockData } from './log/data-folder.ts';

/** Thrown before any change if the folder cannot be renamed. */
class RenameRefusedError extends Error {
  override readonly name = 'RenameRefusedError';
}

/**
 * Renames a data folder whose venue is stopped. Use it for a copy that becomes a separate venue, so
 * that no request signed for the original can be executed there.
 */
export async function renameVenue({
  data,
  word,
}: {
  readonly data: string;
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
