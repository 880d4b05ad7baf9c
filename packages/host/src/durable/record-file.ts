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
import { makeFolder, OWNER_ONLY_MODE, syncFolder } from './own-files.ts';
import { writeAll, writeWholeFile } from './whole-file.ts';

/** The file is rewritten if it has more than this many lines in excess of its records. */
const SPARE_LINES = 4_096;
/** Files smaller than this are never rewritten because of their size. */
const SPARE_BYTES = 1_048_576;
/** The number of characters per write when a file is rewritten. */
const PIECE_CHARACTERS = 1_048_576;
/**
 * Bounds for the file size relative to the size after a rewrite. At the lower factor, the size
 * needed is measured; at the upper factor at the latest, the file is rewritten.
 */
const TIMES_MOST = 4;
const TIMES_LEAST = 2;

type Written = { readonly bytes: number; readonly lines: number; readonly check: string };

/**
 * Stores records as lines of one file, in the order in which they were written. The checksum of
 * each line continues the previous one. An append is durable when it returns: the file is synced
 * and, when the file is created, so is its folder. An append left incomplete by a crash was never
 * acknowledged and is removed. If the disk is full (R-disk), the file is unchanged.
 */
export class RecordFile implements RecordStore {
  readonly #file: string;
  readonly #draft: string;
  readonly #form: LineForm;
  #descriptor: number;
  #bytes = 0;
  #lines = 0;
  #check = '';
  #shortenAt = 0;
  #measureAt = SPARE_BYTES;
  /** Set by a failed sync: what is on disk is then unknown, and nothing more is written. */
  #failure: unknown = undefined;

  constructor(file: string, form: LineForm = RECORD_LINES) {
    this.#file = file;
    this.#draft = `${file}.new`;
    this.#form = form;
    makeFolder(dirname(file));
    // A draft left by an interrupted rewrite is not used.
    rmSync(this.#draft, { force: true });
    this.#descriptor = openSync(file, 'a+', OWNER_ONLY_MODE);
    syncFolder(dirname(file));
  }

  get name(): string {
    return this.#file;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get hasFailed(): boolean {
    return this.#failure !== undefined;
  }

  /**
   * Reads all records. Must be called before any append. The returned records are on disk, even if
   * a process that died had left them only in the cache.
   */
  read(): RecordLines {
    const records: unknown[] = [];
    const damaged = this.readEach((record) => records.push(record));
    return { records, damaged: damaged.map(({ line }) => line) };
  }

  /** Reads a file that is too large for memory record by record. Returns the damaged lines. */
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

  /** Appends all records or none. */
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
      // A partial line would damage the next one.
      this.#orStop(() => ftruncateSync(this.#descriptor, this.#bytes));
      throw error;
    }
    this.#orStop(() => fdatasyncSync(this.#descriptor));
    this.#bytes += bytes.length;
    this.#lines += records.length;
    this.#check = check;
  }

  /** Replaces the content of the file. If this fails, the file is unchanged. */
  replace(records: Iterable<unknown>): void {
    this.#assertWritable();
    rmSync(this.#draft, { force: true });
    const descriptor = openSync(this.#draft, 'a+', OWNER_ONLY_MODE);
    let written: Written;
    try {
      written = this.#writeEach(descriptor, records);
      fsyncSync(descriptor);
      renameSync(this.#draft, this.#file);
    } catch (error) {
      closeSync(descriptor);
      rmSync(this.#draft, { force: true });
      throw error;
    }
    closeSync(this.#descriptor);
    this.#descriptor = descriptor;
    this.#bytes = written.bytes;
    this.#lines = written.lines;
    this.#check = written.check;
    // The folder is synced. Otherwise, after a power loss, the old file could reappear without the
    // records appended to the new one.
    this.#orStop(() => syncFolder(dirname(this.#file)));
  }

  /**
   * Replaces the content if most lines are obsolete. A failed attempt is retried after many more
   * lines.
   */
  shorten(records: { readonly size: number; values(): Iterable<unknown> }): void {
    if (this.#lines <= records.size + SPARE_LINES || this.#lines < this.#shortenAt) return;
    try {
      this.replace(records.values());
    } catch {
      this.#shortenAt = this.#lines + SPARE_LINES;
    }
  }

  /**
   * Replaces the content if most bytes are obsolete, for records of very different sizes. Must be
   * called before any append. The size needed is measured whenever the file has doubled since the
   * last measurement, so the cost is small compared with that of the appends.
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

  /** Copies the file to a file with the suffix `.damaged` and returns its path. */
  setAside(): string {
    const aside = `${this.#file}.damaged`;
    writeWholeFile(aside, readFileSync(this.#file));
    return aside;
  }

  close(): void {
    closeSync(this.#descriptor);
  }

  /** Writes the records in pieces, because all of them at once might not fit in memory. */
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
  /** The numbers of altered lines that cannot be explained by a crash. */
  readonly damaged: readonly number[];
};

/**
 * Persistent records in the order in which they were written, in a file or in storage shared by
 * several machines. A call that returns a promise has taken effect once the promise resolves; any
 * other call, once it returns.
 */
export type RecordStore = {
  /** The name of the store in messages for operators. */
  readonly name: string;
  /** Reads all records. Must be called before any append. */
  read(): RecordLines;
  /** Appends all records or none. They must be durable before any code acts on them. */
  append(records: readonly unknown[]): void | Promise<void>;
  /**
   * Replaces the content. If the replacement is asynchronous, later appends follow it or fail with
   * it.
   */
  replace(records: Iterable<unknown>): void;
  /** Replaces the content if most of it is obsolete. A failed attempt is retried later. */
  shorten(records: { readonly size: number; values(): Iterable<unknown> }): void;
  /** If possible, preserves the content for an operator and returns its location. */
  setAside(): string;
  close(): void;
};

/** Opens the file with the given name, or returns the given store. */
export function recordStoreAt(place: string | RecordStore): RecordStore {
  return typeof place === 'string' ? new RecordFile(place) : place;
}
