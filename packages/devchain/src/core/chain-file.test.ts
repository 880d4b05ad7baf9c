import { appendFile, mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ChainDamagedError, ChainFile } from './chain-lines.ts';

let directory: string;
let path: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'oddlot-chain-file-'));
  path = join(directory, 'chain.log');
});

afterEach(async () => await rm(directory, { recursive: true, force: true }));

async function lines(): Promise<unknown[]> {
  const found: unknown[] = [];
  const file = await ChainFile.open(directory, (line) => found.push(line));
  await file.close();
  return found;
}

async function write(values: readonly unknown[]): Promise<number[]> {
  const ends: number[] = [];
  const file = await ChainFile.open(directory, () => {});
  for (const value of values) {
    await file.append(value);
    ends.push((await readFile(path)).length);
  }
  await file.close();
  return ends;
}

test('lines of the chain file are read back in order, and more can be appended', async () => {
  await write([{ a: 1 }, ['line\nbreak', 'ü']]);
  await write([3]);
  expect(await lines()).toEqual([{ a: 1 }, ['line\nbreak', 'ü'], 3]);
});

test('a file that is cut at any byte still contains its complete lines and can be continued', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.json(), { minLength: 1, maxLength: 6 }),
      fc.nat(),
      async (values, where) => {
        await rm(path, { force: true });
        const ends = await write(values);
        const cut = where % ((ends.at(-1) ?? 0) + 1);
        await truncate(path, cut);
        const whole = values.slice(0, ends.filter((end) => end <= cut).length);
        expect(await lines()).toEqual(whole);
        await write(['more']);
        expect(await lines()).toEqual([...whole, 'more']);
      },
    ),
    { numRuns: Number(process.env['FUZZ_RUNS'] ?? 60) },
  );
});

test('a line left with a hole by a power loss is removed', async () => {
  const [end = 0] = await write(['first']);
  await write(['second']);
  const content = await readFile(path);
  content.fill(0, end + 4, content.length - 1);
  await writeFile(path, content);
  expect(await lines()).toEqual(['first']);
  await appendFile(path, Buffer.alloc(500));
  expect(await lines()).toEqual(['first']);
});

test('a byte changed anywhere is detected, and no line is removed', async () => {
  await write(['one', 'two', 'three']);
  const content = await readFile(path);
  for (const at of content.keys()) {
    const changed = Buffer.from(content);
    // The new byte is neither a newline nor part of a run of zeros.
    changed[at] = content[at] === 0x61 ? 0x62 : 0x61;
    await writeFile(path, changed);
    if (at === content.length - 1) {
      // A crash can leave the last line without its newline.
      expect(await lines()).toEqual(['one', 'two']);
      continue;
    }
    await expect(lines()).rejects.toBeInstanceOf(ChainDamagedError);
    expect(await readFile(path)).toEqual(changed);
  }
});

test('reordered lines are detected', async () => {
  await write(['one', 'two', 'three']);
  const [one = '', two = '', three = ''] = (await readFile(path, 'utf8')).split('\n');
  await writeFile(path, `${[one, three, two].join('\n')}\n`);
  await expect(lines()).rejects.toBeInstanceOf(ChainDamagedError);
});

test('a file written by an earlier release is read and continued, and writing its lines again yields an identical file', async () => {
  const earlier = 'dbed0192 [{"step":"genesis"}]\n2773658b ["zwölf\\n"]\n';
  const values = [[{ step: 'genesis' }], ['zwölf\n']];
  await writeFile(path, earlier);
  expect(await lines()).toEqual(values);
  await write([3]);
  expect(await lines()).toEqual([...values, 3]);
  expect((await readFile(path, 'utf8')).startsWith(earlier)).toBe(true);
  await rm(path);
  await write(values);
  expect(await readFile(path, 'utf8')).toBe(earlier);
});

test('the unfinished file left by an interrupted shortening is removed at the next start', async () => {
  await write(['one', 'two']);
  await writeFile(`${path}.new`, 'half a li');
  expect(await lines()).toEqual(['one', 'two']);
  await expect(readFile(`${path}.new`)).rejects.toThrow('ENOENT');
});
