import { decodeBlock } from './block-codec.ts';
import { FORMAT_VERSION } from './journal-format.ts';
import { EarlierReleaseError, JournalDamagedError, JournalPrunedError } from './journal-error.ts';
import type { LogEntry } from '../block/log-entry.ts';
import type { ReplayOptions, TakeEntry } from './log.ts';
import type { Segment } from './segment-files.ts';
import { scanRecords } from './segment-scan.ts';
import type { RecordView } from './segment-scan.ts';
import { openSegment } from './segment-source.ts';

type Range = { readonly fromSeq: number; readonly untilSeq: number };

/** Takes a record of a file; where it returns a promise, the next one waits for it. */
export type TakeRecord = (record: RecordView, file: string) => unknown;

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
    const what = 'the record is intact, but its commands are not readable';
    throw new JournalDamagedError({ file, offset, seq, what, cause });
  }
}
