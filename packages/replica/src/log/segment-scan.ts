import type { FileHandle } from 'node:fs/promises';
import {
  PAYLOAD_BYTES_MAX,
  RECORD_HEADER_BYTES,
  RECORD_MAGIC_BYTES,
  SEGMENT_HEADER_BYTES,
  readRecordHeader,
  recordIsIntact,
} from './journal-format.ts';
import type { Chain, RecordHeader, SegmentHeader } from './journal-format.ts';
import type { ByteSource } from './segment-files.ts';

const READ_BYTES = 4 * 1024 * 1024;

/** An intact record in the reader's buffer, valid only during the visit. */
export type RecordView = {
  readonly header: RecordHeader;
  readonly format: number;
  readonly offset: number;
  readonly bytes: Buffer;
  readonly payloadStart: number;
  readonly payloadEnd: number;
};

/** The position at which a scan stopped: no intact successor of `chain` starts at `offset`. */
export type ScanEnd = {
  readonly offset: number;
  readonly chain: Chain;
  /** The offset up to which data was on disk before the last record. */
  readonly durableUpTo: number;
};

type ScanLimits = {
  readonly endOffset: number;
  readonly untilSeq?: number;
  /** The end of an earlier scan of the same segment, where this one continues. */
  readonly from?: ScanEnd;
  /** The memory for one read; a caller with many short reads passes its own. */
  readonly memory?: Buffer | undefined;
};

/**
 * Reads the records of a segment in order, in large reads, and verifies that each has a correct
 * checksum and continues its predecessor. The scan stops at the first invalid record without
 * judging it. If a visit returns a promise, the scan waits for it.
 */
export async function scanRecords(
  source: ByteSource,
  header: SegmentHeader,
  limits: ScanLimits,
  visit: (record: RecordView) => unknown,
): Promise<ScanEnd> {
  const { format } = header;
  const untilSeq = limits.untilSeq ?? Number.MAX_SAFE_INTEGER;
  const window = new FileWindow(source, limits.endOffset, limits.memory);
  let { chain, durableUpTo, offset } = limits.from ?? {
    offset: SEGMENT_HEADER_BYTES,
    chain: header.before as Chain,
    durableUpTo: SEGMENT_HEADER_BYTES,
  };
  while (chain.seq < untilSeq) {
    if (!window.holds(offset, RECORD_HEADER_BYTES)) {
      if (!(await window.load(offset, RECORD_HEADER_BYTES))) break;
    }
    const record = readRecordHeader(window.bytes, offset - window.offset);
    if (record === undefined || !continues(chain, record)) break;
    const length = RECORD_HEADER_BYTES + record.payloadBytes;
    if (!window.holds(offset, length) && !(await window.load(offset, length))) break;
    const at = offset - window.offset;
    if (!recordIsIntact(window.bytes, at, record, header.salt)) break;
    const payloadStart = at + RECORD_HEADER_BYTES;
    const { bytes } = window;
    const payload = { format, bytes, payloadStart, payloadEnd: at + length };
    const pause = visit({ header: record, offset, ...payload });
    if (pause instanceof Promise) await pause;
    chain = record;
    durableUpTo = record.durableUpTo;
    offset += length;
  }
  return { offset, chain, durableUpTo };
}

function continues(chain: Chain, record: RecordHeader): boolean {
  return (
    record.seq === chain.seq + 1 &&
    record.previousCrc === chain.crc &&
    record.timeMs >= chain.timeMs
  );
}

type Remains = {
  /** The offset after the last nonzero byte, or the start of the range if all bytes are zero. */
  readonly end: number;
  /** A later record, which proves that the data missing at the start was once on disk. */
  readonly proof?: { readonly offset: number; readonly seq: number };
};

/**
 * Searches everything after the end of a scan for nonzero bytes and for a record that proves
 * damage.
 */
export async function inspectRemains(
  handle: FileHandle,
  header: SegmentHeader,
  scan: ScanEnd,
  fileBytes: number,
): Promise<Remains> {
  const window = new FileWindow(handle, fileBytes);
  const zeros = Buffer.alloc(Math.min(READ_BYTES, fileBytes));
  let end = scan.offset;
  let offset = scan.offset;
  while (offset < fileBytes) {
    const length = Math.min(READ_BYTES, fileBytes - offset);
    await window.load(offset, length);
    const start = offset - window.offset;
    const chunk = window.bytes.subarray(start, start + length);
    if (!chunk.equals(zeros.subarray(0, length))) {
      end = offset + lastNonZero(chunk) + 1;
      const proof = await findProof(window, header, scan, { from: offset, to: offset + length });
      if (proof !== undefined) return { end, proof };
    }
    // The chunks overlap, so that a magic number that spans two of them is found.
    if (offset + length === fileBytes) break;
    offset += length - RECORD_MAGIC_BYTES.length;
  }
  return { end };
}

async function findProof(
  window: FileWindow,
  header: SegmentHeader,
  scan: ScanEnd,
  range: { readonly from: number; readonly to: number },
): Promise<Remains['proof']> {
  let offset = range.from;
  while (offset < range.to) {
    if (!window.holds(offset, range.to - offset)) await window.load(offset, range.to - offset);
    const found = window.bytes.indexOf(RECORD_MAGIC_BYTES, offset - window.offset);
    if (found < 0) return undefined;
    offset = window.offset + found;
    if (offset >= range.to) return undefined;
    const seq = await provenSeq(window, header, scan, offset);
    if (seq !== undefined) return { offset, seq };
    offset += 1;
  }
  return undefined;
}

/**
 * Returns the number of the record at an offset if the record is intact and was written after a
 * sync.
 */
async function provenSeq(
  window: FileWindow,
  header: SegmentHeader,
  scan: ScanEnd,
  offset: number,
): Promise<number | undefined> {
  if (!(await window.load(offset, RECORD_HEADER_BYTES))) return undefined;
  const record = readRecordHeader(window.bytes, offset - window.offset);
  if (record === undefined) return undefined;
  const isLater = record.seq > scan.chain.seq && record.durableUpTo > scan.offset;
  if (!isLater || record.durableUpTo > offset) return undefined;
  if (!(await window.load(offset, RECORD_HEADER_BYTES + record.payloadBytes))) return undefined;
  const isIntact = recordIsIntact(window.bytes, offset - window.offset, record, header.salt);
  return isIntact ? record.seq : undefined;
}

function lastNonZero(chunk: Buffer): number {
  for (let at = chunk.length - 1; at >= 0; at -= 1) if (chunk[at] !== 0) return at;
  return -1;
}

/**
 * A range of a file held in memory. The buffer moves forward through the file, and grows if a
 * record is large.
 */
class FileWindow {
  #bytes: Buffer;
  #offset = 0;
  #length = 0;
  readonly #source: ByteSource;
  readonly #fileEnd: number;

  constructor(source: ByteSource, fileEnd: number, memory?: Buffer) {
    this.#bytes = memory ?? Buffer.allocUnsafeSlow(Math.min(READ_BYTES, fileEnd));
    this.#source = source;
    this.#fileEnd = fileEnd;
  }

  get bytes(): Buffer {
    return this.#bytes;
  }

  get offset(): number {
    return this.#offset;
  }

  holds(offset: number, length: number): boolean {
    return offset >= this.#offset && offset + length <= this.#offset + this.#length;
  }

  async load(offset: number, length: number): Promise<boolean> {
    if (this.holds(offset, length)) return true;
    if (offset + length > this.#fileEnd) return false;
    if (length > RECORD_HEADER_BYTES + PAYLOAD_BYTES_MAX) return false;
    const loaded = this.#moveToFront(offset, length);
    const needed = Math.min(this.#bytes.length, this.#fileEnd - offset);
    this.#offset = offset;
    this.#length = loaded;
    while (this.#length < needed) {
      const { bytesRead } = await this.#source.read(
        this.#bytes,
        this.#length,
        needed - this.#length,
        offset + this.#length,
      );
      if (bytesRead === 0) break;
      this.#length += bytesRead;
    }
    return this.#length >= length;
  }

  /**
   * Moves the loaded bytes of a range to the front of a buffer large enough for the whole range.
   */
  #moveToFront(offset: number, length: number): number {
    const known = this.#offset + this.#length - offset;
    const loaded = offset >= this.#offset && known > 0 ? known : 0;
    const from = offset - this.#offset;
    const target = length > this.#bytes.length ? Buffer.allocUnsafeSlow(length) : this.#bytes;
    if (loaded > 0) this.#bytes.copy(target, 0, from, from + loaded);
    this.#bytes = target;
    return loaded;
  }
}
