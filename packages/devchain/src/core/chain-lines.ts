import { crc32 } from 'node:zlib';
import { type LineForm, RecordFile } from '@oddlot/host/durable';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';

const CHECKSUM_CHARACTERS = 8;

/** A line is a checksum, a space and JSON; the checksum continues that of the line before, so lines can't change places. */
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

/** The file says something that no crash explains; nothing is cut. */
export class ChainDamagedError extends Error {
  override readonly name = 'ChainDamagedError';
}

/** The disk took a line neither wholly nor back. */
class ChainFileFailedError extends Error {
  override readonly name = 'ChainFileFailedError';
}

/** The chain on disk. Others of its thread have a turn after each line, however many follow. */
export class ChainFile {
  readonly #file: RecordFile;

  private constructor(file: RecordFile) {
    this.#file = file;
  }

  /** Opens or creates the file, hands over its lines in order, and cuts what a crash left of one. */
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

  /** How long it is. */
  get bytes(): number {
    return this.#file.bytes;
  }

  /** On disk when it resolves. When it rejects nothing is added, or every later call rejects too. */
  async append(value: unknown): Promise<void> {
    this.#write(() => this.#file.append([value]));
    await setImmediate();
  }

  /** Puts other lines in the place of all there are: a crash finds the old ones or the new ones, whole. */
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
