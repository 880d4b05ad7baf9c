import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { exhibitionSecret } from './exhibition.ts';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'oddlot-secret-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));
const path = () => join(folder, 'exhibition-secret');

test('a secret is created once, is readable only by its owner, and is reused', () => {
  const drawn = exhibitionSecret(folder);
  expect(drawn).toHaveLength(32);
  expect(exhibitionSecret(folder)).toEqual(drawn);
  expect(statSync(path()).mode & 0o077).toBe(0);
  rmSync(path());
  expect(exhibitionSecret(folder)).not.toEqual(drawn);
});

test.each(['', 'no secret', 'ab'.repeat(31), `${'ab'.repeat(31)}zz`, 'ab'.repeat(33)])(
  'a damaged secret file ("%s") causes an error with its path and is not changed',
  (text) => {
    writeFileSync(path(), text);
    expect(() => exhibitionSecret(folder)).toThrow(
      `${path()} does not contain 32 bytes in hex. Restore it from a backup. If there is none, remove it`,
    );
    expect(readFileSync(path(), 'utf8')).toBe(text);
  },
);
