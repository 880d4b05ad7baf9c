import { open } from 'node:fs/promises';
import type { LogEntry } from '../block.ts';
import { JournalDamagedError } from './log.ts';
import {
  MARK_BYTES,
  MARK_OFFSET,
  SEGMENT_HEADER_BYTES,
  SEGMENT_HEADER_FIELDS_BYTES,
} from './journal-format.ts';
import { asEntries } from './journal-reader.ts';
import { type ByteSource, openSegment, readSegments, type Segment } from './segment-files.ts';
import { damageAt } from './segment-recovery.ts';
import { inspectRemains, scanRecords, type ScanEnd } from './segment-scan.ts';

/**
 * The position of a block. In a compressed file, this is the position in the uncompressed content.
 */
export type BlockPlace = { readonly file: string; readonly offset: number };

type Inspection = {
  readonly firstSeq: number;
  readonly lastSeq: number;
  /** Deviations from the written bytes that do not change any block. */
  readonly altered: readonly (BlockPlace & { readonly what: string })[];
  /** Harmless remains of a crash after the last block. */
  readonly harmless: readonly (BlockPlace & { readonly what: string })[];
};

type Remarks = { -readonly [List in 'altered' | 'harmless']: Inspection[List][number][] };

type TakeBlock = (entry: LogEntry, place: BlockPlace) => unknown;

/**
 * Reads a journal that no process is writing, from its first byte to its last, without changing
 * anything, and reports what opening it would repair or cut off. Throws `JournalDamagedError` at
 * the first byte that proves damage to a block.
 */
export async function inspectJournal(directory: string, take: TakeBlock): Promise<Inspection> {
  const segments = await readSegments(directory);
  const remarks: Remarks = { altered: [], harmless: [] };
  let end: ScanEnd | undefined;
  for (const [index, segment] of segments.entries()) {
    if (end !== undefined) assertFollows(segment, end);
    const next = segments[index + 1];
    end = await inspectSegment(segment, { ...remarks, hasNext: next !== undefined }, take);
  }
  const [first] = segments;
  return { firstSeq: first?.firstSeq ?? 1, lastSeq: end?.chain.seq ?? 0, ...remarks };
}

async function inspectSegment(
  segment: Segment,
  { altered, harmless, hasNext }: Remarks & { readonly hasNext: boolean },
  take: TakeBlock,
): Promise<ScanEnd> {
  const source = await openSegment(segment.path, segment.firstSeq);
  if (source === undefined) {
    const { firstSeq: seq, path: file } = segment;
    throw new JournalDamagedError({ file, offset: 0, seq, what: 'the segment is missing' });
  }
  try {
    const { bytes, endOffset, header, mark, path } = source;
    await inspectHeader(segment, bytes, altered);
    const scan = await scanRecords(bytes, header, { endOffset }, (record) => {
      const place = { file: path, offset: record.offset };
      return asEntries((entry) => take(entry, place), { withRequests: true })(record, path);
    });
    await inspectEnd(bytes, path, scan);
    if (mark === undefined && (hasNext || segment.isCompressed)) {
      throw damageAt(segment, { ...scan, offset: MARK_OFFSET }, 'its end mark is damaged');
    }
    const isOther = mark?.endOffset !== scan.offset || mark.crc !== scan.chain.crc;
    if (mark !== undefined && isOther) {
      throw damageAt(segment, scan, `the segment was complete up to entry ${mark.seq}`);
    }
    if (mark !== undefined && (mark.kind === 'sealed') !== hasNext) {
      const what = hasNext
        ? 'it was closed, and another one follows'
        : 'the next segment is missing';
      throw damageAt(segment, scan, what);
    }
    if (!segment.isCompressed) await inspectRest(segment, scan, harmless);
    return scan;
  } finally {
    await source.close();
  }
}

/**
 * Verifies the checksum of a compressed file. It comes after the last record, so reading only the
 * records never reaches it.
 */
async function inspectEnd(
  bytes: ByteSource,
  file: string,
  { chain, offset }: ScanEnd,
): Promise<void> {
  const length = await bytes.measure?.();
  const cause = bytes.fault;
  if (cause === undefined && (length ?? offset) === offset) return;
  const what =
    cause === undefined
      ? `it has ${length} bytes, but its records end at ${offset}`
      : `it cannot be decompressed: ${cause.message}`;
  throw new JournalDamagedError({ file, offset, seq: chain.seq + 1, what, cause });
}

/**
 * Verifies that the bytes between the header fields and the first record are zeros. The header has
 * its own checksum.
 */
async function inspectHeader(
  { firstSeq: seq, path: file }: Segment,
  bytes: NonNullable<Awaited<ReturnType<typeof openSegment>>>['bytes'],
  altered: Remarks['altered'],
): Promise<void> {
  const page = Buffer.alloc(SEGMENT_HEADER_BYTES);
  await bytes.read(page, 0, page.length, 0);
  const markEnd = MARK_OFFSET + MARK_BYTES;
  const isField = (at: number): boolean =>
    at < SEGMENT_HEADER_FIELDS_BYTES || (at >= MARK_OFFSET && at < markEnd);
  const offset = page.findIndex((byte, at) => byte !== 0 && !isField(at));
  if (offset >= 0) {
    altered.push({ file, offset, what: 'a padding byte of the header is not zero' });
  }
  const mark = page.subarray(MARK_OFFSET, markEnd);
  const isMarked = mark.some((byte) => byte !== 0);
  const source = await openSegment(file, seq);
  await source?.close();
  if (isMarked && source?.mark === undefined) {
    const what = 'its end mark is damaged';
    throw new JournalDamagedError({ file, offset: MARK_OFFSET, seq, what });
  }
}

/**
 * Reports nonzero bytes after the last record. They are the remains of a write that was never
 * acknowledged.
 */
async function inspectRest(
  segment: Segment,
  scan: ScanEnd,
  harmless: Remarks['harmless'],
): Promise<void> {
  const handle = await open(segment.path, 'r');
  try {
    const { size } = await handle.stat();
    const remains = await inspectRemains(handle, segment.header, scan, size);
    if (remains.proof !== undefined) {
      const what = `a later entry, ${remains.proof.seq}, was written after this one was on disk`;
      throw damageAt(segment, scan, what);
    }
    if (remains.end === scan.offset) return;
    const what = `the bytes up to ${remains.end} are not a block: the remains of a crash, or foreign data`;
    harmless.push({ file: segment.path, offset: scan.offset, what });
  } finally {
    await handle.close();
  }
}

function assertFollows({ firstSeq, header, path }: Segment, { chain }: ScanEnd): void {
  if (firstSeq === chain.seq + 1 && header.before.crc === chain.crc) return;
  const what = `it does not follow the previous segment, which ends at entry ${chain.seq}`;
  throw new JournalDamagedError({ file: path, offset: 0, seq: chain.seq + 1, what });
}
