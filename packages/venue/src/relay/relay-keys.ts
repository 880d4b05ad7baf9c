import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Hex } from 'viem';
import {
  english,
  generateMnemonic,
  type HDAccount,
  mnemonicToAccount,
  type PrivateKeyAccount,
  privateKeyToAccount,
} from 'viem/accounts';
import { KeyError } from '../settlement/keys.ts';

/** The relay's keys, all from one seed: whoever has that, has everything that it holds. */

/** What a key is for. A purpose is one hardened branch of the tree. */
const PURPOSES = { float: 0, deposit: 1, peg: 2, minter: 3 } as const;

export class RelayKeys {
  readonly #mnemonic: string;

  constructor(mnemonic: string) {
    this.#mnemonic = mnemonic;
    if (!/^[a-z]+(?: [a-z]+){11,23}$/.test(mnemonic)) throw new KeyError(NO_MNEMONIC);
    try {
      this.account('float');
    } catch (cause) {
      throw new KeyError(NO_MNEMONIC, { cause });
    }
  }

  account(purpose: keyof typeof PURPOSES, index = 0): HDAccount {
    const accountIndex = PURPOSES[purpose];
    return mnemonicToAccount(this.#mnemonic, { accountIndex, addressIndex: index });
  }

  /** The same as a bare key, for who hashes by itself. */
  key(purpose: keyof typeof PURPOSES, index = 0): PrivateKeyAccount & { readonly secret: Hex } {
    const { privateKey } = this.account(purpose, index).getHdKey();
    const secret: Hex = `0x${Buffer.from(privateKey ?? []).toString('hex')}`;
    return { ...privateKeyToAccount(secret), secret };
  }

  address(purpose: keyof typeof PURPOSES, index = 0): Hex {
    return this.account(purpose, index).address.toLowerCase() as Hex;
  }
}

const NO_MNEMONIC = 'seed: holds no mnemonic of 12 to 24 English words';
const PRIVATE = 0o600;

/** From where the configuration says: `env:NAME`, or the path of a file that holds nothing else. */
export function readSeed(
  setting: string,
  env: Readonly<Record<string, string | undefined>>,
): RelayKeys {
  if (setting.startsWith('env:')) {
    return new RelayKeys(env[setting.slice('env:'.length)]?.trim() ?? '');
  }
  try {
    return new RelayKeys(readFileSync(setting, 'utf8').trim());
  } catch (cause) {
    if (cause instanceof KeyError) throw cause;
    throw new KeyError(`seed: ${setting} cannot be read`, { cause });
  }
}

/** Where money is not real: made once and kept in the data folder. */
export function localSeed(directory: string): RelayKeys {
  const file = join(directory, 'seed');
  try {
    return new RelayKeys(readFileSync(file, 'utf8').trim());
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  const mnemonic = generateMnemonic(english);
  mkdirSync(directory, { recursive: true });
  writeFileSync(file, `${mnemonic}\n`, { mode: PRIVATE, flush: true });
  return new RelayKeys(mnemonic);
}
