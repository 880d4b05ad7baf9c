import { join } from 'node:path';
import { readTextFile, writeWholeFile } from '@oddlot/host/durable';
import { CliError } from './cli-error.ts';
import type { StoredKey } from './keystore.ts';

type ProfileFile = { readonly version: 1; readonly defaultKey?: string };

/** Choices that are kept between commands, in `profile.json` next to the keystore. */
export class Profile {
  readonly #path: string;

  constructor(folder: string) {
    this.#path = join(folder, 'profile.json');
  }

  /** The name of the key that `oddlot keys default` has set. */
  get defaultKey(): string | undefined {
    return this.#read().defaultKey;
  }

  setDefaultKey(name: string): void {
    const file: ProfileFile = { ...this.#read(), defaultKey: name };
    writeWholeFile(this.#path, `${JSON.stringify(file, undefined, 2)}\n`);
  }

  #read(): ProfileFile {
    const text = readTextFile(this.#path);
    if (text === undefined) return { version: 1 };
    try {
      const file = JSON.parse(text) as ProfileFile;
      const { defaultKey } = file;
      if (file.version === 1 && ['string', 'undefined'].includes(typeof defaultKey)) return file;
    } catch (cause) {
      throw new CliError(
        'key',
        `${this.#path} is damaged. Remove it and set the default key again`,
        { cause },
      );
    }
    throw new CliError(
      'key',
      `${this.#path} was written by a later release. Use that release or a newer one`,
    );
  }
}

/** The key of commands without `--key`: the chosen one, otherwise the only account key, otherwise the only key. */
export function defaultKeyOf(
  keys: readonly StoredKey[],
  chosen: string | undefined,
): StoredKey | undefined {
  if (chosen !== undefined) return keys.find(({ name }) => name === chosen);
  const accounts = keys.filter(({ kind }) => kind === 'account');
  const candidates = accounts.length > 0 ? accounts : keys;
  return candidates.length === 1 ? candidates[0] : undefined;
}
