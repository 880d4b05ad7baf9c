import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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

test('what was appended is read again, in its order', () => {
  expect(read()).toEqual({ records: [], damaged: [] });
  written({ n: 1 }, { text: 'zwölf\n' });
  written(['three']);
  expect(read()).toEqual({ records: [{ n: 1 }, { text: 'zwölf\n' }, ['three']], damaged: [] });
});

test('the torn line of a crash goes, and what follows stands by itself', () => {
  written({ n: 1 });
  appendFileSync(file, '0123abcd {"n":2,"te');
  written({ n: 3 });
  expect(read()).toEqual({ records: [{ n: 1 }, { n: 3 }], damaged: [] });
});

test('a line that was changed is told by its number, and nothing of the file is touched', () => {
  written({ n: 1 }, { n: 2 }, { n: 3 });
  const changed = readFileSync(file, 'utf8').replace('"n":2', '"n":7');
  writeFileSync(file, `${changed}torn`);
  expect(read()).toEqual({ records: [{ n: 1 }, { n: 3 }], damaged: [2] });
  expect(readFileSync(file, 'utf8')).toBe(`${changed}torn`);
});

test('a file with many lines of few records is written anew', () => {
  const opened = new RecordFile(file);
  opened.read();
  const records = new Map<number, unknown>();
  for (let n = 0; n < 4_200; n++) {
    records.set(n % 3, { n });
    opened.append([{ n }]);
    if (n % 100 === 99) opened.shorten(records);
  }
  opened.append([{ n: 'last' }]);
  opened.close();
  const { records: left } = read();
  expect(left.length).toBeLessThan(200);
  expect(left.at(-1)).toEqual({ n: 'last' });
  expect(existsSync(`${file}.new`)).toBe(false);
});

/** Appends until the file may not grow any more, tells how often that went well, and tries once more. */
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

test('R-disk: without room nothing is half written, and what was there stays', () => {
  const limited = `trap '' XFSZ; ulimit -f 16; exec "$0" --input-type=module -e "$1" "$2" "$3"`;
  const module = join(import.meta.dirname, 'record-file.ts');
  const output = execFileSync('/bin/sh', ['-c', limited, process.execPath, FILLING, module, file]);
  const { again, code, count, replaced } = JSON.parse(output.toString());
  expect({ code, again, replaced }).toEqual({ code: 'EFBIG', again: 'EFBIG', replaced: 'EFBIG' });
  expect(count).toBeGreaterThan(5);
  expect(existsSync(`${file}.new`)).toBe(false);
  written({ n: 'with room again' });
  const { damaged, records } = read();
  expect(damaged).toEqual([]);
  expect(records.length).toBe(count + 1);
});
