import {
  closeSync,
  fdatasyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { crc32 } from 'node:zlib';

const PRIVATE = 0o600;
const SUM_CHARACTERS = 8;
const NEW_LINE = 0x0a;
/** The file is written anew when it has so many more lines than there are records. */
const SPARE_LINES = 4_096;

export type RecordLines = {
  readonly records: readonly unknown[];
  /** Numbers of lines that are not as they were written, which no crash explains. */
  readonly damaged: readonly number[];
};

/**
 * Records as lines of one file, each after its checksum, in the order in which they were written. What is appended is on
 * disk when that returns; the torn line of a crash was never acted on, and goes. A disk without room (R-disk) leaves the
 * file as it was.
 */
export class RecordFile {
  readonly #file: string;
  #descriptor: number;
  #bytes = 0;
  #lines = 0;
  #shortenAt = 0;
  /** After a sync that failed nobody knows what is on the disk: nothing more is written. */
  #failure: unknown = undefined;

  constructor(file: string) {
    this.#file = file;
    mkdirSync(dirname(file), { recursive: true });
    this.#descriptor = openSync(file, 'a', PRIVATE);
  }

  read(): RecordLines {
    const content = readFileSync(this.#file);
    const end = content.lastIndexOf(NEW_LINE) + 1;
    const lines = content.subarray(0, end).toString('utf8').split('\n').slice(0, -1);
    const records: unknown[] = [];
    const damaged: number[] = [];
    for (const [at, line] of lines.entries()) {
      const text = line.slice(SUM_CHARACTERS + 1);
      if (line.slice(0, SUM_CHARACTERS) === sumOf(text)) records.push(JSON.parse(text));
      else damaged.push(at + 1);
    }
    if (damaged.length === 0 && end < content.length) ftruncateSync(this.#descriptor, end);
    this.#bytes = end;
    this.#lines = lines.length;
    return { records, damaged };
  }

  /** All or none of them. */
  append(records: readonly unknown[]): void {
    if (this.#failure !== undefined) {
      throw new Error(`${this.#file} cannot be written`, { cause: this.#failure });
    }
    const bytes = Buffer.from(records.map(lineOf).join(''));
    try {
      writeWhole(this.#descriptor, bytes);
    } catch (error) {
      // Half a line would spoil the next one.
      this.#orStop(() => ftruncateSync(this.#descriptor, this.#bytes));
      throw error;
    }
    this.#orStop(() => fdatasyncSync(this.#descriptor));
    this.#bytes += bytes.length;
    this.#lines += records.length;
  }

  /** Puts these in the place of what the file holds, which stays when that fails. */
  replace(records: Iterable<unknown>): void {
    const beside = `${this.#file}.new`;
    const lines = Array.from(records, lineOf);
    const bytes = Buffer.from(lines.join(''));
    const descriptor = openSync(beside, 'w', PRIVATE);
    try {
      writeWhole(descriptor, bytes);
      fdatasyncSync(descriptor);
      renameSync(beside, this.#file);
    } catch (error) {
      closeSync(descriptor);
      rmSync(beside, { force: true });
      throw error;
    }
    closeSync(this.#descriptor);
    // For the end of the file, wherever that is after a truncation.
    this.#descriptor = openSync(this.#file, 'a', PRIVATE);
    closeSync(descriptor);
    this.#bytes = bytes.length;
    this.#lines = lines.length;
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

  close(): void {
    closeSync(this.#descriptor);
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

function writeWhole(descriptor: number, bytes: Buffer): void {
  for (let at = 0; at < bytes.length;) at += writeSync(descriptor, bytes, at);
}

function lineOf(record: unknown): string {
  const text = JSON.stringify(record);
  return `${sumOf(text)} ${text}\n`;
}

function sumOf(text: string): string {
  return crc32(text).toString(16).padStart(SUM_CHARACTERS, '0');
}
