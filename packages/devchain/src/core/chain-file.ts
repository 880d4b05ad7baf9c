import { type FileHandle, open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { makeFolder, syncDirectory } from '@oddlot/host/durable';

/**
 * The chain on disk: lines of text that are only ever added. A line is a checksum, a space and JSON
 * without line breaks; the checksum continues that of the line before, so lines can't change places.
 * A line is on disk before the next is begun. So only the last one can be torn by a crash, and
 * nobody was told of it: it is cut. A line that is not right before one that is right is damage.
 */

const FILE_NAME = 'chain.log';
/** A shorter file on its way; what a crash left of one is worth nothing. */
const NEW_FILE_NAME = 'chain.log.new';
const NEW_LINE = 0x0a;
const CHECKSUM_CHARACTERS = 8;

/** The file says something that no crash explains; nothing is cut. */
export class ChainDamagedError extends Error {
  override readonly name = 'ChainDamagedError';
}

/** The disk took a line neither wholly nor back. */
export class ChainFileFailedError extends Error {
  override readonly name = 'ChainFileFailedError';
}

export class ChainFile {
  readonly #directory: string;
  #handle: FileHandle;
  #end: number;
  #checksum: number;
  #hasFailed = false;

  private constructor(directory: string, handle: FileHandle, end: number, checksum: number) {
    this.#directory = directory;
    this.#handle = handle;
    this.#end = end;
    this.#checksum = checksum;
  }

  /** Opens or creates the file, hands over its lines in order, and cuts what a crash left of one. */
  static async open(directory: string, onLine: (value: unknown) => void): Promise<ChainFile> {
    makeFolder(directory);
    await rm(join(directory, NEW_FILE_NAME), { force: true });
    const path = join(directory, FILE_NAME);
    const handle = await open(path, 'a+');
    try {
      const { end, checksum } = scan(await readFile(path), path, onLine);
      await handle.truncate(end);
      await handle.sync();
      await syncDirectory(directory);
      return new ChainFile(directory, handle, end, checksum);
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  /** How long it is. */
  get bytes(): number {
    return this.#end;
  }

  /** On disk when it resolves. When it rejects nothing is added, or every later call rejects too. */
  async append(value: unknown): Promise<void> {
    if (this.#hasFailed) throw new ChainFileFailedError('the disk failed before');
    const text = JSON.stringify(value);
    const checksum = crc32(text, this.#checksum);
    const line = Buffer.from(`${checksumText(checksum)} ${text}\n`);
    try {
      await this.#handle.appendFile(line);
      await this.#handle.datasync();
    } catch (error) {
      await this.#takeBack(error);
      throw error;
    }
    this.#end += line.length;
    this.#checksum = checksum;
  }

  /** Puts other lines in the place of all there are: a crash finds the old ones or the new ones, whole. */
  async replace(values: readonly unknown[]): Promise<void> {
    if (this.#hasFailed) throw new ChainFileFailedError('the disk failed before');
    const path = join(this.#directory, NEW_FILE_NAME);
    await rm(path, { force: true });
    const handle = await open(path, 'a+');
    let end = 0;
    let checksum = 0;
    try {
      for (const value of values) {
        const text = JSON.stringify(value);
        checksum = crc32(text, checksum);
        const line = Buffer.from(`${checksumText(checksum)} ${text}\n`);
        await handle.appendFile(line);
        end += line.length;
      }
      await handle.sync();
      await rename(path, join(this.#directory, FILE_NAME));
    } catch (error) {
      await handle.close();
      throw error;
    }
    const old = this.#handle;
    this.#handle = handle;
    this.#end = end;
    this.#checksum = checksum;
    await old.close();
    try {
      await syncDirectory(this.#directory);
    } catch (cause) {
      // After a power cut the old file could be back, without what is added to the new one.
      this.#hasFailed = true;
      throw new ChainFileFailedError('the disk failed', { cause });
    }
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }

  async #takeBack(cause: unknown): Promise<void> {
    try {
      await this.#handle.truncate(this.#end);
      await this.#handle.sync();
    } catch {
      this.#hasFailed = true;
      throw new ChainFileFailedError('the disk failed', { cause });
    }
  }
}

function scan(
  content: Buffer,
  path: string,
  onLine: (value: unknown) => void,
): { readonly end: number; readonly checksum: number } {
  let end = 0;
  let checksum = 0;
  while (end < content.length) {
    const lineEnd = content.indexOf(NEW_LINE, end);
    const line =
      lineEnd < 0 ? undefined : readLine(content.toString('utf8', end, lineEnd), checksum);
    if (line === undefined) {
      assertTorn(content, end, path);
      break;
    }
    onLine(line.value);
    end = lineEnd + 1;
    checksum = line.checksum;
  }
  return { end, checksum };
}

function readLine(
  line: string,
  before: number,
): { readonly value: unknown; readonly checksum: number } | undefined {
  const text = line.slice(CHECKSUM_CHARACTERS + 1);
  const checksum = crc32(text, before);
  if (line.slice(0, CHECKSUM_CHARACTERS + 1) !== `${checksumText(checksum)} `) return undefined;
  return { value: JSON.parse(text), checksum };
}

/**
 * A crash leaves the last line without its end, or with a hole where the disk had not come to. A line that is
 * whole and says something else was changed after it was written: cutting it could take back what was told.
 */
function assertTorn(content: Buffer, from: number, path: string): void {
  const rest = content.subarray(from);
  if (!rest.includes(NEW_LINE) || (rest.indexOf(NEW_LINE) === rest.length - 1 && rest.includes(0)))
    return;
  throw new ChainDamagedError(`${path} is damaged at byte ${from}: restore it from a backup`);
}

const checksumText = (checksum: number): string =>
  checksum.toString(16).padStart(CHECKSUM_CHARACTERS, '0');
