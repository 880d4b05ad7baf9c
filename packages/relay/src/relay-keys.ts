import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { KeyError } from '@oddlot/custody/key-error';
import { readTextFile, writeWholeFile } from '@oddlot/host/durable';
import type { Hex } from 'viem';
import {
  english,
  generateMnemonic,
  mnemonicToAccount,
  type PrivateKeyAccount,
  privateKeyToAccount,
} from 'viem/accounts';

/**
 * The relay's keys, all derived from a single seed. Anyone with the seed controls all of the
 * relay's money.
 */

export const BOOK_NAME = 'relay.jsonl';
/** The name of the seed file in the data folder. Only a relay with test funds has one. */
export const SEED_NAME = 'seed';

/** The purposes of keys. Each is a hardened branch of the derivation tree. */
const PURPOSES = { float: 0, deposit: 1, peg: 2, minter: 3 } as const;

type Branch = ReturnType<ReturnType<typeof mnemonicToAccount>['getHdKey']>;
export type RelayKey = PrivateKeyAccount & { readonly secret: Hex };

const ROOT = "m/44'/60'";
const HARDENED = 0x8000_0000;

export class RelayKeys {
  readonly #branches: Readonly<Record<keyof typeof PURPOSES, Branch>>;

  constructor(mnemonic: string) {
    if (!/^[a-z]+(?: [a-z]+){11,23}$/.test(mnemonic)) throw new KeyError(NO_MNEMONIC);
    try {
      // Deriving the root from the words is slow, so it is done only once.
      const path = ROOT as `${typeof ROOT}/`;
      const root = mnemonicToAccount(mnemonic, { path }).getHdKey();
      const branchOf = (purpose: number) => root.deriveChild(HARDENED + purpose).deriveChild(0);
      this.#branches = {
        float: branchOf(PURPOSES.float),
        deposit: branchOf(PURPOSES.deposit),
        peg: branchOf(PURPOSES.peg),
        minter: branchOf(PURPOSES.minter),
      };
    } catch (cause) {
      throw new KeyError(NO_MNEMONIC, { cause });
    }
  }

  /** Returns the key at `m/44'/60'/purpose'/0/index`, numbered as in wallets. */
  key(purpose: keyof typeof PURPOSES, index = 0): RelayKey {
    const { privateKey } = this.#branches[purpose].deriveChild(index);
    const secret: Hex = `0x${Buffer.from(privateKey ?? []).toString('hex')}`;
    return { ...privateKeyToAccount(secret), secret };
  }

  address(purpose: keyof typeof PURPOSES, index = 0): Hex {
    return this.key(purpose, index).address.toLowerCase() as Hex;
  }
}

const NO_MNEMONIC = 'seed: does not contain a mnemonic of 12 to 24 English words';

/**
 * Reads the seed from its configured location: `env:NAME`, or the path of a file that contains only
 * the seed.
 */
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

const MADE_WITH_SEED = [BOOK_NAME, join('second', 'chain', 'chain.log')];

function hasContent(file: string): boolean {
  return existsSync(file) && statSync(file).size > 0;
}

/**
 * Returns the seed of a relay with test funds. It is created once and stored in the data folder. It
 * is never recreated while files that depend on it exist.
 */
export function localSeed(directory: string): RelayKeys {
  const file = join(directory, SEED_NAME);
  const remedy = `restore it, or remove ${directory} and lose the money at its addresses`;
  const stored = readTextFile(file);
  if (stored !== undefined) {
    try {
      return new RelayKeys(stored.trim());
    } catch (cause) {
      const what = 'does not contain a mnemonic of 12 to 24 English words';
      throw new KeyError(`${file} ${what}: ${remedy}`, { cause });
    }
  }
  const madeWith = MADE_WITH_SEED.map((name) => join(directory, name)).find(hasContent);
  if (madeWith !== undefined) {
    throw new KeyError(`${file} is missing, but ${madeWith} was created with it: ${remedy}`);
  }
  const mnemonic = generateMnemonic(english);
  writeWholeFile(file, `${mnemonic}\n`);
  return new RelayKeys(mnemonic);
}
