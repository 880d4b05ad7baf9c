import { realpathSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { isInside } from '@oddlot/host/operate';
import { KeyError } from './key-error.ts';

/** The locations of keys by setting: paths of files, or `env:NAME`. */
type KeyPlaces = Readonly<Record<string, readonly string[]>>;

const OTHERS = 0o077;
/** The permission bits for any access by other users, except reading by the group. */
const OTHERS_OF_CREDENTIALS = 0o037;

type KeyFileRules = {
  readonly data: string;
  readonly isReal: boolean;
  /**
   * `CREDENTIALS_DIRECTORY` is the folder containing the credentials that systemd loads for a unit
   * (`LoadCredential=`).
   */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
};

/**
 * Checks the storage of keys and returns warnings. On mainnet, a KeyError is thrown if anyone other
 * than the process's user can read a key file, or if a key is in the data folder, which backups
 * copy. Files in systemd's credentials folder belong to root and have mode 0440. For these files,
 * the group bits stand for the unit's single user, and no other user can enter the folder.
 */
export function checkKeyFiles(
  places: KeyPlaces,
  { data, env, isReal }: KeyFileRules,
): readonly string[] {
  const credentials = env?.['CREDENTIALS_DIRECTORY'];
  const faults = Object.entries(places).flatMap(([name, settings]) =>
    settings.flatMap((setting) => {
      const fault = keyFileFault(setting, { data, credentials });
      return fault === undefined ? [] : [`${name}: ${fault}`];
    }),
  );
  const [first] = faults;
  if (isReal && first !== undefined) throw new KeyError(first);
  return faults;
}

function keyFileFault(
  setting: string,
  { credentials, data }: { readonly data: string; readonly credentials: string | undefined },
): string | undefined {
  if (setting.startsWith('env:')) return undefined;
  let mode: number;
  let file: string;
  try {
    file = realpathSync(setting);
    ({ mode } = statSync(file));
  } catch {
    // The code that reads the key reports the error.
    return undefined;
  }
  if (isInside(file, existing(data)))
    return `${setting} is in the data folder, which must not contain keys`;
  const isCredential = credentials !== undefined && isInside(file, existing(credentials));
  if ((mode & (isCredential ? OTHERS_OF_CREDENTIALS : OTHERS)) === 0) return undefined;
  return `other users can read ${setting}; run chmod 600 ${setting}`;
}

/** Returns the real path of a folder. A folder that does not exist yet contains no keys. */
function existing(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return resolve(folder);
  }
}
