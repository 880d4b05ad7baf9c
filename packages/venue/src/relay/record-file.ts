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

const PRIVATE = 0o600;

/**
 * Records as lines of one file, in the order in which they were written. What is appended is on disk
 * when that returns; the torn line of a crash was never answered or acted on, and goes.
 */
export class RecordFile {
  readonly #file: string;
  #descriptor: number | undefined = undefined;

  constructor(file: string) {
    this.#file = file;
    mkdirSync(dirname(file), { recursive: true });
  }

  /** What the file holds. */
  read(): readonly unknown[] {
    let text = '';
    try {
      text = readFileSync(this.#file, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
    const lines = text.split('\n');
    lines.pop();
    return lines.map((line) => JSON.parse(line) as unknown);
  }

  /** Puts these in place of what the file holds. */
  replace(records: Iterable<unknown>): void {
    this.close();
    const beside = `${this.#file}.new`;
    const descriptor = openSync(beside, 'w', PRIVATE);
    for (const record of records) writeSync(descriptor, `${JSON.stringify(record)}\n`);
    fdatasyncSync(descriptor);
    renameSync(beside, this.#file);
    this.#descriptor = descriptor;
  }

  append(record: unknown): void {
    this.#descriptor ??= openSync(this.#file, 'a', PRIVATE);
    writeSync(this.#descriptor, `${JSON.stringify(record)}\n`);
    fdatasyncSync(this.#descriptor);
  }

  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }
}
