import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { existingLocalKeys, localKeys } from './local-keys.ts';

const folder = mkdtempSync(join(tmpdir(), 'oddlot-local-keys-'));
afterAll(() => rmSync(folder, { recursive: true }));
const file = join(folder, 'keys.json');

test('the keys of a local chain are created only once', () => {
  const keys = localKeys(folder);
  expect(localKeys(folder)).toEqual(keys);
  expect(existingLocalKeys(folder, 'chainKeys')).toEqual(keys);
});

const KEY = `0x${'11'.repeat(32)}`;
const WHOLE = { relayer: KEY, minter: KEY, guardian: KEY, validators: [KEY] };

test.each([
  ['empty', ''],
  ['cut', JSON.stringify(WHOLE).slice(0, 100)],
  ['without a key', JSON.stringify({ ...WHOLE, minter: undefined })],
  ['with a short key', JSON.stringify({ ...WHOLE, relayer: '0x11' })],
  ['without validators', JSON.stringify({ ...WHOLE, validators: [] })],
  ['another file', '[1]'],
])('a key file that is %s causes an error with its path and is not changed', (_, text) => {
  writeFileSync(file, text);
  const why = `${file} does not contain the keys of a local chain`;
  expect(() => localKeys(folder)).toThrow(why);
  expect(() => existingLocalKeys(folder, 'chainKeys')).toThrow(why);
  expect(readFileSync(file, 'utf8')).toBe(text);
});
