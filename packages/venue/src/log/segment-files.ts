import { randomBytes } from 'node:crypto';
import { open, readdir, rename, rm, unlink } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { OWN_FILE, syncDirectory, writeFully } from '@oddlot/host/durable';
import {
  COMPRESSED_SUFFIX,
  FORMAT_VERSION,
  MARK_BYTES,
  MARK_OFFSET,
  encodeMark,
  encodeSegmentHeader,
  parseSegmentName,
  segmentName,
} from './journal-format.ts';
import type { Chain, EndMark, SegmentHeader } from './journal-format.ts';
import { openSegment } from './segment-source.ts';

/** A segment file as its header describes it. */
export type Segment = {
  readonly path: string;
  readonly firstSeq: number;
  readonly header: SegmentHeader;
  readonly mark?: EndMark;
  readonly isCompressed: boolean;
};

const UNFINISHED_SUFFIX = '.new';
/** Enough for the compressed header, which is mostly zeros. */
const HEADER_READ_BYTES = 1_024;
const LEFT_UNFINISHED = /^journal-\d{16}\.log(?:\.zst)?\.new$/;

/**
 * The segments of a directory in order. Removes what a crash left behind while one was created or
 * compressed: where both forms are there, the plain one is the original.
 */
export async function listSegments(directory: string): Promise<Segment[]> {
  const names = new Set(await readdir(directory));
  for (const name of names) {
    const isUnfinished = LEFT_UNFINISHED.test(name);
    const isSecond =
      parseSegmentName(name)?.isCompressed === true &&
      names.has(name.slice(0, -COMPRESSED_SUFFIX.length));
    if (isUnfinished || isSecond) await unlink(join(directory, name));
  }
  return readSegments(directory);
}

/** The same beside whoever writes them: changes nothing. */
export async function readSegments(directory: string): Promise<Segment[]> {
  // A segment that changes its form while the names are read could be missed once, but not twice.
  const names = new Set([...(await readdir(directory)), ...(await readdir(directory))]);
  const segments: Segment[] = [];
  for (const name of [...names].toSorted()) {
    const parsed = parseSegmentName(name);
    if (parsed === undefined || parsed.firstSeq === segments.at(-1)?.firstSeq) continue;
    const segment = await readSegment(join(directory, name), parsed.firstSeq);
    if (segment !== undefined) segments.push(segment);
  }
  return segments;
}

/** Undefined when it was removed meanwhile. */
export async function readSegment(path: string, firstSeq: number): Promise<Segment | undefined> {
  const source = await openSegment(path, firstSeq, HEADER_READ_BYTES);
  if (source === undefined) return undefined;
  await source.close();
  const { header, mark } = source;
  const isCompressed = source.path.endsWith(COMPRESSED_SUFFIX);
  const segment = { path: source.path, firstSeq, header, isCompressed };
  return mark === undefined ? segment : { ...segment, mark };
}

/**
 * Creates the segment that continues a chain. It gets its name only when its header is on disk, so
 * a segment without an intact header is damage and never a crash at the wrong moment.
 */
export async function createSegment(
  directory: string,
  before: Chain,
): Promise<{ segment: Segment; handle: FileHandle }> {
  const salt = randomBytes(4).readUInt32LE(0);
  const header: SegmentHeader = { format: FORMAT_VERSION, salt, before };
  const path = join(directory, segmentName(before.seq + 1));
  const handle = await open(path + UNFINISHED_SUFFIX, 'w+', OWN_FILE);
  try {
    await writeFully(handle, encodeSegmentHeader(header), 0);
    await handle.sync();
    await rename(path + UNFINISHED_SUFFIX, path);
    await syncDirectory(directory);
  } catch (error) {
    await handle.close();
    await rm(path + UNFINISHED_SUFFIX, { force: true });
    // Entries may still go to the segment before: a second one of the same number must not be found.
    await rm(path, { force: true });
    throw error;
  }
  const segment = { path, firstSeq: before.seq + 1, header, isCompressed: false };
  return { segment, handle };
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
  // A copy that could not take the place of its original must not stay without it.
  if (!segment.isCompressed) await rm(segment.path + COMPRESSED_SUFFIX, { force: true });
  await unlink(segment.path);
  await syncDirectory(directory);
}
