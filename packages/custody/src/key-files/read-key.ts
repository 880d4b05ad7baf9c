import { readFileSync } from 'node:fs';
import type { Hex } from 'viem';
import { KeyError } from './key-error.ts';

/**
 * Reads a key from its configured location: `env:NAME`, or the path of a file that contains only
 * the key.
 */
export function readKey(
  setting: string,
  where: string,
  env: Readonly<Record<string, string | undefined>>,
): Hex {
  const text = setting.startsWith('env:')
    ? env[setting.slice('env:'.length)]
    : fileText(setting, where);
  const key = text?.trim() ?? '';
  const hex = key.startsWith('0x') ? key : `0x${key}`;
  if (!/^0x[0-9a-fA-F]{64}$/.test(hex)) {
    throw new KeyError(`${where}: ${setting} does not contain a private key of 32 bytes in hex`);
  }
  return hex as Hex;
}

function fileText(path: string, where: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new KeyError(`${where}: ${path} cannot be read`, { cause });
  }
}
