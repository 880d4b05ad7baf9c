import { readdir, stat } from 'node:fs/promises';
import { isAbsolute, join, relative, resolve, sep } from 'node:path';

/** Sizes of the files in the data folder, read at each scrape. */

/**
 * The total size of the files in a directory, optionally with a suffix; files that disappear
 * meanwhile are ignored.
 */
export async function bytesIn(directory: string, suffix = ''): Promise<number> {
  let bytes = 0;
  for (const name of await readdir(directory).catch(() => [])) {
    if (!name.endsWith(suffix)) continue;
    bytes += (await stat(join(directory, name)).catch(() => undefined))?.size ?? 0;
  }
  return bytes;
}

/** The size of the newest snapshot and the time of its creation; undefined without one. */
export async function newestSnapshot(
  directory: string,
): Promise<{ readonly bytes: number; readonly writtenMs: number } | undefined> {
  const names = await readdir(directory).catch(() => []);
  // Their names contain the height with leading zeros.
  const newest = names
    .filter((name) => /^snapshot-\d+\.(?:bin|json)$/.test(name))
    .toSorted()
    .at(-1);
  if (newest === undefined) return undefined;
  const file = await stat(join(directory, newest)).catch(() => undefined);
  return file === undefined ? undefined : { bytes: file.size, writtenMs: file.mtimeMs };
}

/** True for a folder itself and for paths inside it, by their names alone. */
export function isInside(path: string, folder: string): boolean {
  const way = relative(resolve(folder), resolve(path));
  return !isAbsolute(way) && way.split(sep)[0] !== '..';
}
