import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const CHECKSUMS = 'SHA256SUMS';

/** Writes them as `sha256sum --check` reads them. */
export function writeChecksums(folder: string, names: readonly string[]): void {
  const lines = names.map((name) => `${sha256(join(folder, name))}  ${name}\n`);
  writeFileSync(join(folder, CHECKSUMS), lines.join(''));
}

/** Throws with the first file that is another than was written down. */
export function checkChecksums(folder: string): readonly string[] {
  const lines = readFileSync(join(folder, CHECKSUMS), 'utf8').trimEnd().split('\n');
  return lines.map((line) => {
    const [, hash, name = ''] = /^([0-9a-f]{64}) {2}(\S+)$/.exec(line) ?? [];
    if (hash === undefined) throw new Error(`${CHECKSUMS} contains an invalid line: ${line}`);
    if (sha256(join(folder, name)) !== hash) throw new Error(`${name} has a different SHA-256`);
    return name;
  });
}

function sha256(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}
