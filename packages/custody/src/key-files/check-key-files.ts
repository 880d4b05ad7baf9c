import { realpathSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { isInside } from '@oddlot/host/operate';
import { KeyError } from './key-error.ts';

/** Where keys are, by the setting that says so: paths of files, or `env:NAME`. */
type KeyPlaces = Readonly<Record<string, readonly string[]>>;

const OTHERS = 0o077;
/** All of it but that the group may read. */
const OTHERS_OF_CREDENTIALS = 0o037;

type KeyFileRules = {
  readonly data: string;
  readonly isReal: boolean;
  /** Its `CREDENTIALS_DIRECTORY` is where systemd puts what a unit loads (`LoadCredential=`). */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
};

/**
 * How safely keys are kept. Where money is real nobody but the process may read a key's file, and none lies in the data
 * folder, whose copies go into backups: a KeyError. Elsewhere the same is said as a warning. The files in systemd's folder
 * of credentials belong to root and are of mode 0440: there the bits of the group stand for the one user of the unit, and
 * nobody else gets into the folder.
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
    // Reading the key says what is wrong.
    return undefined;
  }
  if (isInside(file, existing(data)))
    return `${setting} is in the data folder, which must not contain keys`;
  const isCredential = credentials !== undefined && isInside(file, existing(credentials));
  if ((mode & (isCredential ? OTHERS_OF_CREDENTIALS : OTHERS)) === 0) return undefined;
  return `other users can read ${setting}; run chmod 600 ${setting}`;
}

/** A folder that is not there yet holds nothing. */
function existing(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return resolve(folder);
  }
}
