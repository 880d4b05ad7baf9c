import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { privateKeyWallet } from '@oddlot/sdk';
import { EXIT } from './cli-error.ts';
import { Keystore } from './keystore.ts';

const folder = mkdtempSync(join(tmpdir(), 'oddlot-keystore-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const KEY = `0x${'1f'.repeat(32)}` as const;
const CHEAP = { n: 1_024, r: 8, p: 1 };
const PASSWORD = 'correct horse';

test('a key can be read only with its password, and its file reveals only the address', async () => {
  const keys = new Keystore(join(folder, 'one'));
  expect(keys.list()).toEqual([]);
  const stored = await keys.add('main', KEY, PASSWORD);
  const { address } = privateKeyWallet(KEY);
  expect(stored).toEqual({ name: 'main', address, kind: 'account' });
  expect(keys.list()).toEqual([stored]);
  expect(await keys.open('main', PASSWORD)).toBe(KEY);
  const path = join(folder, 'one', 'main.json');
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readFileSync(path, 'utf8')).not.toContain('1f1f');
  await expect(keys.open('main', 'correct horsf')).rejects.toMatchObject({
    message: 'Wrong password for "main", or the key file is damaged',
    exitCode: EXIT.key,
  });
});

test('two Unicode encodings of the same text are the same password', async () => {
  const keys = new Keystore(join(folder, 'unicode'), CHEAP);
  await keys.add('main', KEY, 'caf\u00e9 noir');
  expect(await keys.open('main', 'cafe\u0301 noir')).toBe(KEY);
});

test('a changed key file is detected, even if only the address was changed', async () => {
  const keys = new Keystore(join(folder, 'changed'), CHEAP);
  await keys.add('main', KEY, PASSWORD);
  const path = join(folder, 'changed', 'main.json');
  const text = readFileSync(path, 'utf8');
  const { address, cipher } = JSON.parse(text);
  for (const part of [address, cipher.iv, cipher.tag, cipher.text] as string[]) {
    const last = part.at(-1) === '0' ? '1' : '0';
    writeFileSync(path, text.replace(part, part.slice(0, -1) + last));
    await expect(keys.open('main', PASSWORD)).rejects.toThrow('the key file is damaged');
  }
  writeFileSync(path, text.slice(0, 40));
  expect(() => keys.list()).toThrow('is damaged');
  writeFileSync(path, text.replace('"version": 1', '"version": 2'));
  expect(() => keys.list()).toThrow('was written by a later release');
});

test('a name already in use, a short password and an invalid name are rejected, and no file is written', async () => {
  const keys = new Keystore(join(folder, 'refused'), CHEAP);
  await keys.add('main', KEY, PASSWORD);
  const other = `0x${'2f'.repeat(32)}` as const;
  await expect(keys.add('main', other, PASSWORD)).rejects.toThrow(
    'A key named "main" already exists',
  );
  await expect(keys.add('short', other, '1234567')).rejects.toThrow('at least 8 characters');
  await expect(keys.add('../up', other, PASSWORD)).rejects.toThrow('Invalid key name');
  await expect(keys.open('other', PASSWORD)).rejects.toThrow('No key named "other"');
  expect(keys.list()).toHaveLength(1);
  expect(await keys.open('main', PASSWORD)).toBe(KEY);
});
