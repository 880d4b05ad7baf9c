import {
  closeSync,
  fdatasyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { crc32 } from 'node:zlib';

const PRIVATE = 0o600;
const SUM_LENGTH = 8;

/** A file that is not as it was written; its message is meant for the operator. */
export class RecordFileError extends Error {
  override readonly name = 'RecordFileError';
}

/**
 * Records as lines of one file, each after its checksum, in the order in which they were written. What is appended is on disk
 * when that returns; the torn line of a crash was never answered or acted on, and goes.
 */
export class RecordFile {
  readonly #file: string;
  #descriptor: number | undefined = undefined;

  constructor(file: string) {
    this.#file = file;
    mkdirSync(dirname(file), { recursive: true });
  }

  /** What the file holds; throws RecordFileError where that is not what was written. */
  read(): readonly unknown[] {
    let text = '';
    try {
      text = readFileSync(this.#file, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
    const lines = text.split('\n');
    lines.pop();
    return lines.map((line, at) => {
      const [sum, json] = [line.slice(0, SUM_LENGTH), line.slice(SUM_LENGTH + 1)];
      if (sumOf(json) === sum) return JSON.parse(json) as unknown;
      throw new RecordFileError(
        `${this.#file}: line ${at + 1} is damaged; what was paid cannot be told without it, so nothing is. ` +
          'See docs/guides/relay.md',
      );
    });
  }

  /** Puts these in place of what the file holds. */
  replace(records: Iterable<unknown>): void {
    this.close();
    const beside = `${this.#file}.new`;
    const descriptor = openSync(beside, 'w', PRIVATE);
    for (const record of records) writeSync(descriptor, lineOf(record));
    fdatasyncSync(descriptor);
    renameSync(beside, this.#file);
    this.#descriptor = descriptor;
  }

  append(record: unknown): void {
    this.#descriptor ??= openSync(this.#file, 'a', PRIVATE);
    writeSync(this.#descriptor, lineOf(record));
    fdatasyncSync(this.#descriptor);
  }

  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }
}

function lineOf(record: unknown): string {
  const json = JSON.stringify(record);
  return `${sumOf(json)} ${json}\n`;
}

function sumOf(json: string): string {
  return crc32(json).toString(16).padStart(SUM_LENGTH, '0');
}
