import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { crc32 } from 'node:zlib';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { RecordFile } from './record-file.ts';

let directory: string;
let file: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'oddlot-records-'));
  file = join(directory, 'within', 'records.jsonl');
});

afterEach(() => rmSync(directory, { recursive: true, force: true }));

function written(...records: unknown[]): void {
  const opened = new RecordFile(file);
  opened.read();
  opened.append(records);
  opened.close();
}

function read(): ReturnType<RecordFile['read']> {
  const opened = new RecordFile(file);
  const lines = opened.read();
  opened.close();
  return lines;
}

test('appended records are read back in order', () => {
  expect(read()).toEqual({ records: [], damaged: [] });
  written({ n: 1 }, { text: 'zwölf\n' });
  written(['three']);
  expect(read()).toEqual({ records: [{ n: 1 }, { text: 'zwölf\n' }, ['three']], damaged: [] });
});

test('a line torn by a crash is removed before the next one is written', () => {
  written({ n: 1 });
  appendFileSync(file, '0123abcd {"n":2,"te');
  written({ n: 3 });
  expect(read()).toEqual({ records: [{ n: 1 }, { n: 3 }], damaged: [] });
});

test('an altered line is reported by its number, and the file is not changed', () => {
  written({ n: 1 }, { n: 2 }, { n: 3 });
  const changed = readFileSync(file, 'utf8').replace('"n":2', '"n":7');
  writeFileSync(file, `${changed}torn`);
  expect(read()).toEqual({ records: [{ n: 1 }, { n: 3 }], damaged: [2] });
  expect(readFileSync(file, 'utf8')).toBe(`${changed}torn`);
});

test('a missing, duplicated or reordered line is reported as damage', () => {
  written({ n: 1 }, { n: 2 });
  written({ n: 3 });
  written({ n: 4 });
  const [one, two, three, four] = readFileSync(file, 'utf8').split('\n');
  for (const [changed, damaged] of [
    [[two, three, four], [1]],
    [[one, three, four], [2]],
    [[one, two, four], [3]],
    [[one, two, three, three, four], [4]],
    [
      [one, two, four, three],
      [3, 4],
    ],
  ] as const) {
    writeFileSync(file, `${changed.join('\n')}\n`);
    expect(read().damaged).toEqual(damaged);
  }
});

test('if a crash interrupts an append of several records, none of them is kept', () => {
  written({ n: 1 });
  const before = readFileSync(file);
  written({ n: 2 }, { n: 3 }, { n: 4 });
  const whole = readFileSync(file);
  for (let end = before.length; end < whole.length; end++) {
    writeFileSync(file, whole.subarray(0, end));
    expect(read()).toEqual({ records: [{ n: 1 }], damaged: [] });
    expect(readFileSync(file)).toEqual(before);
  }
  // The disk wrote the end of the append but not its beginning.
  for (let end = before.length + 1; end < whole.length; end++) {
    writeFileSync(file, Buffer.from(whole).fill(0, before.length, end));
    expect(read()).toEqual({ records: [{ n: 1 }], damaged: [] });
  }
  // A crash cannot cause a hole in earlier lines.
  writeFileSync(file, Buffer.from(whole).fill(0, 20, 22));
  expect(read().damaged).toContain(1);
});

test('a file from an earlier release is read and continued', () => {
  mkdirSync(dirname(file));
  const lines = [{ n: 1 }, { text: 'zwölf' }].map((record) => {
    const text = JSON.stringify(record);
    return `${crc32(text).toString(16).padStart(8, '0')} ${text}\n`;
  });
  writeFileSync(file, lines.join(''));
  expect(read()).toEqual({ records: [{ n: 1 }, { text: 'zwölf' }], damaged: [] });
  written({ n: 3 });
  expect(read()).toEqual({ records: [{ n: 1 }, { text: 'zwölf' }, { n: 3 }], damaged: [] });
  const text = readFileSync(file, 'utf8');
  expect(text.startsWith(lines.join(''))).toBe(true);
  // The checksum of appended lines also covers the old lines, so that a removed or inserted line is
  // detected.
  writeFileSync(file, text.slice(lines[0]?.length));
  expect(read().damaged).toEqual([2]);
  writeFileSync(file, text + lines[0]);
  expect(read().damaged).toEqual([4]);
});

test('a file from release 0.3.0 is read, and rewriting its records yields an identical file', () => {
  mkdirSync(dirname(file));
  const earlier =
    '6e49fda03c8e3b3b+{"n":1}\na1ad19b959a74861 {"text":"zwölf\\n"}\n529a2fb70c45f394 3\n';
  writeFileSync(file, earlier);
  expect(read()).toEqual({ records: [{ n: 1 }, { text: 'zwölf\n' }, 3], damaged: [] });
  rmSync(file);
  written({ n: 1 }, { text: 'zwölf\n' });
  written(3);
  expect(readFileSync(file, 'utf8')).toBe(earlier);
});

test('lines longer than the read buffer, and files with many lines, are read in full', () => {
  const records = [1, 700_000, 2_500_000, 3, 1_048_576].map((length) => 'ü'.repeat(length / 2));
  written(...records);
  const opened = new RecordFile(file);
  expect(opened.read()).toEqual({ records, damaged: [] });
  opened.replace(records.toReversed());
  expect(opened.bytes).toBe(readFileSync(file).length);
  opened.append(['more']);
  opened.close();
  expect(read().records).toEqual([...records.toReversed(), 'more']);
});

test('after a failed sync, a record file accepts no more writes', () => {
  const opened = new RecordFile(file);
  opened.read();
  opened.append([{ n: 1 }]);
  opened.close();
  // The descriptor is closed, so neither the write nor the truncation that would undo it succeeds.
  expect(() => opened.append([{ n: 2 }])).toThrow('EBADF');
  expect(() => opened.append([{ n: 2 }])).toThrow('cannot be written');
  expect(() => opened.replace([{ n: 2 }])).toThrow('cannot be written');
  expect(read().records).toEqual([{ n: 1 }]);
});

test('a file with many more lines than records is rewritten', () => {
  const opened = new RecordFile(file);
  opened.read();
  const records = new Map<number, unknown>();
  for (let hundred = 0; hundred < 42; hundred++) {
    const some = Array.from({ length: 100 }, (_, at) => ({ n: 100 * hundred + at }));
    for (const record of some) records.set(record.n % 3, record);
    opened.append(some);
    opened.shorten(records);
  }
  opened.append([{ n: 'last' }]);
  opened.close();
  const { records: left } = read();
  expect(left.length).toBeLessThan(200);
  expect(left.at(-1)).toEqual({ n: 'last' });
  expect(existsSync(`${file}.new`)).toBe(false);
});

/**
 * This program appends until the file reaches its size limit, prints the number of successful
 * appends, and tries once more.
 */
const FILLING = `
const { RecordFile } = await import(process.argv[1]);
const opened = new RecordFile(process.argv[2]);
opened.read();
let count = 0;
const append = () => { try { opened.append([{ count, text: 'x'.repeat(300) }]); count++; return ''; } catch (error) { return error.code; } };
let code = '';
while ((code = append()) === '') if (count > 10_000) throw new Error('the limit does not hold');
const records = new Map([[1, { n: 'y'.repeat(100_000) }]]);
let replaced = 'replaced';
try { opened.replace(records.values()); } catch (error) { replaced = error.code; }
console.log(JSON.stringify({ count, code, again: append(), replaced }));
`;

test('R-disk: a record that does not fit on the disk is not partially written, and existing records remain', () => {
  const limited = `trap '' XFSZ; ulimit -f 16; exec "$0" --input-type=module -e "$1" "$2" "$3"`;
  const module = join(import.meta.dirname, 'record-file.ts');
  const output = execFileSync('/bin/sh', ['-c', limited, process.execPath, FILLING, module, file]);
  const { again, code, count, replaced } = JSON.parse(output.toString());
  expect({ code, again, replaced }).toEqual({ code: 'EFBIG', again: 'EFBIG', replaced: 'EFBIG' });
  expect(count).toBeGreaterThan(5);
  expect(existsSync(`${file}.new`)).toBe(false);
  written({ n: 'with space again' });
  const { damaged, records } = read();
  expect(damaged).toEqual([]);
  expect(records.length).toBe(count + 1);
});
