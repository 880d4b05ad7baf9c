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
import { type DamagedLine, type LineForm, readLines, RECORD_LINES } from './record-lines.ts';
import { makeFolder, OWN_FILE, syncFolder } from './own-files.ts';
import { writeAll, writeWholeFile } from './whole-file.ts';

/** The file is written anew when it has so many more lines than there are records. */
const SPARE_LINES = 4_096;
/** Below that its length is no matter. */
const SPARE_BYTES = 1_048_576;
/** A file that is rewritten is written in pieces of this many characters. */
const PIECE_CHARACTERS = 1_048_576;
/** The most that a file is longer than what it would be, written anew; and the least for which it is. */
const TIMES_MOST = 4;
const TIMES_LEAST = 2;

type Written = { readonly bytes: number; readonly lines: number; readonly check: string };

/**
 * Records as lines of one file, in the order in which they were written; each line's check continues the one before it. What is
 * appended is there after a power loss when that returns: the file is synced, and its folder whenever the file got its
 * name there. What a crash left of an append was never acted on, and goes. A disk without room (R-disk) leaves the file as it was.
 */
export class RecordFile implements RecordStore {
  readonly #file: string;
  readonly #beside: string;
  readonly #form: LineForm;
  #descriptor: number;
  #bytes = 0;
  #lines = 0;
  #check = '';
  #shortenAt = 0;
  #measureAt = SPARE_BYTES;
  /** After a sync that failed nobody knows what is on the disk: nothing more is written. */
  #failure: unknown = undefined;

  constructor(file: string, form: LineForm = RECORD_LINES) {
    this.#file = file;
    this.#beside = `${file}.new`;
    this.#form = form;
    makeFolder(dirname(file));
    // What a crash left of a file that was written anew is worth nothing.
    rmSync(this.#beside, { force: true });
    this.#descriptor = openSync(file, 'a+', OWN_FILE);
    syncFolder(dirname(file));
  }

  get name(): string {
    return this.#file;
  }

  /** How long it is. */
  get bytes(): number {
    return this.#bytes;
  }

  /** True once nothing more is written. */
  get hasFailed(): boolean {
    return this.#failure !== undefined;
  }

  /** Before anything is appended. What it gives is on disk, even if a process that ended early left it in the cache alone. */
  read(): RecordLines {
    const records: unknown[] = [];
    const damaged = this.readEach((record) => records.push(record));
    return { records, damaged: damaged.map(({ line }) => line) };
  }

  /** The same, one by one, for a file that is too long to be in memory. Gives the lines that are damaged. */
  readEach(onRecord: (record: unknown) => void): readonly DamagedLine[] {
    const read = readLines(this.#descriptor, this.#form, onRecord);
    this.#bytes = read.end;
    this.#lines = read.lines;
    this.#check = read.check;
    const isCut = read.isTorn && read.damaged.length === 0;
    if (isCut) ftruncateSync(this.#descriptor, read.end);
    fsyncSync(this.#descriptor);
    if (isCut) this.append(read.unended);
    if (isCut) read.unended.forEach(onRecord);
    return read.damaged;
  }

  /** All or none of them. */
  append(records: readonly unknown[]): void {
    if (records.length === 0) return;
    this.#assertWritable();
    let check = this.#check;
    const lines = records.map((record, at) => {
      const line = this.#form.write(record, check, at === records.length - 1);
      check = line.check;
      return `${line.text}\n`;
    });
    const bytes = Buffer.from(lines.join(''));
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
    rmSync(this.#beside, { force: true });
    const descriptor = openSync(this.#beside, 'a+', OWN_FILE);
    let written: Written;
    try {
      written = this.#writeEach(descriptor, records);
      fsyncSync(descriptor);
      renameSync(this.#beside, this.#file);
    } catch (error) {
      closeSync(descriptor);
      rmSync(this.#beside, { force: true });
      throw error;
    }
    closeSync(this.#descriptor);
    this.#descriptor = descriptor;
    this.#bytes = written.bytes;
    this.#lines = written.lines;
    this.#check = written.check;
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
    for (const record of records()) needed += this.#lengthOf(record);
    this.#measureAt = Math.max(SPARE_BYTES, TIMES_MOST * needed);
    if (this.#bytes <= TIMES_LEAST * needed) return;
    try {
      this.replace(records());
    } catch {
      this.#measureAt = Math.max(this.#measureAt, TIMES_LEAST * this.#bytes);
    }
  }

  /** As a copy beside it. */
  setAside(): string {
    const aside = `${this.#file}.damaged`;
    writeWholeFile(aside, readFileSync(this.#file));
    return aside;
  }

  close(): void {
    closeSync(this.#descriptor);
  }

  /** Each by itself, in pieces: all of them at once may be too long. */
  #writeEach(descriptor: number, records: Iterable<unknown>): Written {
    const written = { bytes: 0, lines: 0, check: '' };
    let piece = '';
    const write = (): void => {
      const bytes = Buffer.from(piece);
      writeAll(descriptor, bytes);
      written.bytes += bytes.length;
      piece = '';
    };
    for (const record of records) {
      const { check, text } = this.#form.write(record, written.check, true);
      written.check = check;
      written.lines++;
      piece += `${text}\n`;
      if (piece.length >= PIECE_CHARACTERS) write();
    }
    write();
    return written;
  }

  #lengthOf(record: unknown): number {
    return Buffer.byteLength(this.#form.write(record, '', true).text) + 1;
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

export type RecordLines = {
  readonly records: readonly unknown[];
  /** Numbers of lines that are not as they were written, which no crash explains. */
  readonly damaged: readonly number[];
};

/**
 * Records that outlive who writes them, in the order in which they were written: a file, or what several machines share. A
 * file is done when a call returns; where a promise comes back, when that resolves.
 */
export type RecordStore = {
  /** For operators. */
  readonly name: string;
  /** Before anything is appended. */
  read(): RecordLines;
  /** All or none of them, and there for good before anybody acts on them. */
  append(records: readonly unknown[]): void | Promise<void>;
  /** Puts these in the place of what it holds. Where that is not done at once, what is appended follows it or fails with it. */
  replace(records: Iterable<unknown>): void;
  /** The same once most of it is of no use any more; one that fails is tried again later. */
  shorten(records: { readonly size: number; values(): Iterable<unknown> }): void;
  /** Keeps what it holds for an operator to look at, where that is possible, and says where. */
  setAside(): string;
  close(): void;
};

/** The file of that name, or the store itself. */
export function recordStoreAt(place: string | RecordStore): RecordStore {
  return typeof place === 'string' ? new RecordFile(place) : place;
}
