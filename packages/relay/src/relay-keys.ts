import { readFileSync } from 'node:fs';
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

/** The relay's keys, all from one seed: whoever has that, has everything that it holds. */

/** What a key is for. A purpose is one hardened branch of the tree. */
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
      // Stretching the words takes long and is done once.
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

  /** `m/44'/60'/purpose'/0/index`, as wallets count accounts and addresses. */
  key(purpose: keyof typeof PURPOSES, index = 0): RelayKey {
    const { privateKey } = this.#branches[purpose].deriveChild(index);
    const secret: Hex = `0x${Buffer.from(privateKey ?? []).toString('hex')}`;
    return { ...privateKeyToAccount(secret), secret };
  }

  address(purpose: keyof typeof PURPOSES, index = 0): Hex {
    return this.key(purpose, index).address.toLowerCase() as Hex;
  }
}

const NO_MNEMONIC = 'seed: holds no mnemonic of 12 to 24 English words';

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
  const kept = readTextFile(file);
  if (kept !== undefined) return new RelayKeys(kept.trim());
  const mnemonic = generateMnemonic(english);
  writeWholeFile(file, `${mnemonic}\n`);
  return new RelayKeys(mnemonic);
}
