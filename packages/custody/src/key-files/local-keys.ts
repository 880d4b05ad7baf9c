import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readTextFile, writeWholeFile } from '@oddlot/host/durable';
import type { Hex } from 'viem';
import { generatePrivateKey } from 'viem/accounts';
import { KeyError } from './key-error.ts';

/** The keys of a chain that the venue runs for itself, where money is not real. */
export type LocalKeys = {
  /** Sends permits, payouts and cancellations. */
  readonly relayer: Hex;
  /** Makes test USDC and deploys the contracts. */
  readonly minter: Hex;
  readonly guardian: Hex;
  readonly validators: readonly Hex[];
};

const VALIDATORS = 3;

/** Made once and kept in the data folder with the chain that knows them; a chain that is there has its keys. */
export function localKeys(directory: string, chainFile?: string): LocalKeys {
  const file = join(directory, 'keys.json');
  const kept = readTextFile(file);
  if (kept !== undefined) return JSON.parse(kept) as LocalKeys;
  if (chainFile !== undefined && existsSync(chainFile)) {
    throw new KeyError(
      `${file} is missing, and ${chainFile} cannot be used without it: bring it back, or remove both and what the venue knows of them`,
    );
  }
  const keys: LocalKeys = {
    relayer: generatePrivateKey(),
    minter: generatePrivateKey(),
    guardian: generatePrivateKey(),
    validators: Array.from({ length: VALIDATORS }, generatePrivateKey),
  };
  writeWholeFile(file, `${JSON.stringify(keys)}\n`);
  return keys;
}

/** The keys of a local chain that another process runs: that process makes them. */
export function keptLocalKeys(directory: string, where: string): LocalKeys {
  const file = join(directory, 'keys.json');
  const kept = readTextFile(file);
  if (kept !== undefined) return JSON.parse(kept) as LocalKeys;
  throw new KeyError(`${where}: there is no ${file}; a local chain makes it (npm run chain)`);
}
