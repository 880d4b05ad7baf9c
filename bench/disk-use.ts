import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Bytes that a venue has written: the log without the zeros that it lays out ahead, and the database of its history, in which
 * everything is once the venue has stopped.
 */
export async function diskUse(
  folder: string,
): Promise<{ readonly log: number; readonly history: number }> {
  const journal = join(folder, 'journal');
  let log = 0;
  for (const name of await readdir(journal)) {
    const bytes = await readFile(join(journal, name));
    log += endOf(bytes);
  }
  const { size: history } = await stat(join(folder, 'history.sqlite'));
  return { log, history };
}

function endOf(bytes: Buffer): number {
  let end = bytes.length;
  while (end > 0 && bytes[end - 1] === 0) end -= 1;
  return end;
}
