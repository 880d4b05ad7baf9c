import { readdir, stat } from 'node:fs/promises';
import { isAbsolute, join, relative, resolve, sep } from 'node:path';

/** Functions that read the sizes of files in the data folder at each scrape. */

/**
 * Returns the total size of the files in a directory, optionally only those with a certain suffix.
 * Files that disappear in the meantime are ignored.
 */
export async function bytesIn(directory: string, suffix = ''): Promise<number> {
  let bytes = 0;
  for (const name of await readdir(directory).catch(() => [])) {
    if (!name.endsWith(suffix)) continue;
    bytes += (await stat(join(directory, name)).catch(() => undefined))?.size ?? 0;
  }
  return bytes;
}

/**
 * Returns the size of the newest snapshot and the time of its creation, or undefined if there is
 * none.
 */
export async function newestSnapshot(
  directory: string,
): Promise<{ readonly bytes: number; readonly writtenMs: number } | undefined> {
  const names = await readdir(directory).catch(() => []);
  // File names contain the height with leading zeros, so alphabetical order is the order of
  // heights.
  const newest = names
    .filter((name) => /^snapshot-\d+\.(?:bin|json)$/.test(name))
    .toSorted()
    .at(-1);
  if (newest === undefined) return undefined;
  const file = await stat(join(directory, newest)).catch(() => undefined);
  return file === undefined ? undefined : { bytes: file.size, writtenMs: file.mtimeMs };
}

/** Returns true for the folder itself and for paths inside it. Only names are compared. */
export function isInside(path: string, folder: string): boolean {
  const way = relative(resolve(folder), resolve(path));
  return !isAbsolute(way) && way.split(sep)[0] !== '..';
}
