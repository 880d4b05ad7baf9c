import { JournalTail } from './journal-tail.ts';
import { frameOf } from './log-page.ts';
import type { RecordView } from './segment-scan.ts';

/** Bytes of a page; the block that passes this is its last one. */
const PAGE_BYTES_MAX = 2 * 1024 * 1024;

/**
 * Reads a journal in pages for one who follows it. Between two pages the read stands still where it is, so that a
 * segment is gone through once however many pages it makes.
 */
export class LogReader {
  readonly #tail: JournalTail;
  #nextSeq: number;
  #frames: Buffer[] = [];
  #bytes = 0;
  /** A read that waits for its next page. */
  #running: Promise<void> | undefined;
  #goOn: (() => void) | undefined;
  #onFull: (() => void) | undefined;
  #isClosed = false;

  constructor(directory: string, fromSeq: number) {
    this.#tail = new JournalTail(directory, fromSeq);
    this.#nextSeq = fromSeq;
  }

  /** The number of the first block of the next page. */
  get nextSeq(): number {
    return this.#nextSeq;
  }

  /** As many of the next blocks as a page holds, up to one that is known to be durable. One page at a time. */
  async page(untilSeq: number): Promise<Buffer> {
    this.#frames = [];
    this.#bytes = 0;
    const full = new Promise<void>((resolve) => (this.#onFull = resolve));
    this.#goOn?.();
    this.#goOn = undefined;
    this.#running ??= this.#read(untilSeq);
    await Promise.race([full, this.#running]);
    return Buffer.concat(this.#frames);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#goOn?.();
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
    const frame = frameOf(record);
    this.#frames.push(frame);
    this.#bytes += frame.length;
    this.#nextSeq = record.header.seq + 1;
    if (this.#bytes < PAGE_BYTES_MAX) return undefined;
    this.#onFull?.();
    return new Promise((resolve) => (this.#goOn = resolve));
  }
}
