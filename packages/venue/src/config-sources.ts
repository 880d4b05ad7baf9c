import { readFileSync } from 'node:fs';
import { parse as parseToml } from 'smol-toml';

/** Where settings stand: the names of flags and of environment variables, and the file. */

/** A setting that cannot be used; its message is meant for the operator. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** `--snapshot-every-blocks`. */
export function flagName(key: string): string {
  return key.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** `ODDLOT_SNAPSHOT_EVERY_BLOCKS`. */
export function envName(key: string): string {
  return `ODDLOT_${flagName(key).replaceAll('-', '_').toUpperCase()}`;
}

/** The settings of a TOML file, as they stand there. */
export function readConfigFile(path: string): Record<string, unknown> {
  try {
    return { ...parseToml(readFileSync(path, 'utf8')) };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new ConfigError(`${path}: ${why}`);
  }
}
