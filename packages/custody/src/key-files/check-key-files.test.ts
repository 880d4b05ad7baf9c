import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { checkKeyFiles } from './check-key-files.ts';

const folder = mkdtempSync(join(tmpdir(), 'oddlot-keys-'));
const credentials = join(folder, 'credentials');
mkdirSync(credentials);
afterAll(() => rmSync(folder, { recursive: true }));

function keyOf(mode: number, place = folder): string {
  const file = join(place, `key-${mode.toString(8)}`);
  writeFileSync(file, 'key');
  chmodSync(file, mode);
  return file;
}

const data = join(folder, 'data');
const check = (file: string, env?: Record<string, string>) =>
  checkKeyFiles({ key: [file] }, { data, isReal: true, env });

test('a key file that only its owner can read is accepted, whether or not it is writable', () => {
  for (const mode of [0o600, 0o400]) expect(check(keyOf(mode))).toEqual([]);
});

test('a key file that a group or all users can read is rejected, and the error says how to fix it', () => {
  for (const mode of [0o440, 0o640, 0o444, 0o604, 0o620]) {
    const file = keyOf(mode);
    expect(() => check(file, { CREDENTIALS_DIRECTORY: credentials })).toThrow(
      `key: other users can read ${file}; run chmod 600 ${file}`,
    );
  }
});

test('a systemd credential with mode 0440 is accepted only under its path in the credentials folder', () => {
  const env = { CREDENTIALS_DIRECTORY: credentials };
  for (const mode of [0o440, 0o400]) expect(check(keyOf(mode, credentials), env)).toEqual([]);
  expect(() => check(keyOf(0o440, credentials))).toThrow('other users can read');
  for (const mode of [0o444, 0o460, 0o644]) {
    expect(() => check(keyOf(mode, credentials), env)).toThrow('other users can read');
  }
});
