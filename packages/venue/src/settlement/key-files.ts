import { realpathSync, statSync } from 'node:fs';
import { isAbsolute, relative, resolve } from 'node:path';
import { KeyError } from './key-error.ts';

/** Where keys are, by the setting that says so: paths of files, or `env:NAME`. */
export type KeyPlaces = Readonly<Record<string, readonly string[]>>;

const OTHERS = 0o077;

/**
 * How safely keys are kept. Where money is real nobody but the process may read a key's file, and none lies in the data
 * folder, whose copies go into backups: a KeyError. Elsewhere the same is said as a warning.
 */
export function checkKeyFiles(
  places: KeyPlaces,
  { data, isReal }: { readonly data: string; readonly isReal: boolean },
): readonly string[] {
  const faults = Object.entries(places).flatMap(([name, settings]) =>
    settings.flatMap((setting) => {
      const fault = keyFileFault(setting, data);
      return fault === undefined ? [] : [`${name}: ${fault}`];
    }),
  );
  const [first] = faults;
  if (isReal && first !== undefined) throw new KeyError(first);
  return faults;
}

function keyFileFault(setting: string, data: string): string | undefined {
  if (setting.startsWith('env:')) return undefined;
  let mode: number;
  let file: string;
  try {
    file = realpathSync(setting);
    ({ mode } = statSync(file));
  } catch {
    // Reading the key says what is wrong.
    return undefined;
  }
  if (isInside(file, data)) return `${setting} lies in the data folder, which must hold no key`;
  if ((mode & OTHERS) === 0) return undefined;
  return `${setting} can be read by others than its owner; run chmod 600 ${setting}`;
}

function isInside(file: string, folder: string): boolean {
  const path = relative(existing(folder), file);
  return path === '' || !(path.startsWith('..') || isAbsolute(path));
}

/** A folder that is not there yet holds nothing. */
function existing(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return resolve(folder);
  }
}
