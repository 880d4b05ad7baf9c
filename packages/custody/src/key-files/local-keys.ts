import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readTextFile, writeWholeFile } from '@oddlot/host/durable';
import type { Hex } from 'viem';
import { generatePrivateKey } from 'viem/accounts';
import { z } from 'zod';
import { KeyError } from './key-error.ts';

/** The keys for a test chain run by the venue. */
export type LocalKeys = {
  /** The key that sends permits, payouts and cancellations. */
  readonly relayer: Hex;
  /** The key that mints test USDC and deploys the contracts. */
  readonly minter: Hex;
  readonly guardian: Hex;
  readonly validators: readonly Hex[];
};

const VALIDATORS = 3;

const Key = z.string().regex(/^0x[0-9a-f]{64}$/);
const LocalKeysSchema = z.object({
  relayer: Key,
  minter: Key,
  guardian: Key,
  validators: z.array(Key).min(1),
});

/**
 * Returns the keys, which are created once and stored in the data folder together with the chain
 * that uses them. If the chain exists, its keys are never recreated.
 */
export function localKeys(directory: string, chainFile?: string): LocalKeys {
  const file = join(directory, 'keys.json');
  const stored = readKeys(file);
  if (stored !== undefined) return stored;
  if (chainFile !== undefined && existsSync(chainFile)) {
    throw new KeyError(
      `${file} is missing, but ${chainFile} cannot be used without it. Restore it, or ` +
        "remove both together with the venue's data about them",
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

/** Returns the keys of a local chain that runs in another process. That process creates them. */
export function existingLocalKeys(directory: string, where: string): LocalKeys {
  const file = join(directory, 'keys.json');
  const stored = readKeys(file);
  if (stored !== undefined) return stored;
  throw new KeyError(`${where}: ${file} is missing; a local chain creates it (npm run chain)`);
}

function readKeys(file: string): LocalKeys | undefined {
  const text = readTextFile(file);
  if (text === undefined) return undefined;
  const parsed = LocalKeysSchema.safeParse(parsedJson(text));
  if (parsed.success) return parsed.data as LocalKeys;
  throw new KeyError(
    `${file} does not contain the keys of a local chain (relayer, minter, guardian and validators). Restore it, or remove it together with the chain and the venue's data about it`,
  );
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
