import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { SendJournal, type SendRecord, SendsDamagedError } from './send-journal.ts';

let directory: string;
let file: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'oddlot-sends-'));
  file = join(directory, 'relayer.jsonl');
});

afterEach(() => rmSync(directory, { recursive: true, force: true }));

const record = (n: number): SendRecord => ({
  key: `send ${n}`,
  to: '0x01',
  data: '0x',
  gas: '21000',
  nonce: n,
  askedMs: n,
  attempts: [],
  mined: undefined,
});

function written(count: number): Buffer {
  const journal = new SendJournal(file);
  for (let n = 0; n < count; n++) journal.put(record(n));
  journal.close();
  return readFileSync(file);
}

test('stored records are read back, and a torn last line is ignored', () => {
  written(3);
  appendFileSync(file, '0123abcd {"key":"send 3","to"');
  const journal = new SendJournal(file);
  expect(journal.keys()).toEqual(['send 0', 'send 1', 'send 2']);
  expect(journal.waiting().map(({ nonce }) => nonce)).toEqual([0, 1, 2]);
  journal.close();
});

test('if any byte in the journal has changed, its file and line are reported and nothing is sent', () => {
  const content = written(3);
  for (let at = 0; at < content.length - 1; at += 7) {
    const changed = Buffer.from(content);
    changed[at] = (changed[at] ?? 0) ^ 1;
    writeFileSync(file, changed);
    expect(() => new SendJournal(file)).toThrow(SendsDamagedError);
    expect(() => new SendJournal(file)).toThrow(/relayer\.jsonl: line \d is damaged/);
    expect(readFileSync(file)).toEqual(changed);
  }
});
