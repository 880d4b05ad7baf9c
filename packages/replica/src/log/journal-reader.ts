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
 * The journal of another thread, up to an entry that is known to be durable. It can be replayed while
 * the other goes on writing, and nothing else.
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

/** Takes a record of a file; where it returns a promise, the next one waits for it. */
type TakeRecord = (record: RecordView, file: string) => unknown;

/** Takes records as the blocks that they are. */
export function asEntries(apply: TakeEntry, { withRequests = false }: ReplayOptions): TakeRecord {
  return (record, file) => apply(readEntry(file, record, withRequests));
}

/** Hands over the records of a range in order. All of them were acknowledged: a gap is damage. */
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

/** The block of a record. */
function readEntry(file: string, record: RecordView, withRequests: boolean): LogEntry {
  const { bytes, format, header, offset, payloadStart, payloadEnd } = record;
  const { seq, timeMs } = header;
  if (format !== FORMAT_VERSION) throw new EarlierReleaseError(`journal format ${format}`);
  try {
    const range = { start: payloadStart, end: payloadEnd, withRequests };
    return { seq, timeMs, ...decodeBlock(bytes, range) };
  } catch (cause) {
    // The checksum is right, so this was written wrongly or by another program.
    const what = 'the record is intact, but its commands cannot be read';
    throw new JournalDamagedError({ file, offset, seq, what, cause });
  }
}

/** Bytes of a read in the segment that grows: whoever keeps up needs the last few records only. */
const READ_BYTES = 128 * 1024;

type Place = {
  readonly segment: Segment;
  readonly handle: FileHandle;
  /** As it was last seen: it grows in large steps, ahead of what is written. */
  fileBytes: number;
  /** What was read of it; undefined before the first look. */
  scan: ScanEnd | undefined;
};

/**
 * Follows the journal of another thread through its files. It reads what it is told is durable and
 * remembers where that ended, so that each record of the newest segment is read once; segments that
 * nobody writes to any more are replayed like any.
 */
export class JournalTail {
  readonly #directory: string;
  #segments: readonly Segment[] = [];
  #nextSeq: number;
  #place: Place | undefined;
  /** Of all reads behind the first of a segment: hundreds a second would else each get their own. */
  readonly #memory = Buffer.allocUnsafeSlow(READ_BYTES);

  constructor(directory: string, fromSeq: number) {
    this.#directory = directory;
    this.#nextSeq = fromSeq;
  }

  /** The number of the next entry. */
  get nextSeq(): number {
    return this.#nextSeq;
  }

  /** Hands over all entries up to one that is known to be durable, in order, requests included. */
  readUpTo(untilSeq: number, apply: TakeEntry): Promise<void> {
    return this.recordsUpTo(untilSeq, asEntries(apply, { withRequests: true }));
  }

  /** The same as records, for who does not read what is in them. */
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

  /** Looks what segments there are, reads those that are complete, and goes to the last one. */
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
    // The writer went on in the next segment, which begins where this one ends.
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
