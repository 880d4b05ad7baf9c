import { cp, mkdtemp, readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { address } from '@oddlot/units';
import { FileJournal } from '../../../packages/replica/src/log/file-journal.ts';
import type { FileJournalOptions } from '../../../packages/replica/src/log/file-journal.ts';
import {
  RECORD_HEADER_BYTES,
  RECORD_MAGIC_BYTES,
  SEGMENT_HEADER_BYTES,
} from '../../../packages/replica/src/log/journal-format.ts';
import type { LogEntry, LoggedCommand } from '../../../packages/replica/src/block.ts';

const ALICE = address(`0x${'a1'.repeat(20)}`);

/** Small segments make scans fast. Tests of segment rollover use even smaller ones. */
const TEST_SEGMENT_BYTES = 32 * 1024;

export function openJournal(
  directory: string,
  options: Partial<FileJournalOptions> = {},
): Promise<FileJournal> {
  const clock = { nowMs: () => 1_700_000_000_000 };
  const onFatal = (): void => {};
  return FileJournal.open({
    directory,
    clock,
    segmentBytes: TEST_SEGMENT_BYTES,
    onFatal,
    ...options,
  });
}

/** Returns a block with one command. The amount of the command identifies the block. */
export function block(amount: number, request?: string): LoggedCommand[] {
  const command = {
    type: 'creditFaucet',
    account: ALICE,
    subAccount: 'perp',
    amountMicroUsdc: amount,
  } as const;
  return [request === undefined ? { command } : { command, request }];
}

export async function readAll(journal: FileJournal, fromSeq = 1): Promise<LogEntry[]> {
  const entries: LogEntry[] = [];
  await journal.replay(fromSeq, (entry) => entries.push(entry), { withRequests: true });
  return entries;
}

/** Copies the files as they are now, which is how a kill at this point would leave them. */
export async function crashImage(directory: string): Promise<string> {
  const image = await mkdtemp(`${directory}-image-`);
  await cp(directory, image, { recursive: true });
  return image;
}

export async function segmentPaths(directory: string): Promise<string[]> {
  const names = (await readdir(directory)).filter((name) => name.endsWith('.log'));
  return names.toSorted().map((name) => join(directory, name));
}

/** Returns the start offset of each record in a segment, followed by the end of the last record. */
export async function recordOffsets(path: string): Promise<{ starts: number[]; end: number }> {
  const bytes = await readFile(path);
  const starts: number[] = [];
  let end = SEGMENT_HEADER_BYTES;
  while (bytes.subarray(end, end + RECORD_MAGIC_BYTES.length).equals(RECORD_MAGIC_BYTES)) {
    starts.push(end);
    end += RECORD_HEADER_BYTES + bytes.readUInt32LE(end + 8);
  }
  return { starts, end };
}
