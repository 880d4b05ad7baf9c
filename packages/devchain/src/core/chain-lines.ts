import { crc32 } from 'node:zlib';
import { type LineForm, RecordFile } from '@oddlot/host/durable';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';

const CHECKSUM_CHARACTERS = 8;

/**
 * The format of a line: a checksum, a space and JSON. The checksum is chained to the previous
 * line's, so that reordered lines are detected.
 */
export const CHAIN_LINES: LineForm = {
  write: (value, before) => {
    const text = JSON.stringify(value);
    const check = checksumOf(text, before);
    return { text: `${check} ${text}`, check };
  },
  read: (line, before) => {
    const text = line.slice(CHECKSUM_CHARACTERS + 1);
    const check = before?.isRight === false ? '' : checksumOf(text, before?.check ?? '');
    const isRight = check !== '' && line.startsWith(`${check} `);
    const record: unknown = isRight ? JSON.parse(text) : undefined;
    return { record, check, isRight, isLast: true };
  },
  canHaveHoles: true,
  countsWithoutEnd: false,
};

function checksumOf(text: string, before: string): string {
  const checksum = crc32(text, before === '' ? 0 : Number.parseInt(before, 16));
  return checksum.toString(16).padStart(CHECKSUM_CHARACTERS, '0');
}

const FILE_NAME = 'chain.log';

/** Thrown if a crash cannot explain the file's content. Nothing is then removed from the file. */
export class ChainDamagedError extends Error {
  override readonly name = 'ChainDamagedError';
}

/** Thrown if a line was neither written completely nor undone. */
class ChainFileFailedError extends Error {
  override readonly name = 'ChainFileFailedError';
}

/** The chain on disk. Each write yields to the thread's other tasks before it resolves. */
export class ChainFile {
  readonly #file: RecordFile;

  private constructor(file: RecordFile) {
    this.#file = file;
  }

  /**
   * Opens or creates the file, passes on its lines in order, and removes any line left incomplete
   * by a crash.
   */
  static async open(directory: string, onLine: (value: unknown) => void): Promise<ChainFile> {
    const path = join(directory, FILE_NAME);
    const file = new RecordFile(path, CHAIN_LINES);
    try {
      const [damaged] = file.readEach(onLine);
      if (damaged === undefined) return new ChainFile(file);
      const where = `byte ${damaged.byte}`;
      throw new ChainDamagedError(`${path} is damaged at ${where}. Restore it from a backup`);
    } catch (error) {
      file.close();
      throw error;
    }
  }

  get bytes(): number {
    return this.#file.bytes;
  }

  /**
   * Appends a line, which is on disk when the promise resolves. If it rejects, either nothing was
   * added or every later call also rejects.
   */
  async append(value: unknown): Promise<void> {
    this.#write(() => this.#file.append([value]));
    await setImmediate();
  }

  /**
   * Replaces all lines. After a crash, the file contains either all of the old lines or all of the
   * new ones.
   */
  async replace(values: readonly unknown[]): Promise<void> {
    this.#write(() => this.#file.replace(values));
    await setImmediate();
  }

  async close(): Promise<void> {
    this.#file.close();
  }

  #write(write: () => void): void {
    if (this.#file.hasFailed) throw new ChainFileFailedError('the disk failed earlier');
    try {
      write();
    } catch (cause) {
      throw this.#file.hasFailed ? new ChainFileFailedError('the disk failed', { cause }) : cause;
    }
  }
}
