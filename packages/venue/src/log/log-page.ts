import type { LogEntry } from '../block/log-entry.ts';
import { decodeBlock } from './block-codec.ts';
import { EarlierReleaseError } from './journal-error.ts';
import { FORMAT_VERSION } from './journal-format.ts';
import type { RecordView } from './segment-scan.ts';

/**
 * Blocks of a log on their way to somebody who follows it: [u32 length][u64 time][the block], one behind
 * the other. The number of the first is what was asked for. Nothing here proves anything: who believes nobody derives
 * each command again.
 */

const FRAME_HEADER_BYTES = 12;
const TIME_OFFSET = 4;
const TWO_POW_32 = 2 ** 32;

/** Something else than a page of a log. */
class LogPageError extends Error {
  override readonly name = 'LogPageError';
}

/** The block of a record, copied out of the reader's memory. */
export function frameOf({ bytes, format, header, payloadEnd, payloadStart }: RecordView): Buffer {
  if (format !== FORMAT_VERSION) throw new EarlierReleaseError(`journal format ${format}`);
  return frame(header.timeMs, bytes.subarray(payloadStart, payloadEnd));
}

/** The blocks of a page, requests included. Throws for what is none. */
export function readLogPage(page: Buffer, fromSeq: number): readonly LogEntry[] {
  const entries: LogEntry[] = [];
  for (let at = 0; at < page.length;) {
    const start = at + FRAME_HEADER_BYTES;
    if (start > page.length) throw new LogPageError('a page ends in the middle of a block');
    const end = start + page.readUInt32LE(at);
    if (end > page.length) throw new LogPageError('a page ends in the middle of a block');
    const timeMs =
      page.readUInt32LE(at + TIME_OFFSET) + page.readUInt32LE(at + TIME_OFFSET + 4) * TWO_POW_32;
    const seq = fromSeq + entries.length;
    entries.push({ seq, timeMs, ...decodeBlock(page, { start, end, withRequests: true }) });
    at = end;
  }
  return entries;
}

function frame(timeMs: number, block: Uint8Array): Buffer {
  const bytes = Buffer.allocUnsafe(FRAME_HEADER_BYTES + block.length);
  bytes.writeUInt32LE(block.length, 0);
  bytes.writeUInt32LE(timeMs % TWO_POW_32, TIME_OFFSET);
  bytes.writeUInt32LE(Math.floor(timeMs / TWO_POW_32), TIME_OFFSET + 4);
  bytes.set(block, FRAME_HEADER_BYTES);
  return bytes;
}
