import {
  closeSync,
  fdatasyncSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { linesOf, readLines } from './record-lines.ts';
import { makeFolder, syncFolder } from './sync-folder.ts';
import { writeAll } from './whole-file.ts';

const PRIVATE = 0o600;
/** The file is written anew when it has so many more lines than there are records. */
const SPARE_LINES = 4_096;
/** Below that its length is no matter. */
const SPARE_BYTES = 1_048_576;
/** The most that a file is longer than what it would be, written anew; and the least for which it is. */
const TIMES_MOST = 4;
const TIMES_LEAST = 2;

export type RecordLines = {
  readonly records: readonly unknown[];
  /** Numbers of lines that are not as they were written, which no crash explains. */
  readonly damaged: readonly number[];
};

/**
 * Records as lines of one file, in the order in which they were written; each line's check continues the one before it. What is
 * appended is there after a power loss when that returns: the file is synced, and its folder whenever the file got its
 * name there. What a crash left of an append was never acted on, and goes. A disk without room (R-disk) leaves the file as it was.
 */
export class RecordFile {
  readonly #file: string;
  #descriptor: number;
  #bytes = 0;
  #lines = 0;
  #check = '';
  #shortenAt = 0;
  #measureAt = SPARE_BYTES;
  /** After a sync that failed nobody knows what is on the disk: nothing more is written. */
  #failure: unknown = undefined;

  constructor(file: string) {
    this.#file = file;
    makeFolder(dirname(file));
    this.#descriptor = openSync(file, 'a', PRIVATE);
    syncFolder(dirname(file));
  }

  /** Before anything is appended. What it gives is on disk, even if a process that ended early left it in the cache alone. */
  read(): RecordLines {
    const content = readFileSync(this.#file);
    const { check, damaged, end, lines, records } = readLines(content);
    if (damaged.length === 0 && end < content.length) ftruncateSync(this.#descriptor, end);
    fsyncSync(this.#descriptor);
    this.#bytes = end;
    this.#lines = lines;
    this.#check = check;
    return { records, damaged };
  }

  /** All or none of them. */
  append(records: readonly unknown[]): void {
    if (records.length === 0) return;
    this.#assertWritable();
    const { check, text } = linesOf(records, this.#check);
    const bytes = Buffer.from(text);
    try {
      writeAll(this.#descriptor, bytes);
    } catch (error) {
      // Half a line would spoil the next one.
      this.#orStop(() => ftruncateSync(this.#descriptor, this.#bytes));
      throw error;
    }
    this.#orStop(() => fdatasyncSync(this.#descriptor));
    this.#bytes += bytes.length;
    this.#lines += records.length;
    this.#check = check;
  }

  /** Puts these in the place of what the file holds, which stays when that fails. */
  replace(records: Iterable<unknown>): void {
    this.#assertWritable();
    const beside = `${this.#file}.new`;
    let check = '';
    const lines = Array.from(records, (record) => {
      const line = linesOf([record], check);
      check = line.check;
      return line.text;
    });
    const bytes = Buffer.from(lines.join(''));
    rmSync(beside, { force: true });
    const descriptor = openSync(beside, 'ax', PRIVATE);
    try {
      writeAll(descriptor, bytes);
      fsyncSync(descriptor);
      renameSync(beside, this.#file);
    } catch (error) {
      closeSync(descriptor);
      rmSync(beside, { force: true });
      throw error;
    }
    closeSync(this.#descriptor);
    this.#descriptor = descriptor;
    this.#bytes = bytes.length;
    this.#lines = lines.length;
    this.#check = check;
    // Otherwise the old file could be back after a power loss, without what is appended to the new one.
    this.#orStop(() => syncFolder(dirname(this.#file)));
  }

  /** The same once most lines are of no use any more. One that fails is tried again much later. */
  shorten(records: { readonly size: number; values(): Iterable<unknown> }): void {
    if (this.#lines <= records.size + SPARE_LINES || this.#lines < this.#shortenAt) return;
    try {
      this.replace(records.values());
    } catch {
      this.#shortenAt = this.#lines + SPARE_LINES;
    }
  }

  /**
   * The same by bytes, for records of very different length: after any append. What they would take is measured whenever
   * the file is twice as long as it was at the last time or more, so that it costs little beside the appends.
   */
  shortenLong(records: () => Iterable<unknown>): void {
    if (this.#bytes < this.#measureAt) return;
    let needed = 0;
    for (const record of records()) needed += Buffer.byteLength(linesOf([record], '').text);
    this.#measureAt = Math.max(SPARE_BYTES, TIMES_MOST * needed);
    if (this.#bytes <= TIMES_LEAST * needed) return;
    try {
      this.replace(records());
    } catch {
      this.#measureAt = Math.max(this.#measureAt, TIMES_LEAST * this.#bytes);
    }
  }

  close(): void {
    closeSync(this.#descriptor);
  }

  #assertWritable(): void {
    if (this.#failure === undefined) return;
    throw new Error(`${this.#file} cannot be written`, { cause: this.#failure });
  }

  #orStop(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#failure = error;
      throw error;
    }
  }
}
