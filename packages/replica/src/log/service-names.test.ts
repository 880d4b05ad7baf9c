import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { drawServiceName, readServiceNames, ServiceNamesDamagedError } from './data-folder.ts';

let folder: string;
const file = (): string => join(folder, 'service-network');

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'oddlot-name-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

test('a folder has no name until one is created, and then keeps that name', async () => {
  expect(readServiceNames(folder)).toEqual({ name: undefined, former: [] });
  const drawn = await drawServiceName(folder, 'example.org');
  expect(drawn).toEqual({ name: expect.stringMatching(/^example\.org-[0-9a-f]{8}$/), former: [] });
  expect(readServiceNames(folder)).toEqual(drawn);
  expect(statSync(file()).mode & 0o777).toBe(0o600);
});

test('two folders with the same prefix get different names', async () => {
  const other = mkdtempSync(join(tmpdir(), 'oddlot-name-'));
  const [one, two] = [await drawServiceName(folder, 'abc'), await drawServiceName(other, 'abc')];
  rmSync(other, { recursive: true });
  expect(one.name).not.toBe(two.name);
});

test('a folder keeps its last eight former names, newest first', async () => {
  const names: (string | undefined)[] = [];
  for (let count = 0; count < 12; count++) {
    names.unshift((await drawServiceName(folder, `word${count}`)).name);
  }
  expect(readServiceNames(folder)).toEqual({ name: names[0], former: names.slice(1, 9) });
});

test('an unfinished name file does not count if the process was killed while starting', async () => {
  writeFileSync(`${file()}.new`, 'exam', { mode: 0o644 });
  expect(readServiceNames(folder).name).toBeUndefined();
  const { name } = await drawServiceName(folder, 'example.org');
  expect(readFileSync(file(), 'utf8')).toBe(`${name}\n`);
  expect(statSync(file()).mode & 0o777).toBe(0o600);
});

test.each(['', '\n', 'example.org\n', 'example.org-3fa9c1d2\nnonsense\n', 'x'.repeat(80)])(
  'a name file with %j is reported as damaged and never overwritten',
  async (text) => {
    writeFileSync(file(), text);
    expect(() => readServiceNames(folder)).toThrow(ServiceNamesDamagedError);
    await expect(drawServiceName(folder, 'example.org')).rejects.toThrow(
      /does not contain the network name/,
    );
    expect(readFileSync(file(), 'utf8')).toBe(text);
  },
);
