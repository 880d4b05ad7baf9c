import {
  appendFileSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { address, hash } from '@oddlot/units';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  type Aside,
  type DepositBook,
  EMPTY_BOOK,
  type PendingDepositSum,
} from './deposit-book.ts';
import { startOf, type Watched, WatchFile } from './watch-file.ts';

let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'oddlot-watch-'));
  file = join(folder, 'watched.json');
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

const START = startOf({ chainId: 7, bridge: `0x${'b'.repeat(40)}` }, 1);
const accountOf = (n: number) => address(`0x${(n + 1).toString(16).padStart(40, '0')}`);
const POTS: DepositBook['pots'] = Object.fromEntries(
  Array.from({ length: 5_000 }, (_, n) => [accountOf(n), { amount: n + 1, parts: 1, isOwn: true }]),
);
const asideOf = (logIndex: number): Aside => ({
  reason: 'fromContract',
  account: accountOf(1),
  amount: '7',
  isOwn: true,
  source: { chainId: 7, txHash: hash(`0x${'a'.repeat(64)}`), logIndex, blockNumber: 4 },
});

function reopened(): Watched {
  const notes = new WatchFile(file);
  const last = notes.last(START);
  notes.close();
  return last;
}

test('changes are appended to the file, so that many held deposits do not slow down every block', () => {
  const notes = new WatchFile(file);
  const first: Watched = { ...START, block: 4, book: { ...EMPTY_BOOK, pots: POTS } };
  notes.write(first);
  const { size } = statSync(file);
  let watched = first;
  for (let block = 5; block < 25; block++) {
    const pots: Record<string, PendingDepositSum> = {
      ...watched.book.pots,
      [accountOf(block)]: { amount: block, parts: 2, isOwn: false },
    };
    delete pots[accountOf(1_000 + block)];
    const aside = [...watched.book.aside, asideOf(block)].slice(-3);
    watched = { ...watched, block, blockHash: '0x01', book: { ...watched.book, pots, aside } };
    notes.write(watched);
  }
  expect(statSync(file).size - size).toBeLessThan(20 * 1_500);
  notes.close();
  expect(reopened()).toEqual(watched);
});

test('a file written by an earlier release is read once and continued, unless it belongs to another bridge', () => {
  const text = JSON.stringify({
    ...START,
    block: 9,
    book: { pots: {}, aside: [asideOf(1)], minted: '5', vanished: [] },
  });
  writeFileSync(file, `${crc32(text).toString(16).padStart(8, '0')} ${text}`);
  const expected = {
    ...START,
    block: 9,
    book: { ...EMPTY_BOOK, aside: [asideOf(1)], minted: '5' },
  };
  expect(reopened()).toEqual(expected);
  expect(reopened()).toEqual(expected);
  const notes = new WatchFile(file);
  expect(notes.last({ ...START, chainId: 8 })).toEqual({ ...START, chainId: 8 });
  notes.close();
});

test('an incomplete last line is removed, and a damaged file is set aside and reported', () => {
  const notes = new WatchFile(file);
  notes.write({ ...START, block: 4 });
  notes.write({ ...START, block: 5 });
  notes.close();
  appendFileSync(file, '0123456789abcdef+{"acc');
  expect(reopened().block).toBe(5);
  const changed = readFileSync(file, 'utf8').replace('"block":4', '"block":7');
  writeFileSync(file, changed);
  const warnings: string[] = [];
  const other = new WatchFile(file, (why) => warnings.push(why));
  expect(other.last(START)).toEqual(START);
  other.close();
  expect(warnings).toHaveLength(1);
  expect(readFileSync(`${file}.damaged`, 'utf8')).toBe(changed);
});
