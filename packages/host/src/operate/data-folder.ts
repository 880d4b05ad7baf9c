import { readdir, stat } from 'node:fs/promises';
import { isAbsolute, join, relative, resolve, sep } from 'node:path';

/** What the files of the data folder weigh, read when somebody scrapes. */

/** All bytes of the files in a directory, or of those whose name ends so; what vanishes meanwhile is left out. */
export async function bytesIn(directory: string, suffix = ''): Promise<number> {
  let bytes = 0;
  for (const name of await readdir(directory).catch(() => [])) {
    if (!name.endsWith(suffix)) continue;
    bytes += (await stat(join(directory, name)).catch(() => undefined))?.size ?? 0;
  }
  return bytes;
}

/** The newest snapshot's bytes and when it was written; undefined without one. */
export async function newestSnapshot(
  directory: string,
): Promise<{ readonly bytes: number; readonly writtenMs: number } | undefined> {
  const names = await readdir(directory).catch(() => []);
  // Their names carry the height with leading zeros.
  const newest = names
    .filter((name) => /^snapshot-\d+\.(?:bin|json)$/.test(name))
    .toSorted()
    .at(-1);
  if (newest === undefined) return undefined;
  const file = await stat(join(directory, newest)).catch(() => undefined);
  return file === undefined ? undefined : { bytes: file.size, writtenMs: file.mtimeMs };
}

/** True of a folder itself and of what lies in it, by their names alone. */
export function isInside(path: string, folder: string): boolean {
  const way = relative(resolve(folder), resolve(path));
  return !isAbsolute(way) && way.split(sep)[0] !== '..';
}
