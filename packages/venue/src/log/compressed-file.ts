import { open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { pipeline } from 'node:stream';
import { createZstdDecompress } from 'node:zlib';
import { assert } from '@oddlot/units';

/** How much of a file is read at once. */
const READ_BYTES = 256 * 1024;
const CHUNK_BYTES = 1024 * 1024;

/**
 * The content of a compressed file, from its start on and never back: a few chunks of it are in memory,
 * and the work is done by the threads of the system's pool.
 */
export class CompressedFile {
  /** Why the content ended before its end, when the bytes are not what was written. */
  #fault: Error | undefined;
  readonly #handle: FileHandle;
  readonly #chunks: AsyncIterator<Buffer>;
  #chunk: Buffer = Buffer.alloc(0);
  /** Where in the content the chunk starts. */
  #position = 0;

  private constructor(handle: FileHandle, readBytes: number) {
    const decoder = createZstdDecompress({ chunkSize: CHUNK_BYTES });
    const file = handle.createReadStream({ autoClose: false, highWaterMark: readBytes });
    // An error of either ends the iteration with it.
    pipeline(file, decoder, () => undefined);
    this.#handle = handle;
    this.#chunks = decoder[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  }

  static async open(path: string, readBytes = READ_BYTES): Promise<CompressedFile> {
    return new CompressedFile(await open(path, 'r'), readBytes);
  }

  get fault(): Error | undefined {
    return this.#fault;
  }

  /** Reads like a file handle does, of positions that do not go back; nothing behind the end. */
  async read(
    target: Buffer,
    at: number,
    length: number,
    position: number,
  ): Promise<{ readonly bytesRead: number }> {
    assert(position >= this.#position, 'a compressed file is read forwards only');
    while (position >= this.#position + this.#chunk.length) {
      if (!(await this.#next())) return { bytesRead: 0 };
    }
    const from = position - this.#position;
    const bytesRead = this.#chunk.copy(target, at, from, from + length);
    return { bytesRead };
  }

  /** Reads to the end and gives the length of the whole; undefined when it is not intact. */
  async measure(): Promise<number | undefined> {
    while (await this.#next());
    return this.#fault === undefined ? this.#position : undefined;
  }

  async close(): Promise<void> {
    await this.#chunks.return?.();
    await this.#handle.close();
  }

  async #next(): Promise<boolean> {
    if (this.#fault !== undefined) return false;
    try {
      const { done, value } = await this.#chunks.next();
      this.#position += this.#chunk.length;
      this.#chunk = done === true ? Buffer.alloc(0) : value;
      return done !== true;
    } catch (error) {
      if (!(error instanceof Error) || 'syscall' in error) throw error;
      this.#position += this.#chunk.length;
      this.#chunk = Buffer.alloc(0);
      this.#fault = error;
      return false;
    }
  }
}
