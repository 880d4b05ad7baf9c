import { DatabaseSync } from 'node:sqlite';
import { hash } from '@oddlot/units';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ReceiptAppender } from './receipt-appender.ts';
import type { PackedBlock } from './receipt-messages.ts';

/** R-disk: receipts wait for room, in order; the failure is SQLite's own, of a database at its limit. */

const RETRY_MS = 1_000;
/** More than the pages that a database at its limit may have. */
const TEXT = 'x'.repeat(20_000);

let database: DatabaseSync;

beforeEach(() => {
  vi.useFakeTimers();
  database = new DatabaseSync(':memory:');
  database.exec('CREATE TABLE blocks (height INTEGER PRIMARY KEY, text TEXT)');
});
afterEach(() => {
  vi.useRealTimers();
  database.close();
});

const limitPages = (count: number): void => database.exec(`PRAGMA max_page_count = ${count}`);
const heights = (): unknown[] =>
  database
    .prepare('SELECT height FROM blocks ORDER BY height')
    .all()
    .map(({ height }) => height);

function appenderOf(stored: number[]): ReceiptAppender {
  const insert = database.prepare('INSERT INTO blocks VALUES (?, ?)');
  return new ReceiptAppender({
    write: (blocks) => blocks.forEach(({ height, text }) => insert.run(height, text)),
    onStored: (rows) => stored.push(rows),
    retryMs: RETRY_MS,
  });
}

const blockAt = (height: number, text = TEXT): PackedBlock => ({
  height,
  timeMs: height,
  blockHash: hash(`0x${'ab'.repeat(32)}`),
  count: height,
  text,
  keys: new Float64Array(),
});

test('R-disk: receipts that find no room are stored later, in order, and told once', () => {
  const stored: number[] = [];
  const appender = appenderOf(stored);
  limitPages(3);
  appender.append([blockAt(1)]);
  // This one alone would fit, but must not overtake.
  appender.append([blockAt(2, 'short')]);
  vi.advanceTimersByTime(3 * RETRY_MS);
  expect({ stored, heights: heights() }).toEqual({ stored: [], heights: [] });
  limitPages(1_000);
  vi.advanceTimersByTime(RETRY_MS);
  expect({ stored, heights: heights() }).toEqual({ stored: [1, 2], heights: [1, 2] });
  appender.append([blockAt(3)]);
  expect(stored).toEqual([1, 2, 3]);
});

test('any other failure is not waited for', () => {
  const appender = appenderOf([]);
  appender.append([blockAt(1)]);
  expect(() => appender.append([blockAt(1)])).toThrow(/UNIQUE/);
});
