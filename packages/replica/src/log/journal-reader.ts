import {
  EarlierReleaseError,
  JournalDamagedError,
  JournalPrunedError,
  type Log,
  type ReplayOptions,
  type TakeEntry,
} from './log.ts';
import { openSegment, readSegments, type Segment } from './segment-files.ts';
import { decodeBlock } from './block-codec.ts';
import { FORMAT_VERSION } from './journal-format.ts';
import type { LogEntry } from '../block.ts';
import { type RecordView, type ScanEnd, scanRecords } from './segment-scan.ts';
import { type FileHandle, open } from 'node:fs/promises';
import { damageAt } from './segment-recovery.ts';

/**
 * Returns a read-only log over the journal of another thread, up to an entry known to be durable.
 * It can be replayed while the other thread is writing.
 */
export async function readJournal(directory: string, untilSeq: number): Promise<Log> {
  const segments = await readSegments(directory);
  return {
    firstSeq: segments[0]?.firstSeq ?? 1,
    lastSeq: untilSeq,
    isWriting: false,
    replay: (fromSeq: number, apply: TakeEntry, options: ReplayOptions = {}): Promise<void> => {
      const range = { fromSeq, untilSeq: Math.min(untilSeq, options.untilSeq ?? Infinity) };
      return replaySegments(segments, range, asEntries(apply, options));
    },
    follow: refuse,
    append: refuse,
    appendBehind: refuse,
    onFree: () => {},
    compact: refuse,
    close: () => Promise.resolve(),
  };
}

function refuse(): never {
  throw new Error('the journal of another thread is read-only');
}

type Range = { readonly fromSeq: number; readonly untilSeq: number };

/** Accepts a record from a file; if it returns a promise, the next record waits for it. */
type TakeRecord = (record: RecordView, file: string) => unknown;

export function asEntries(apply: TakeEntry, { withRequests = false }: ReplayOptions): TakeRecord {
  return (record, file) => apply(readEntry(file, record, withRequests));
}

/**
 * Passes on the records in a range, in order. All of them were acknowledged, so a gap is damage.
 */
export async function replaySegments(
  segments: readonly Segment[],
  range: Range,
  take: TakeRecord,
): Promise<void> {
  const first = segments[0];
  if (first === undefined) return;
  if (range.fromSeq < first.firstSeq) throw new JournalPrunedError(range.fromSeq, first.firstSeq);
  if (range.fromSeq > range.untilSeq + 1) {
    const what = `another file has entry ${range.fromSeq - 1}, but the journal ends before it`;
    const file = segments.at(-1)?.path ?? first.path;
    throw new JournalDamagedError({ file, offset: 0, seq: range.untilSeq + 1, what });
  }
  for (const [index, segment] of segments.entries()) {
    const endSeq = (segments[index + 1]?.firstSeq ?? Infinity) - 1;
    if (endSeq < range.fromSeq) continue;
    const untilSeq = Math.min(endSeq, range.untilSeq);
    if (segment.firstSeq > untilSeq) return;
    await replaySegment(segment, { fromSeq: range.fromSeq, untilSeq }, take);
  }
}

async function replaySegment(segment: Segment, range: Range, take: TakeRecord): Promise<void> {
  const source = await openSegment(segment.path, segment.firstSeq);
  if (source === undefined) throw new JournalPrunedError(segment.firstSeq, range.untilSeq + 1);
  const { bytes, header, path } = source;
  try {
    const limits = { endOffset: source.endOffset, untilSeq: range.untilSeq };
    const scan = await scanRecords(bytes, header, limits, (record) => {
      if (record.header.seq < range.fromSeq) return undefined;
      return take(record, path);
    });
    if (scan.chain.seq !== range.untilSeq) {
      const { fault: cause } = bytes;
      const why = cause === undefined ? '' : `, but it cannot be decompressed: ${cause.message}`;
      const what = `entries up to ${range.untilSeq} were acknowledged${why}`;
      const seq = scan.chain.seq + 1;
      throw new JournalDamagedError({ file: path, offset: scan.offset, seq, what, cause });
    }
  } finally {
    await source.close();
  }
}

function readEntry(file: string, record: RecordView, withRequests: boolean): LogEntry {
  const { bytes, format, header, offset, payloadStart, payloadEnd } = record;
  const { seq, timeMs } = header;
  if (format !== FORMAT_VERSION) throw new EarlierReleaseError(`journal format ${format}`);
  try {
    const range = { start: payloadStart, end: payloadEnd, withRequests };
    return { seq, timeMs, ...decodeBlock(bytes, range) };
  } catch (cause) {
    // The checksum is correct, so the record was written by a different or faulty program.
    const what = 'the record is intact, but its commands cannot be read';
    throw new JournalDamagedError({ file, offset, seq, what, cause });
  }
}

/**
 * The size of a read in the growing segment. A reader that keeps up needs only the last few
 * records.
 */
const READ_BYTES = 128 * 1024;

type Place = {
  readonly segment: Segment;
  readonly handle: FileHandle;
  /** The last known size of the file, which is extended in large steps ahead of the data. */
  fileBytes: number;
  scan: ScanEnd | undefined;
};

/**
 * Follows the journal of another thread through its files. It reads up to the reported durable
 * entry and remembers its position, so that each record of the newest segment is read once.
 * Completed segments are replayed as usual.
 */
export class JournalTail {
  readonly #directory: string;
  #segments: readonly Segment[] = [];
  #nextSeq: number;
  #place: Place | undefined;
  /**
   * The buffer is reused for every read of a segment after the first, because otherwise each of
   * hundreds of reads per second would allocate memory.
   */
  readonly #memory = Buffer.allocUnsafeSlow(READ_BYTES);

  constructor(directory: string, fromSeq: number) {
    this.#directory = directory;
    this.#nextSeq = fromSeq;
  }

  get nextSeq(): number {
    return this.#nextSeq;
  }

  /** Passes on all entries in order, with their requests, up to one known to be durable. */
  readUpTo(untilSeq: number, apply: TakeEntry): Promise<void> {
    return this.recordsUpTo(untilSeq, asEntries(apply, { withRequests: true }));
  }

  async recordsUpTo(untilSeq: number, take: TakeRecord): Promise<void> {
    while (this.#nextSeq <= untilSeq) {
      if (this.#place === undefined) await this.#find(untilSeq, take);
      else await this.#scan(this.#place, untilSeq, take);
    }
  }

  async close(): Promise<void> {
    const place = this.#place;
    this.#place = undefined;
    await place?.handle.close();
  }

  /** Lists the segments, reads the complete ones, and moves to the last one. */
  async #find(untilSeq: number, take: TakeRecord): Promise<void> {
    this.#segments = await readSegments(this.#directory);
    const last = this.#segments.at(-1);
    if (last === undefined) throw this.#missing('there is no segment');
    const endSeq = Math.min(last.firstSeq - 1, untilSeq);
    if (this.#nextSeq <= endSeq) {
      const range = { fromSeq: this.#nextSeq, untilSeq: endSeq };
      await replaySegments(this.#segments, range, (record, file) => {
        this.#nextSeq = record.header.seq + 1;
        return take(record, file);
      });
      return;
    }
    const handle = await open(last.path, 'r');
    const { size: fileBytes } = await handle.stat();
    this.#place = { segment: last, handle, fileBytes, scan: undefined };
  }

  async #scan(place: Place, untilSeq: number, take: TakeRecord): Promise<void> {
    const { handle, segment } = place;
    const limits = {
      endOffset: place.fileBytes,
      untilSeq,
      ...(place.scan === undefined ? {} : { from: place.scan, memory: this.#memory }),
    };
    const scan = await scanRecords(handle, segment.header, limits, (record) => {
      if (record.header.seq < this.#nextSeq) return undefined;
      this.#nextSeq = record.header.seq + 1;
      return take(record, segment.path);
    });
    place.scan = scan;
    if (scan.chain.seq >= untilSeq) return;
    const { size } = await handle.stat();
    const hasGrown = size !== place.fileBytes;
    place.fileBytes = size;
    if (hasGrown) return;
    // The writer has continued in the next segment, which begins where this one ends.
    const newest = (await readSegments(this.#directory)).at(-1);
    if (newest === undefined || newest.firstSeq <= scan.chain.seq) {
      throw damageAt(segment, scan, `entries up to ${untilSeq} were acknowledged`);
    }
    await this.close();
  }

  #missing(what: string): JournalDamagedError {
    return new JournalDamagedError({
      file: this.#directory,
      offset: 0,
      seq: this.#nextSeq,
      what,
    });
  }
}
