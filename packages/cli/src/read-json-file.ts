import { readFileSync } from 'node:fs';
import { CliError } from './cli-error.ts';

/** A file of JSON that has some keys; the venue judges the rest. */
export function readJsonFile<Value>(file: string, keys: readonly string[]): Value {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(file, 'utf8'));
  } catch (cause) {
    throw new CliError('usage', `Cannot read ${file}: ${(cause as Error).message}`, { cause });
  }
  const missing = keys.find(
    (key) => (value as Record<string, unknown> | null)?.[key] === undefined,
  );
  if (missing !== undefined) throw new CliError('usage', `${file} does not contain "${missing}"`);
  return value as Value;
}
