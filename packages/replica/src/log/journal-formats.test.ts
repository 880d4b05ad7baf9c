import { readFileSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { inDirectory } from '@oddlot/testing/host';
import { expect, test } from 'vitest';
import { EVERY_COMMAND } from '@oddlot/testing/venue/every-command';
import {
  block,
  crashImage,
  openJournal,
  readAll,
  segmentPaths,
} from '@oddlot/testing/venue/journal';
import { EarlierReleaseError, JournalFormatError } from './log.ts';
import { encodeSegmentHeader, SEGMENT_HEADER_BYTES, segmentName } from './journal-format.ts';
import { JournalTail } from './journal-reader.ts';
import type { LogEntry } from '../block.ts';

/**
 * The golden segment was written by release 0.2.0 and contains every command of that release, some
 * with a request. It is never regenerated.
 */
const FIRST_MS = 1_767_225_600_000;
const BLOCK_COMMANDS = 10;
const LATER: ReadonlySet<string> = new Set(['announceEra']);

function goldenSegment(): Buffer {
  const url = new URL('./golden/format-2.json', import.meta.url);
  const { header, records } = JSON.parse(readFileSync(url, 'utf8')) as Record<string, string>;
  const segment = Buffer.alloc(32 * 1024);
  segment.set(Buffer.from(header ?? '', 'base64'));
  segment.set(Buffer.from(records ?? '', 'base64'), SEGMENT_HEADER_BYTES);
  return segment;
}

function goldenEntries(): LogEntry[] {
  const known = Object.values(EVERY_COMMAND).filter(({ type }) => !LATER.has(type));
  const logged = known.map((command, index) =>
    index % 2 === 0 ? { command, request: `{"request":"é ${index}"}` } : { command },
  );
  const entries: LogEntry[] = [];
  for (let at = 0; at < logged.length; at += BLOCK_COMMANDS) {
    const commands = logged.slice(at, at + BLOCK_COMMANDS);
    entries.push({ seq: entries.length + 1, timeMs: FIRST_MS + 5 * entries.length, commands });
  }
  const { length } = entries;
  return [...entries, { seq: length + 1, timeMs: FIRST_MS + 5 * length, commands: [] }];
}

async function placeSegment(directory: string, bytes = goldenSegment()): Promise<void> {
  await mkdir(directory, { recursive: true });
  await writeFile(join(directory, segmentName(1)), bytes);
}

const clock = { nowMs: () => FIRST_MS + 1_000 };

test('a journal of release 0.2.0 is read unchanged', () =>
  inDirectory(async (directory) => {
    await placeSegment(directory);
    const journal = await openJournal(directory, { clock });
    const entries = await readAll(journal);
    expect(entries).toEqual(goldenEntries());
    // Block hashes depend on the order of keys.
    expect(JSON.stringify(entries)).toBe(JSON.stringify(goldenEntries()));
    await journal.close();
  }));

test('a journal of release 0.2.0 is continued in its last segment', () =>
  inDirectory(async (directory) => {
    await placeSegment(directory);
    const journal = await openJournal(directory, { clock });
    const golden = goldenEntries();
    const more = [await journal.append(block(1, 'one')), await journal.append(block(2))];
    expect(more.map(({ seq }) => seq)).toEqual([golden.length + 1, golden.length + 2]);
    expect(await segmentPaths(directory)).toHaveLength(1);
    expect(await readAll(journal)).toEqual([...golden, ...more]);
    const tail = new JournalTail(directory, 1);
    const followed: LogEntry[] = [];
    await tail.readUpTo(golden.length + 2, (entry) => followed.push(entry));
    await tail.close();
    expect(followed).toEqual([...golden, ...more]);
    await journal.compact({ belowSeq: golden.length + 1 });
    await journal.close();
    const again = await openJournal(directory, { clock });
    expect(await readAll(again)).toEqual([...golden, ...more]);
    await again.close();
  }));

test('a segment in format 1 is left unchanged and rejected, naming the release that upgrades it', () =>
  inDirectory(async (directory) => {
    const bytes = Buffer.alloc(32 * 1024, 7);
    bytes.set(encodeSegmentHeader({ format: 1, salt: 1, before: { seq: 0, crc: 0, timeMs: 0 } }));
    await placeSegment(directory, bytes);
    const opening = openJournal(directory);
    await expect(opening).rejects.toThrow(EarlierReleaseError);
    await expect(opening).rejects.toThrow('once with release 0.3.0');
    expect(await readFile(join(directory, segmentName(1)))).toEqual(bytes);
  }));

test('a segment in a later format is left unchanged and rejected', () =>
  inDirectory(async (directory) => {
    const later = encodeSegmentHeader({
      format: 3,
      salt: 1,
      before: { seq: 0, crc: 0, timeMs: 0 },
    });
    await placeSegment(directory, later);
    await expect(openJournal(directory)).rejects.toThrow(JournalFormatError);
    expect(await readFile(join(directory, segmentName(1)))).toEqual(later);
  }));

/**
 * Returns a command that contains arbitrary bytes. A client can send them as hex digits in a
 * string.
 */
function carrying(bytes: Buffer) {
  const { approveBuilder } = EVERY_COMMAND;
  return [{ command: { ...approveBuilder, maxFeeText: `0x${bytes.toString('hex')}` } }];
}

/**
 * Returns bytes that look like a record written much later, except for the salt, which is secret.
 */
function forged(offset: number): Buffer {
  const record = Buffer.alloc(48);
  record.writeUInt32LE(0xfac1f5c0, 0);
  record.writeUInt32LE(8, 8);
  record.writeUInt32LE(1_000, 16);
  record.writeUInt32LE(offset, 32);
  record.writeUInt32LE(crc32(record.subarray(8)), 4);
  return record;
}

test('a client cannot plant records in a command, wherever the last write is torn', () =>
  inDirectory(async (directory) => {
    const journal = await openJournal(directory);
    for (let n = 1; n <= 3; n += 1) await journal.append(block(n, `request ${n}`));
    const [path = ''] = await segmentPaths(directory);
    const before = await readFile(path);
    const start = endOfRecords(before);
    const copied = before.subarray(SEGMENT_HEADER_BYTES, start);
    const magic = Buffer.from('c0f5c1fa', 'hex');
    const planted = [magic, copied, forged(start), forged(start + 60), forged(start + 1), magic];
    const entry = await journal.append(carrying(Buffer.concat(planted)));
    const entries = await readAll(journal);
    expect(entries.at(-1)).toEqual(entry);
    const image = await crashImage(directory);
    await journal.close();
    const [imagePath = ''] = await segmentPaths(image);
    const whole = await readFile(imagePath);
    for (let at = start; at < endOfRecords(whole); at += 3) {
      const torn = Buffer.from(whole);
      torn[at] = (torn[at] ?? 0) ^ 0x40;
      await writeFile(imagePath, torn);
      const again = await openJournal(image);
      expect(again.repaired?.atSeq).toBe(4);
      expect(await readAll(again)).toEqual(entries.slice(0, 3));
      await again.close();
    }
  }));

test('records from a write that was cut off are ignored if planted in the next write', () =>
  inDirectory(async (directory) => {
    const journal = await openJournal(directory);
    await journal.append(block(1));
    const [path = ''] = await segmentPaths(directory);
    const start = endOfRecords(await readFile(path));
    await Promise.all([2, 3, 4].map((n) => journal.append(block(n))));
    const image = await crashImage(directory);
    await journal.close();
    const [imagePath = ''] = await segmentPaths(image);
    const bytes = await readFile(imagePath);
    const lost = Buffer.from(bytes.subarray(start, endOfRecords(bytes)));
    bytes[start + 9] = 0xff;
    await writeFile(imagePath, bytes);
    const again = await openJournal(image);
    expect(again.repaired?.atSeq).toBe(2);
    await again.append(carrying(lost));
    const second = await crashImage(image);
    await again.close();
    const [secondPath = ''] = await segmentPaths(second);
    const torn = await readFile(secondPath);
    torn[start + 9] = 0xff;
    await writeFile(secondPath, torn);
    const third = await openJournal(second);
    expect(third.repaired?.atSeq).toBe(2);
    expect(await readAll(third)).toHaveLength(1);
    await third.close();
  }));

/** Returns the end of the genuine records; the planted record is inside one of them. */
function endOfRecords(bytes: Buffer): number {
  let at = SEGMENT_HEADER_BYTES;
  while (bytes.readUInt32LE(at) === 0xfac1f5c0) at += 40 + bytes.readUInt32LE(at + 8);
  return at;
}
