import { crc32 } from 'node:zlib';
import { JournalFormatError } from './log.ts';

/**
 * The bytes of a journal segment. All integers are little-endian.
 *
 * A segment is a header of one page, then records without gaps, then zeros. The header is written
 * once; only the end mark inside it, in a separate sector, changes later.
 *
 * A record is: magic u32 · crc u32 · payload length u32 · previous crc u32 · seq u64 · time u64 ·
 * durable-up-to u64 · payload
 * - `crc` covers everything after itself and is mixed with the segment's random salt, so bytes of
 *   another segment, or older content of the same disk blocks, never pass for a record.
 * - `previous crc` chains each record to its predecessor. A record left over from an older run
 *   after a tail that was cut carries the checksum of a record that no longer exists, so it cannot
 *   be read as the successor of newer records. The record contains this checksum, rather than
 *   seeding its own checksum with it, so that a record is recognisable even if its predecessor is
 *   damaged.
 * - `durable-up-to` is the offset up to which data was known to be on disk when the record was
 *   written. It distinguishes damage from a torn write (see segment-recovery.ts).
 * - The magic only marks candidates. Clients influence the bytes of payloads, so payloads can
 *   contain the magic and even whole records. A record is genuine if its checksum, whose salt is
 *   unknown to clients, is correct and if it continues its predecessor. A copy of an earlier record
 *   cannot appear later in the log.
 *
 * Format 2 encodes blocks as bytes (`block-codec.ts`). Segments of format 1, from folders of
 * release 0.1.0, contain blocks as JSON: their records are verified like others, but their blocks
 * can no longer be read.
 *
 * A complete segment may be compressed: its bytes up to the end mark are stored as one zstd frame.
 */

const SEGMENT_MAGIC = 'ODDLOT-J';
export const FORMAT_VERSION = 2;
const JSON_FORMAT_VERSION = 1;

/** The size of one page, so that the first record starts on a new page. */
export const SEGMENT_HEADER_BYTES = 4096;
/** The end mark has its own sector, so that writing it cannot tear the header. */
export const MARK_OFFSET = 512;
export const MARK_BYTES = 40;
export const SEGMENT_HEADER_FIELDS_BYTES = 44;

export const RECORD_HEADER_BYTES = 40;
/** The maximum size of a block; a record with a larger size is not valid. */
export const PAYLOAD_BYTES_MAX = 256 * 1024 * 1024;
const RECORD_MAGIC = 0xfac1f5c0;
export const RECORD_MAGIC_BYTES = Buffer.from([0xc0, 0xf5, 0xc1, 0xfa]);
const MARK_MAGIC = 0xfbc1f6c0;

const TWO_POW_32 = 0x1_0000_0000;

/** A position in a chain of records: the number, checksum and time of the last entry. */
export type Chain = { readonly seq: number; readonly crc: number; readonly timeMs: number };

export type SegmentHeader = {
  readonly format: number;
  readonly salt: number;
  /** The position of the chain before the first record of the segment. */
  readonly before: Chain;
};

/**
 * Marks where the records of a segment end. `closed`: the journal was closed here when its process
 * ended properly. `sealed`: the next segment exists.
 */
export type EndMark = {
  readonly kind: 'closed' | 'sealed';
  readonly endOffset: number;
  readonly seq: number;
  readonly crc: number;
};

export type RecordHeader = Chain & {
  readonly payloadBytes: number;
  readonly previousCrc: number;
  readonly durableUpTo: number;
};

export const segmentName = (firstSeq: number): string =>
  `journal-${String(firstSeq).padStart(16, '0')}.log`;

export const COMPRESSED_SUFFIX = '.zst';

export function parseSegmentName(
  fileName: string,
): { readonly firstSeq: number; readonly isCompressed: boolean } | undefined {
  const match = /^journal-(\d{16})\.log(\.zst)?$/.exec(fileName);
  if (match === null) return undefined;
  return { firstSeq: Number(match[1]), isCompressed: match[2] !== undefined };
}

export function encodeSegmentHeader(header: SegmentHeader): Buffer {
  const page = Buffer.alloc(SEGMENT_HEADER_BYTES);
  page.write(SEGMENT_MAGIC, 0, 'latin1');
  page.writeUInt32LE(header.format, 8);
  page.writeUInt32LE(header.salt, 12);
  writeU64(page, header.before.seq, 16);
  writeU64(page, header.before.timeMs, 24);
  page.writeUInt32LE(header.before.crc, 32);
  page.writeUInt32LE(
    crc32(page.subarray(0, SEGMENT_HEADER_FIELDS_BYTES - 4)),
    SEGMENT_HEADER_FIELDS_BYTES - 4,
  );
  return page;
}

/** Decodes a header page; returns undefined if the page is not an intact header. */
export function decodeSegmentHeader(page: Buffer): SegmentHeader | undefined {
  if (page.length < SEGMENT_HEADER_BYTES) return undefined;
  const crc = page.readUInt32LE(SEGMENT_HEADER_FIELDS_BYTES - 4);
  if (crc !== crc32(page.subarray(0, SEGMENT_HEADER_FIELDS_BYTES - 4))) return undefined;
  if (page.toString('latin1', 0, 8) !== SEGMENT_MAGIC) return undefined;
  const format = page.readUInt32LE(8);
  if (format !== FORMAT_VERSION && format !== JSON_FORMAT_VERSION) {
    throw new JournalFormatError(format, FORMAT_VERSION);
  }
  return {
    format,
    salt: page.readUInt32LE(12),
    before: { seq: readU64(page, 16), timeMs: readU64(page, 24), crc: page.readUInt32LE(32) },
  };
}

export function encodeMark(mark: EndMark, salt: number): Buffer {
  const bytes = Buffer.alloc(MARK_BYTES);
  bytes.writeUInt32LE(MARK_MAGIC, 0);
  bytes.writeUInt32LE(mark.kind === 'closed' ? 1 : 2, 8);
  bytes.writeUInt32LE(mark.crc, 12);
  writeU64(bytes, mark.endOffset, 16);
  writeU64(bytes, mark.seq, 24);
  bytes.writeUInt32LE(saltedCrc(bytes, 8, MARK_BYTES, salt), 4);
  return bytes;
}

/** Decodes the end mark in a header page; returns undefined if it is missing or not intact. */
export function decodeMark(page: Buffer, salt: number): EndMark | undefined {
  const bytes = page.subarray(MARK_OFFSET, MARK_OFFSET + MARK_BYTES);
  if (bytes.readUInt32LE(0) !== MARK_MAGIC) return undefined;
  if (bytes.readUInt32LE(4) !== saltedCrc(bytes, 8, MARK_BYTES, salt)) return undefined;
  return {
    kind: bytes.readUInt32LE(8) === 1 ? 'closed' : 'sealed',
    crc: bytes.readUInt32LE(12),
    endOffset: readU64(bytes, 16),
    seq: readU64(bytes, 24),
  };
}

/**
 * Writes the header of a record in front of its payload, which has already been written, and
 * returns the record's checksum.
 */
export function stampRecord(
  bytes: Buffer,
  range: { readonly start: number; readonly end: number },
  record: Omit<RecordHeader, 'crc' | 'payloadBytes'>,
  salt: number,
): number {
  const { start, end } = range;
  bytes.writeUInt32LE(RECORD_MAGIC, start);
  bytes.writeUInt32LE(end - start - RECORD_HEADER_BYTES, start + 8);
  bytes.writeUInt32LE(record.previousCrc, start + 12);
  writeU64(bytes, record.seq, start + 16);
  writeU64(bytes, record.timeMs, start + 24);
  writeU64(bytes, record.durableUpTo, start + 32);
  const crc = saltedCrc(bytes, start + 8, end, salt);
  bytes.writeUInt32LE(crc, start + 4);
  return crc;
}

/**
 * Returns the record header at an offset, or undefined if there is none. The payload need not be in
 * memory yet, because `recordIsIntact` verifies the whole record.
 */
export function readRecordHeader(bytes: Buffer, at: number): RecordHeader | undefined {
  if (bytes.readUInt32LE(at) !== RECORD_MAGIC) return undefined;
  const payloadBytes = bytes.readUInt32LE(at + 8);
  if (payloadBytes > PAYLOAD_BYTES_MAX) return undefined;
  return {
    crc: bytes.readUInt32LE(at + 4),
    payloadBytes,
    previousCrc: bytes.readUInt32LE(at + 12),
    seq: readU64(bytes, at + 16),
    timeMs: readU64(bytes, at + 24),
    durableUpTo: readU64(bytes, at + 32),
  };
}

export function recordIsIntact(
  bytes: Buffer,
  at: number,
  header: RecordHeader,
  salt: number,
): boolean {
  const end = at + RECORD_HEADER_BYTES + header.payloadBytes;
  return saltedCrc(bytes, at + 8, end, salt) === header.crc;
}

function saltedCrc(bytes: Buffer, start: number, end: number, salt: number): number {
  return (crc32(bytes.subarray(start, end)) ^ salt) >>> 0;
}

function writeU64(bytes: Buffer, value: number, at: number): void {
  bytes.writeUInt32LE(value % TWO_POW_32, at);
  bytes.writeUInt32LE(Math.floor(value / TWO_POW_32), at + 4);
}

/**
 * Only safe integers are ever written. A larger number is the result of damage, and the checksum
 * will not match.
 */
function readU64(bytes: Buffer, at: number): number {
  return bytes.readUInt32LE(at + 4) * TWO_POW_32 + bytes.readUInt32LE(at);
}
