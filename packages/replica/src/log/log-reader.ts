import { JournalTail } from './journal-reader.ts';
import type { RecordView } from './segment-scan.ts';
import type { LogEntry } from '../block.ts';
import { decodeBlock } from './block-codec.ts';
import { EarlierReleaseError } from './log.ts';
import { FORMAT_VERSION } from './journal-format.ts';

/** The maximum size of a page; the block that exceeds it is the page's last. */
const PAGE_BYTES_MAX = 2 * 1024 * 1024;

/**
 * Reads a journal in pages for a client that follows it. The read is paused between two pages, so
 * that a segment is scanned only once, however many pages it has.
 */
export class LogReader {
  readonly #tail: JournalTail;
  #nextSeq: number;
  #frames: Buffer[] = [];
  #bytes = 0;
  /** The read in progress, which is paused until the next page is requested. */
  #running: Promise<void> | undefined;
  #resume: (() => void) | undefined;
  #onFull: (() => void) | undefined;
  #isClosed = false;

  constructor(directory: string, fromSeq: number) {
    this.#tail = new JournalTail(directory, fromSeq);
    this.#nextSeq = fromSeq;
  }

  get nextSeq(): number {
    return this.#nextSeq;
  }

  /**
   * Returns the next page of blocks, up to a block known to be durable. Only one page can be
   * requested at a time.
   */
  async page(untilSeq: number): Promise<Buffer> {
    this.#frames = [];
    this.#bytes = 0;
    const full = new Promise<void>((resolve) => (this.#onFull = resolve));
    this.#resume?.();
    this.#resume = undefined;
    this.#running ??= this.#read(untilSeq);
    await Promise.race([full, this.#running]);
    return Buffer.concat(this.#frames);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#resume?.();
    await this.#running?.catch(() => undefined);
    await this.#tail.close();
  }

  async #read(untilSeq: number): Promise<void> {
    try {
      await this.#tail.recordsUpTo(untilSeq, (record) => this.#take(record));
    } finally {
      this.#running = undefined;
    }
  }

  #take(record: RecordView): Promise<void> | undefined {
    if (this.#isClosed) throw new Error('the reader was closed');
    const block = frameOf(record);
    this.#frames.push(block);
    this.#bytes += block.length;
    this.#nextSeq = record.header.seq + 1;
    if (this.#bytes < PAGE_BYTES_MAX) return undefined;
    this.#onFull?.();
    return new Promise((resolve) => (this.#resume = resolve));
  }
}

/**
 * The format of a page: [u32 length][u64 time][the block] for each block. The request contains the
 * number of the first one. A page does not prove anything: an independent verifier derives each
 * command again.
 */

const FRAME_HEADER_BYTES = 12;
const TIME_OFFSET = 4;
const TWO_POW_32 = 2 ** 32;

class LogPageError extends Error {
  override readonly name = 'LogPageError';
}

/** Copies the block of a record from the reader's memory. */
function frameOf({ bytes, format, header, payloadEnd, payloadStart }: RecordView): Buffer {
  if (format !== FORMAT_VERSION) throw new EarlierReleaseError(`journal format ${format}`);
  return frame(header.timeMs, bytes.subarray(payloadStart, payloadEnd));
}

/** Returns the blocks of a page, with requests. Throws if the bytes are not a page. */
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
