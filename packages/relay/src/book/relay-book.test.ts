import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RecordFile } from '@oddlot/host/durable';
import type { Hex } from 'viem';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type GivenAddress, RelayBook, type Transfer } from './relay-book.ts';

const SENDER: Hex = `0x${'a1'.repeat(20)}`;
const PEG: GivenAddress = {
  kind: 'peg',
  id: 'peg-1',
  index: 0,
  address: `0x${'b2'.repeat(20)}`,
  chain: 'base',
  dstAddr: `0x${'c3'.repeat(20)}`,
  accountType: 'perp',
  minMicro: '2000000',
  feeMicro: '100000',
  createMs: 1_000,
  expireMs: 90_000_000,
};
const KINDS = { cameTo: 'perp', cameFrom: 'perp' } as const;

let directory: string;
let file: string;
let book: RelayBook;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'oddlot-book-'));
  file = join(directory, 'relay.jsonl');
  book = new RelayBook(file);
});
afterEach(() => {
  book.close();
  rmSync(directory, { recursive: true });
});

const bytes = (): number => statSync(file).size;
const hashOf = (n: number): Hex => `0x${n.toString(16).padStart(64, '0')}`;

function arrive(n: number, amountMicro = '1'): void {
  const money = { key: hashOf(n), txHash: hashOf(n), amountMicro };
  book.arrive(PEG, { ...money, ...KINDS, user: SENDER }, 2_000 + n);
}

function again(): readonly Transfer[] {
  book.close();
  book = new RelayBook(file);
  return book.transfersOf(PEG.id);
}

test('a tiny amount adds one line to the journal without repeating earlier ones', () => {
  book.addAddress(PEG);
  for (let n = 0; n < 150; n++) arrive(n);
  const before = bytes();
  arrive(150);
  expect(bytes() - before).toBeLessThan(400);
  expect(before).toBeLessThan(150 * 400);
});

test('a restart restores every arrival once, with its state', () => {
  book.addAddress(PEG);
  for (let n = 0; n < 250; n++) arrive(n);
  arrive(250, '3000000');
  const transfers = book.transfersOf(PEG.id);
  expect(transfers.map(({ arrivals, state }) => [arrivals.length, state])).toEqual([
    [200, 'collecting'],
    [51, 'paying'],
  ]);
  expect(transfers[1]?.updateMs).toBe(2_250);
  expect(again()).toEqual(transfers);
  for (let n = 0; n < 251; n++) arrive(n);
  expect(book.transfersOf(PEG.id)).toEqual(transfers);
});

test('a journal written by an earlier release is continued', () => {
  book.addAddress(PEG);
  arrive(1);
  const [first] = book.transfersOf(PEG.id);
  // Earlier releases rewrote the whole transfer for each arrival.
  const second = { key: hashOf(2), txHash: hashOf(2), amountMicro: '1' };
  const records = new RecordFile(file);
  records.read();
  records.append([{ transfer: { ...first, arrivals: [...first!.arrivals, second] } }]);
  records.close();
  expect(again()[0]?.arrivals).toHaveLength(2);
  arrive(2);
  arrive(3);
  expect(again()[0]?.arrivals.map(({ key }) => key)).toEqual([1, 2, 3].map(hashOf));
});

test('the journal is rewritten during operation once most of it is obsolete', () => {
  book.addAddress(PEG);
  for (let n = 0; n < 150; n++) arrive(n);
  const [transfer] = book.transfersOf(PEG.id);
  let longest = 0;
  for (let attempt = 1; attempt <= 120; attempt++) {
    book.put({ ...transfer!, attempt });
    longest = Math.max(longest, bytes());
  }
  // The relay writes about 3 MB in total.
  expect(longest).toBeLessThan(1_200_000);
  arrive(150);
  const transfers = book.transfersOf(PEG.id);
  expect(transfers).toMatchObject([{ attempt: 120 }]);
  expect(again()).toEqual(transfers);
  expect(readFileSync(file, 'utf8')).toContain('"peg-1"');
});
