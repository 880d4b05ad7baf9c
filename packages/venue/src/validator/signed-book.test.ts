import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { BookDamagedError, OtherTermsError, SignedBook, type SignedRecord } from './signed-book.ts';

const PAYOUT: SignedRecord = {
  timeMs: 1,
  type: 'payout',
  chainId: 421_614,
  bridge: `0x${'b1'.repeat(20)}`,
  withdrawalId: '7',
  user: `0x${'a1'.repeat(20)}`,
  destination: `0x${'d1'.repeat(20)}`,
  usd: '1900000',
};

let folder = '';
let file = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'oddlot-book-'));
  file = join(folder, 'deep', 'signed.jsonl');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function reopened(): SignedBook {
  const book = new SignedBook(file);
  book.close();
  return book;
}

test('R-withdraw: what was signed is known after a restart, and never signed in other terms', () => {
  const book = new SignedBook(file);
  expect(book.has(PAYOUT)).toBe(false);
  book.add(PAYOUT);
  book.add({ ...PAYOUT, timeMs: 2 });
  book.close();
  const again = reopened();
  expect(again.count).toBe(1);
  expect(again.latest).toEqual([PAYOUT]);
  expect(again.has({ ...PAYOUT, timeMs: 9 })).toBe(true);
  const others: Partial<SignedRecord>[] = [
    { usd: '1900001' } as Partial<SignedRecord>,
    { destination: PAYOUT.user } as Partial<SignedRecord>,
    { user: PAYOUT.bridge },
    { bridge: `0x${'b2'.repeat(20)}` },
    { chainId: 42_161 },
  ];
  for (const other of others) {
    expect(() => again.has({ ...PAYOUT, ...other } as SignedRecord)).toThrow(OtherTermsError);
  }
});

test('a cancellation is kept beside the payout of the same withdrawal', () => {
  const { bridge, chainId, user, withdrawalId } = PAYOUT;
  const place = { timeMs: 3, chainId, bridge, user, withdrawalId };
  const cancellation: SignedRecord = { ...place, type: 'cancellation', reason: 'barred' };
  const book = new SignedBook(file);
  book.add(PAYOUT);
  expect(book.has(cancellation)).toBe(false);
  book.add(cancellation);
  book.close();
  const again = reopened();
  expect([again.has(PAYOUT), again.has(cancellation), again.count]).toEqual([true, true, 2]);
});

test('a line that a crash tore is cut', () => {
  const book = new SignedBook(file);
  book.add(PAYOUT);
  book.close();
  const whole = readFileSync(file, 'utf8');
  const next = `${JSON.stringify({ ...PAYOUT, withdrawalId: '8' })}\n`;
  for (let length = 1; length < next.length; length += 23) {
    writeFileSync(file, whole);
    appendFileSync(file, next.slice(0, length));
    const torn = new SignedBook(file);
    torn.add({ ...PAYOUT, withdrawalId: '9' });
    torn.close();
    expect(reopened().latest.map(({ withdrawalId }) => withdrawalId)).toEqual(['7', '9']);
  }
});

test('a line that is damaged stops the start: what it said may have been a signature', () => {
  const book = new SignedBook(file);
  book.add(PAYOUT);
  book.close();
  writeFileSync(file, `{"type":"pay\n${readFileSync(file, 'utf8')}`);
  expect(() => new SignedBook(file)).toThrow(BookDamagedError);
});
