import { open, rename, rm, unlink } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { constants, createZstdCompress } from 'node:zlib';
import { OWN_FILE, syncDirectory, writeFully } from '@oddlot/host/durable';
import { present } from '@oddlot/units';
import { CompressedFile } from './compressed-file.ts';
import { COMPRESSED_SUFFIX, SEGMENT_HEADER_BYTES } from './journal-format.ts';
import type { Segment } from './segment-files.ts';

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
export async function compressSegment(
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
