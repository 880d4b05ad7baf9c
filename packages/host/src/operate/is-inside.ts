import { isAbsolute, relative, resolve, sep } from 'node:path';

/** True of a folder itself and of what lies in it, by their names alone. */
export function isInside(path: string, folder: string): boolean {
  const way = relative(resolve(folder), resolve(path));
  return !isAbsolute(way) && way.split(sep)[0] !== '..';
}
