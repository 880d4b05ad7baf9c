import { open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { writeFully } from '@oddlot/host/durable';
import { assert } from '@oddlot/units';
import { JournalDamagedError } from './log.ts';
import { SEGMENT_HEADER_BYTES } from './journal-format.ts';
import type { Chain } from './journal-format.ts';
import { writeMark } from './segment-files.ts';
import type { Segment } from './segment-files.ts';
import { inspectRemains, scanRecords } from './segment-scan.ts';
import type { ScanEnd } from './segment-scan.ts';

/**
 * Finds the end of the journal when it is opened, and distinguishes a torn write from damage.
 *
 * One write is in flight at a time, and a record carries the offset up to which all data was on
 * disk when it was written. If no intact record starts at X, there are three cases:
 * - A later intact record, written when the disk was durable beyond X, proves that acknowledged
 *   data was stored at X. This is damage, and the start stops.
 * - Otherwise X is in the last write, which a crash may have torn in any way: the sectors of one
 *   write reach the disk in any order, so even whole records may follow the gap. Nothing at or
 *   after X was acknowledged. The tail is overwritten with zeros and reported.
 * - After a clean close, or in a segment that has a successor, the end mark states where the
 *   records end. Any missing record before it is damage.
 *
 * Limitation: if the process was killed and the very last acknowledged write is damaged afterwards,
 * no later record proves that this write was complete, and it is cut off as a torn write. A
 * snapshot or a receipt above the end of the journal still reveals this, and `replay` then refuses.
 */

export type Repair = {
  /** The first entry that was cut off. The next append reuses this number. */
  readonly atSeq: number;
  readonly bytes: number;
};

type RecoveredEnd = {
  readonly handle: FileHandle;
  readonly chain: Chain;
  readonly offset: number;
  readonly fileBytes: number;
  readonly repaired?: Repair;
};

/** Opens the last segment for appending, after cutting off a torn tail. */
export async function recoverLastSegment(segment: Segment): Promise<RecoveredEnd> {
  if (segment.isCompressed) throw wrongEnd(segment, 'the next segment is missing');
  const handle = await open(segment.path, 'r+');
  try {
    const fileBytes = (await handle.stat()).size;
    const scan = await scanRecords(handle, segment.header, { endOffset: fileBytes }, () => {});
    checkAgainstMark(segment, scan);
    const remains = await inspectRemains(handle, segment.header, scan, fileBytes);
    if (remains.proof !== undefined) {
      const what = `a later entry, ${remains.proof.seq}, was written after this one was on disk`;
      throw damageAt(segment, scan, what);
    }
    const bytes = remains.end - scan.offset;
    if (bytes > 0) await writeFully(handle, Buffer.alloc(bytes), scan.offset);
    if (segment.mark === undefined) await rewriteLastBatch(handle, scan);
    await writeMark(handle, segment.header.salt, undefined);
    const end = { handle, chain: scan.chain, offset: scan.offset, fileBytes };
    return bytes > 0 ? { ...end, repaired: { atSeq: scan.chain.seq + 1, bytes } } : end;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

function checkAgainstMark(segment: Segment, scan: ScanEnd): void {
  const { mark } = segment;
  if (mark === undefined) return;
  if (mark.endOffset !== scan.offset || mark.crc !== scan.chain.crc) {
    throw damageAt(segment, scan, `the segment was complete up to entry ${mark.seq}`);
  }
  if (mark.kind === 'sealed') throw damageAt(segment, scan, 'the next segment is missing');
}

/**
 * Rewrites the last batch in place, so that the next sync puts it on disk even if its first sync
 * failed. If that sync failed, or the process died before it, the bytes can be in the page cache
 * only and marked clean. A plain fdatasync would skip them, although later entries depend on what
 * is read back now.
 */
async function rewriteLastBatch(handle: FileHandle, scan: ScanEnd): Promise<void> {
  const from = Math.max(scan.durableUpTo, SEGMENT_HEADER_BYTES);
  const batch = Buffer.alloc(scan.offset - from);
  if (batch.length === 0) return;
  const { bytesRead } = await handle.read(batch, 0, batch.length, from);
  assert(bytesRead === batch.length, 'the last batch was read a moment ago');
  await writeFully(handle, batch, from);
}

/**
 * Checks that the segments continue one another, using only headers and end marks. A segment
 * without a mark, left by a crash right after its successor was created, is read in full and
 * sealed.
 */
export async function checkContinuity(segments: readonly Segment[]): Promise<void> {
  for (const [index, segment] of segments.entries()) {
    const next = segments[index + 1];
    if (next === undefined) return;
    if (segment.mark?.kind !== 'sealed') {
      if (segment.isCompressed) throw wrongEnd(segment, 'its end cannot be determined');
      await sealSegment(segment, next.header.before);
    } else if (
      segment.mark.seq !== next.header.before.seq ||
      segment.mark.crc !== next.header.before.crc
    ) {
      throw new JournalDamagedError({
        file: next.path,
        offset: 0,
        seq: segment.mark.seq + 1,
        what: `it does not follow the previous segment, which ends at entry ${segment.mark.seq}`,
      });
    }
  }
}

/**
 * Returns the error for a compressed segment that is the last one or has no seal: only sealed
 * segments are compressed, and every sealed segment has a successor.
 */
function wrongEnd({ firstSeq, mark, path: file }: Segment, what: string): JournalDamagedError {
  return new JournalDamagedError({ file, offset: 0, seq: (mark?.seq ?? firstSeq - 1) + 1, what });
}

async function sealSegment(segment: Segment, before: Chain): Promise<void> {
  const handle = await open(segment.path, 'r+');
  try {
    const endOffset = (await handle.stat()).size;
    const limits = { endOffset, untilSeq: before.seq };
    const scan = await scanRecords(handle, segment.header, limits, () => {});
    if (scan.chain.seq !== before.seq || scan.chain.crc !== before.crc) {
      throw damageAt(segment, scan, `the next segment starts at entry ${before.seq + 1}`);
    }
    await writeMark(handle, segment.header.salt, {
      kind: 'sealed',
      endOffset: scan.offset,
      seq: scan.chain.seq,
      crc: scan.chain.crc,
    });
  } finally {
    await handle.close();
  }
}

export function damageAt(segment: Segment, scan: ScanEnd, what: string): JournalDamagedError {
  const seq = scan.chain.seq + 1;
  return new JournalDamagedError({ file: segment.path, offset: scan.offset, seq, what });
}
