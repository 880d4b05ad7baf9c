import { isDiskFull, OWNER_ONLY_MODE, syncDirectory, writeFully } from '@oddlot/host/durable';
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
  /** The segments of the journal in order; the last one is still being written. */
  readonly segments: Segment[];
  /** Returns false while the disk is low on space, because a copy needs space (R-disk). */
  readonly mayCompress: () => boolean;
  /** Called if a segment could not be compressed or removed; the segment stays unchanged. */
  readonly onFailed: (error: unknown) => void;
  readonly before?: ((step: CompressStep) => void | Promise<void>) | undefined;
};

/**
 * Shrinks the old segments of a journal: removes those past their retention period and compresses
 * the others, oldest first and one at a time.
 */
export class Compaction {
  readonly #options: CompactionOptions;
  /**
   * The first entry of each segment that could not be compressed, so that each failure is reported
   * only once.
   */
  readonly #passedOver = new Set<number>();
  #retention: Retention = { belowSeq: 0 };
  #running: Promise<void> | undefined;
  #isStopped = false;

  constructor(options: CompactionOptions) {
    this.#options = options;
  }

  /**
   * Starts compaction, and resolves when there is no work left. A run in progress continues with
   * the new retention period.
   */
  request(retention: Retention): Promise<void> {
    this.#retention = retention;
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#running;
  }

  async #run(): Promise<void> {
    try {
      while (!this.#isStopped && ((await this.#drop()) || (await this.#compress())));
    } catch (error) {
      if (!isDiskFull(error)) this.#options.onFailed(error);
    }
  }

  /** Removes the oldest segment if its retention period has ended; returns false otherwise. */
  async #drop(): Promise<boolean> {
    const { directory, segments } = this.#options;
    const { belowSeq, dropBeforeMs = 0 } = this.#retention;
    const [oldest, next] = segments;
    if (oldest === undefined || next === undefined || next.firstSeq > belowSeq) return false;
    if (next.header.before.timeMs >= dropBeforeMs) return false;
    segments.shift();
    this.#passedOver.delete(oldest.firstSeq);
    await removeSegment(directory, oldest);
    return true;
  }

  /**
   * Compresses the oldest uncompressed segment that can be compressed; returns false if there is
   * none.
   */
  async #compress(): Promise<boolean> {
    const { before, directory, mayCompress, onFailed, segments } = this.#options;
    const { belowSeq } = this.#retention;
    if (!mayCompress()) return false;
    const found = segments.findIndex((segment, index) => {
      const next = segments[index + 1];
      const isDue = next !== undefined && next.firstSeq <= belowSeq && !segment.isCompressed;
      return isDue && !this.#passedOver.has(segment.firstSeq);
    });
    const segment = segments[found];
    if (segment === undefined) return false;
    try {
      // The segment was listed before it was sealed, so it is read again.
      const sealed = await readSegment(segment.path, segment.firstSeq);
      assert(sealed?.mark?.kind === 'sealed', 'a segment with a successor is sealed');
      const isStopped = (): boolean => this.#isStopped;
      const compressed = await compressSegment(sealed, { directory, isStopped, before });
      if (compressed !== undefined) segments[found] = compressed;
    } catch (error) {
      if (isDiskFull(error)) throw error;
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
    // Half of the compressed size consists of signatures and hashes; higher levels saved only 5%
    // and took twice as long.
    [constants.ZSTD_c_compressionLevel]: 3,
    // The decoder verifies the checksum, which proves that a copy is complete.
    [constants.ZSTD_c_checksumFlag]: 1,
  },
  // Makes the data of each chunk readable without the next chunk, because listing the segments
  // reads only headers.
  flush: constants.ZSTD_e_flush,
};

/**
 * The steps of compressing a segment, in order. A crash before any of them leaves at least one
 * complete copy.
 */
export type CompressStep = 'write' | 'sync' | 'verify' | 'rename' | 'settle' | 'remove' | 'forget';

type CompressOptions = {
  readonly directory: string;
  /**
   * Called between two chunks; returns true to abandon the work and leave the segment unchanged.
   */
  readonly isStopped: () => boolean;
  readonly before?: ((step: CompressStep) => void | Promise<void>) | undefined;
};

/**
 * Replaces a completed segment with a compressed copy. The copy gets its final name only after it
 * has been synced and verified; only then is the original removed. Returns undefined if compaction
 * was stopped.
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

async function writeCompressed(
  segment: Segment,
  path: string,
  { before, isStopped }: Pick<CompressOptions, 'before' | 'isStopped'>,
): Promise<boolean> {
  const input = await open(segment.path, 'r');
  const output = await open(path, 'w', OWNER_ONLY_MODE).catch(async (error: unknown) => {
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
 * Yields the header, then the records in chunks. After each chunk it pauses for as long as the
 * chunk took, so that the venue gets to use the disk and the processors.
 */
async function* chunksOf(
  input: FileHandle,
  end: number,
  isStopped: () => boolean,
): AsyncGenerator<Buffer> {
  let offset = 0;
  while (offset < end && !isStopped()) {
    const startedMs = performance.now();
    const count = offset === 0 ? SEGMENT_HEADER_BYTES : Math.min(CHUNK_BYTES, end - offset);
    const chunk = Buffer.allocUnsafe(count);
    const { bytesRead } = await input.read(chunk, 0, count, offset);
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
