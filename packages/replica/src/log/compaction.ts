import { isNoRoom, OWN_FILE, syncDirectory, writeFully } from '@oddlot/host/durable';
import { assert, present } from '@oddlot/units';
import type { Retention } from './log.ts';
import { CompressedFile, readSegment, removeSegment, type Segment } from './segment-files.ts';
import { type FileHandle, open, rename, rm, unlink } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { constants, createZstdCompress } from 'node:zlib';
import { COMPRESSED_SUFFIX, SEGMENT_HEADER_BYTES } from './journal-format.ts';

type CompactionOptions = {
  readonly directory: string;
  /** Of the journal, in order; the last is the one that is written. */
  readonly segments: Segment[];
  /** False while the disk is short of room: a copy would need some (R-disk). */
  readonly mayCompress: () => boolean;
  /** A segment could not be compressed or removed; it stays as it is. */
  readonly onFailed: (error: unknown) => void;
  readonly before?: ((step: CompressStep) => void | Promise<void>) | undefined;
};

/**
 * Makes the old part of a journal small: removes what is not kept and compresses the rest, the oldest first and one segment
 * at a time.
 */
export class Compaction {
  readonly #options: CompactionOptions;
  /** First entries of segments that could not be compressed: once is enough to be told. */
  readonly #passedOver = new Set<number>();
  #wanted: Retention = { belowSeq: 0 };
  #running: Promise<void> | undefined;
  #isStopped = false;

  constructor(options: CompactionOptions) {
    this.#options = options;
  }

  /** Resolves when nothing is left to do. While one is under way it goes on with what is wanted now. */
  request(retention: Retention): Promise<void> {
    this.#wanted = retention;
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  /** Gives up the segment that is under way. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#running;
  }

  async #run(): Promise<void> {
    try {
      while (!this.#isStopped && ((await this.#drop()) || (await this.#compress())));
    } catch (error) {
      // It is tried again with the next request.
      if (!isNoRoom(error)) this.#options.onFailed(error);
    }
  }

  /** Removes the oldest segment if it may go; false when none may. */
  async #drop(): Promise<boolean> {
    const { directory, segments } = this.#options;
    const { belowSeq, dropBeforeMs = 0 } = this.#wanted;
    const [oldest, next] = segments;
    if (oldest === undefined || next === undefined || next.firstSeq > belowSeq) return false;
    if (next.header.before.timeMs >= dropBeforeMs) return false;
    segments.shift();
    this.#passedOver.delete(oldest.firstSeq);
    await removeSegment(directory, oldest);
    return true;
  }

  /** Compresses the oldest segment that may be and is not; false when there is none. */
  async #compress(): Promise<boolean> {
    const { before, directory, mayCompress, onFailed, segments } = this.#options;
    const { belowSeq } = this.#wanted;
    if (!mayCompress()) return false;
    const found = segments.findIndex((segment, index) => {
      const next = segments[index + 1];
      const isDue = next !== undefined && next.firstSeq <= belowSeq && !segment.isCompressed;
      return isDue && !this.#passedOver.has(segment.firstSeq);
    });
    const segment = segments[found];
    if (segment === undefined) return false;
    try {
      // It was listed before it was sealed.
      const sealed = await readSegment(segment.path, segment.firstSeq);
      assert(sealed?.mark?.kind === 'sealed', 'a segment with a successor is sealed');
      const isStopped = (): boolean => this.#isStopped;
      const compressed = await compressSegment(sealed, { directory, isStopped, before });
      if (compressed !== undefined) segments[found] = compressed;
    } catch (error) {
      if (isNoRoom(error)) throw error;
      this.#passedOver.add(segment.firstSeq);
      onFailed(error);
    }
    return true;
  }
}

const CHUNK_BYTES = 512 * 1024;

const ZSTD = {
  chunkSize: CHUNK_BYTES,
  params: {
    // Half of what is left is signatures and hashes: higher levels measured 5 % less for twice the work.
    [constants.ZSTD_c_compressionLevel]: 3,
    // The decoder compares it, so that a whole copy is known to be one.
    [constants.ZSTD_c_checksumFlag]: 1,
  },
  // What stands in a chunk can be read without the next: a listing reads headers alone.
  flush: constants.ZSTD_e_flush,
};

/** What compressing a segment does, in order; a crash before any of it leaves one whole copy. */
export type CompressStep = 'write' | 'sync' | 'verify' | 'rename' | 'settle' | 'remove' | 'forget';

type CompressOptions = {
  readonly directory: string;
  /** Asked between any two chunks; true gives up and leaves all as it was. */
  readonly isStopped: () => boolean;
  /** Called ahead of each step, for tests. */
  readonly before?: ((step: CompressStep) => void | Promise<void>) | undefined;
};

/**
 * Puts a compressed copy in the place of a segment that nobody appends to any more. Undefined when it
 * was told to stop. The copy gets its name when it is on disk and was read back; the original goes after that.
 */
async function compressSegment(
  segment: Segment,
  { before, directory, isStopped }: CompressOptions,
): Promise<Segment | undefined> {
  const path = segment.path + COMPRESSED_SUFFIX;
  const unfinished = `${path}.new`;
  try {
    await before?.('write');
    if (!(await writeCompressed(segment, unfinished, { before, isStopped }))) return undefined;
    await before?.('verify');
    await verify(segment, unfinished);
    await before?.('rename');
    await rename(unfinished, path);
  } finally {
    await rm(unfinished, { force: true });
  }
  await before?.('settle');
  await syncDirectory(directory);
  await before?.('remove');
  await unlink(segment.path);
  await before?.('forget');
  await syncDirectory(directory);
  return { ...segment, path, isCompressed: true };
}

/** False when it was told to stop. */
async function writeCompressed(
  segment: Segment,
  path: string,
  { before, isStopped }: Pick<CompressOptions, 'before' | 'isStopped'>,
): Promise<boolean> {
  const input = await open(segment.path, 'r');
  const output = await open(path, 'w', OWN_FILE).catch(async (error: unknown) => {
    await input.close();
    throw error;
  });
  try {
    let length = 0;
    await pipeline(
      chunksOf(input, endOf(segment), isStopped),
      createZstdCompress(ZSTD),
      async (chunks: AsyncIterable<Buffer>) => {
        for await (const chunk of chunks) {
          await writeFully(output, chunk, length);
          length += chunk.length;
        }
      },
    );
    if (isStopped()) return false;
    await before?.('sync');
    await output.sync();
    return true;
  } finally {
    await input.close();
    await output.close();
  }
}

/**
 * The header, then the records piece by piece. There is no hurry: after each piece it rests as long as
 * that one took, so that the disk and the processors are there for the venue.
 */
async function* chunksOf(
  input: FileHandle,
  end: number,
  isStopped: () => boolean,
): AsyncGenerator<Buffer> {
  let offset = 0;
  while (offset < end && !isStopped()) {
    const startedMs = performance.now();
    const wanted = offset === 0 ? SEGMENT_HEADER_BYTES : Math.min(CHUNK_BYTES, end - offset);
    const chunk = Buffer.allocUnsafe(wanted);
    const { bytesRead } = await input.read(chunk, 0, wanted, offset);
    if (bytesRead === 0)
      throw new Error(`the segment ends at offset ${end} but has ${offset} bytes`);
    offset += bytesRead;
    yield chunk.subarray(0, bytesRead);
    if (offset > SEGMENT_HEADER_BYTES) await delay(performance.now() - startedMs);
  }
}

async function verify(segment: Segment, path: string): Promise<void> {
  const copy = await CompressedFile.open(path);
  try {
    const length = await copy.measure();
    if (length === endOf(segment)) return;
    const what = `the compressed copy of ${segment.path} is incomplete`;
    throw new Error(what, { cause: copy.fault });
  } finally {
    await copy.close();
  }
}

function endOf(segment: Segment): number {
  return present(segment.mark, 'the end of a sealed segment').endOffset;
}
