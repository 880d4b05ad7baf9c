import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  payoutOf,
  type PayoutRecord,
  PayoutRecords,
  signaturesOf,
  signatureTexts,
} from './payout-record.ts';

let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'oddlot-records-'));
  file = join(folder, 'deep', 'payouts.jsonl');
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

const record = (withdrawalId: number, more: Partial<PayoutRecord> = {}): PayoutRecord => ({
  withdrawalId,
  user: `0x${'1'.repeat(40)}`,
  destination: `0x${'2'.repeat(40)}`,
  usd: String(2n ** 63n),
  requestedMs: 1,
  chainId: 7,
  bridge: `0x${'3'.repeat(40)}`,
  status: 'held',
  updatedMs: 2,
  ...more,
});

function reopened(): readonly PayoutRecord[] {
  const records = new PayoutRecords(file);
  const all = records.all();
  records.close();
  return all;
}

test('the newest flushed record of each payout is read back, ordered by payout number', () => {
  const records = new PayoutRecords(file);
  records.put(record(10));
  records.put(record(9));
  records.flush();
  records.put(record(10, { status: 'sent' }));
  records.flush();
  records.put(record(11));
  records.close();
  expect(reopened()).toEqual([record(9), record(10, { status: 'sent' })]);
});

test('an incomplete last line is removed from the file', () => {
  const records = new PayoutRecords(file);
  records.put(record(1));
  records.flush();
  records.close();
  appendFileSync(file, JSON.stringify(record(2)).slice(0, 40));
  expect(reopened()).toEqual([record(1)]);
  expect(readFileSync(file, 'utf8').split('\n')).toHaveLength(2);
});

test('a damaged line is ignored, and a copy of the damaged file is kept', () => {
  const records = new PayoutRecords(file);
  for (const id of [1, 2, 3]) records.put(record(id));
  records.flush();
  records.close();
  const text = readFileSync(file, 'utf8');
  // The changed line can still be parsed but has a different meaning.
  writeFileSync(file, text.replace('"withdrawalId":2', '"withdrawalId":7'));
  const opened = new PayoutRecords(file);
  expect(opened.damaged).toBe(1);
  expect(opened.all()).toEqual([record(1), record(3)]);
  opened.close();
  expect(readFileSync(`${file}.damaged`, 'utf8')).toContain('"withdrawalId":7');
  expect(reopened()).toEqual([record(1), record(3)]);
});

test('a thousand ended payouts are kept, and the file does not grow as they change', () => {
  const end = { paid: true, block: 1, blockHash: '0x1' } as const;
  const records = new PayoutRecords(file);
  records.put(record(1));
  for (let id = 2; id <= 1_502; id++) records.put(record(id, { end }));
  for (let change = 0; change < 10_000; change++) {
    records.put(record(1, { updatedMs: change }));
    if (change % 100 === 0) records.flush();
  }
  records.flush();
  records.close();
  const all = reopened();
  expect(all).toHaveLength(1_001);
  expect(all[0]).toEqual(record(1, { updatedMs: 9_999 }));
  expect(all[1]?.withdrawalId).toBe(503);
  expect(readFileSync(file, 'utf8').split('\n').length).toBeLessThan(6_000);
});

test('stored amounts and signatures keep all their digits', () => {
  const signed = [
    { address: record(1).user, signature: { r: 2n ** 255n, s: 2n ** 254n + 1n, v: 28 } },
  ];
  const restored = JSON.parse(JSON.stringify(record(1, { signatures: signatureTexts(signed) })));
  expect(signaturesOf(restored as PayoutRecord)).toEqual(signed);
  expect(payoutOf(restored as PayoutRecord).usd).toBe(2n ** 63n);
});
