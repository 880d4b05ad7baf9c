import { randomBytes } from 'node:crypto';
import { open, readdir, rename, rm, unlink } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { syncDirectory, writeFully } from './durable-files.ts';
import { JournalDamagedError } from './journal-error.ts';
import {
  MARK_BYTES,
  MARK_OFFSET,
  SEGMENT_HEADER_BYTES,
  decodeMark,
  decodeSegmentHeader,
  encodeMark,
  encodeSegmentHeader,
  firstSeqOf,
  segmentName,
} from './journal-format.ts';
import type { Chain, EndMark, SegmentHeader } from './journal-format.ts';

/** A segment file as its header describes it. */
export type Segment = {
  readonly path: string;
  readonly firstSeq: number;
  readonly header: SegmentHeader;
  readonly mark?: EndMark;
};

const UNFINISHED_SUFFIX = '.new';

/** The segments of a directory in order. Removes what a crash while creating one left behind. */
export async function listSegments(directory: string): Promise<Segment[]> {
  for (const name of await readdir(directory)) {
    if (/^journal-\d{16}\.log\.new$/.test(name)) await unlink(join(directory, name));
  }
  return readSegments(directory);
}

/** The same beside whoever writes them: changes nothing. */
export async function readSegments(directory: string): Promise<Segment[]> {
  const names = await readdir(directory);
  const segments: Segment[] = [];
  for (const name of names.toSorted()) {
    const firstSeq = firstSeqOf(name);
    if (firstSeq !== undefined) segments.push(await readSegment(join(directory, name), firstSeq));
  }
  return segments;
}

async function readSegment(path: string, firstSeq: number): Promise<Segment> {
  const handle = await open(path, 'r');
  try {
    const page = Buffer.alloc(SEGMENT_HEADER_BYTES);
    const { bytesRead } = await handle.read(page, 0, SEGMENT_HEADER_BYTES, 0);
    const header = decodeSegmentHeader(page.subarray(0, bytesRead));
    if (header === undefined || header.before.seq + 1 !== firstSeq) {
      const what = 'the header of the segment is not intact';
      throw new JournalDamagedError({ file: path, offset: 0, seq: firstSeq, what });
    }
    const mark = decodeMark(page, header.salt);
    return { path, firstSeq, header, ...(mark === undefined ? {} : { mark }) };
  } finally {
    await handle.close();
  }
}

/**
 * Creates the segment that continues a chain. It gets its name only when its header is on disk, so
 * a segment without an intact header is damage and never a crash at the wrong moment.
 */
export async function createSegment(
  directory: string,
  before: Chain,
): Promise<{ segment: Segment; handle: FileHandle }> {
  const header: SegmentHeader = { salt: randomBytes(4).readUInt32LE(0), before };
  const path = join(directory, segmentName(before.seq + 1));
  const handle = await open(path + UNFINISHED_SUFFIX, 'w+');
  try {
    await writeFully(handle, encodeSegmentHeader(header), 0);
    await handle.sync();
    await rename(path + UNFINISHED_SUFFIX, path);
    await syncDirectory(directory);
  } catch (error) {
    await handle.close();
    // Entries may still go to the segment before: a second one of the same number must not be found.
    for (const left of [path + UNFINISHED_SUFFIX, path]) await rm(left, { force: true });
    throw error;
  }
  return { segment: { path, firstSeq: before.seq + 1, header }, handle };
}

/** Writes the end mark of a segment, or wipes it, and waits until that is on disk. */
export async function writeMark(
  handle: FileHandle,
  salt: number,
  mark: EndMark | undefined,
): Promise<void> {
  const bytes = mark === undefined ? Buffer.alloc(MARK_BYTES) : encodeMark(mark, salt);
  await writeFully(handle, bytes, MARK_OFFSET);
  await handle.datasync();
}

/** Removes a segment for good before anything else happens: segments must vanish in order. */
export async function removeSegment(directory: string, segment: Segment): Promise<void> {
  await unlink(segment.path);
  await syncDirectory(directory);
}
