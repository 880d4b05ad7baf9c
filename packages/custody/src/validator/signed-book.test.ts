import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
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

test('R-withdraw: signed withdrawals are remembered across a restart and never signed on other terms', () => {
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

test('a cancellation is stored in addition to the payout for the same withdrawal', () => {
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

function written(...ids: readonly string[]): Buffer {
  const book = new SignedBook(file);
  for (const withdrawalId of ids) book.add({ ...PAYOUT, withdrawalId });
  book.close();
  return readFileSync(file);
}

const idsOf = (book: SignedBook): string[] => book.latest.map(({ withdrawalId }) => withdrawalId);

test('a torn line is removed, and a line that lacks only its newline counts', () => {
  const bytes = written('7', '8');
  const first = bytes.indexOf('\n') + 1;
  for (let length = first; length < bytes.length - 1; length += 17) {
    writeFileSync(file, bytes.subarray(0, length));
    const torn = new SignedBook(file);
    expect(idsOf(torn)).toEqual(['7']);
    torn.add({ ...PAYOUT, withdrawalId: '9' });
    torn.close();
    expect(idsOf(reopened())).toEqual(['7', '9']);
  }
  writeFileSync(file, bytes.subarray(0, -1));
  expect(idsOf(reopened())).toEqual(['7', '8']);
  expect(readFileSync(file)).toEqual(bytes);
});

test('a changed byte or a missing line prevents startup, and the error is a single sentence', () => {
  const bytes = written('7', '8', '9');
  const ends = [...bytes.entries()].flatMap(([at, byte]) => (byte === 10 ? [at] : []));
  for (let at = 0; at < ends[1]!; at += 7) {
    const changed = Buffer.from(bytes);
    changed[at]! ^= 1;
    writeFileSync(file, changed);
    expect(() => new SignedBook(file), `byte ${at}`).toThrow(BookDamagedError);
    expect(() => new SignedBook(file)).toThrow(/signed\.jsonl: line \d is damaged\. Restore/);
  }
  const without = [bytes.subarray(0, ends[0]! + 1), bytes.subarray(ends[1]! + 1)];
  writeFileSync(file, Buffer.concat(without));
  expect(() => new SignedBook(file)).toThrow('line 2 is damaged');
  // Damage to the end of the last line does not invalidate the line's content.
  const flipped = Buffer.from(bytes);
  flipped[bytes.length - 1]! ^= 1;
  writeFileSync(file, flipped);
  expect(idsOf(reopened())).toEqual(['7', '8', '9']);
});

/** A journal as written by release 0.3.0. */
const EARLIER = `{"timeMs":1,"chainId":7,"bridge":"0xb1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1","withdrawalId":"3","user":"0xa1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1","type":"payout","destination":"0xd1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1","usd":"1900000","check":"023d97d5ef7867dc"}
{"timeMs":2,"chainId":7,"bridge":"0xb1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1","withdrawalId":"3","user":"0xa1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1","type":"cancellation","reason":"refused","check":"506e8a76c77e6038"}
`;

test('a journal written by an earlier release is read and continued, and writing its records again yields an identical file', () => {
  mkdirSync(dirname(file));
  writeFileSync(file, EARLIER);
  const book = new SignedBook(file);
  const records = [...book.latest];
  expect(records).toHaveLength(2);
  expect(() => book.has({ ...records[0], usd: '1' } as SignedRecord)).toThrow(OtherTermsError);
  book.add({ ...PAYOUT, withdrawalId: '4' });
  book.close();
  expect(idsOf(reopened())).toEqual(['3', '3', '4']);
  expect(readFileSync(file, 'utf8').startsWith(EARLIER)).toBe(true);
  rmSync(file);
  const anew = new SignedBook(file);
  for (const record of records) anew.add(record);
  anew.close();
  expect(readFileSync(file, 'utf8')).toBe(EARLIER);
});
