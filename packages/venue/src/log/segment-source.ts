import { open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { CompressedFile } from './compressed-file.ts';
import { JournalDamagedError } from './journal-error.ts';
import {
  COMPRESSED_SUFFIX,
  decodeMark,
  decodeSegmentHeader,
  SEGMENT_HEADER_BYTES,
} from './journal-format.ts';
import type { EndMark, SegmentHeader } from './journal-format.ts';

/** What the records of a segment are read from, be it compressed or not. */
type SegmentSource = {
  /** The file that it is. */
  readonly path: string;
  readonly header: SegmentHeader;
  readonly mark: EndMark | undefined;
  /** Nothing is behind this offset. */
  readonly endOffset: number;
  readonly bytes: ByteSource;
  close(): Promise<void>;
};

/** A file handle, or something that is read like one from its start to its end. */
export type ByteSource = {
  /** Why there was less to read than there had been once. */
  readonly fault?: Error | undefined;
  read(
    target: Buffer,
    at: number,
    length: number,
    position: number,
  ): Promise<{ readonly bytesRead: number }>;
  /** Of what is compressed: reads to the end, and gives the length of the whole; undefined when it is not intact. */
  measure?(): Promise<number | undefined>;
};

/**
 * Opens a segment. One that was plain when it was listed may have been compressed since; undefined when
 * it is gone in either form. Throws when its header is not intact. Of a compressed one `readBytes` are read
 * at once.
 */
export async function openSegment(
  path: string,
  firstSeq: number,
  readBytes?: number,
): Promise<SegmentSource | undefined> {
  const isCompressed = path.endsWith(COMPRESSED_SUFFIX);
  const plain = isCompressed ? undefined : await unlessGone(open(path, 'r'));
  if (plain !== undefined) {
    const endOffset = async (): Promise<number> => (await plain.stat()).size;
    return described(plain, { path, firstSeq, endOffset });
  }
  const compressedPath = isCompressed ? path : path + COMPRESSED_SUFFIX;
  const compressed = await unlessGone(CompressedFile.open(compressedPath, readBytes));
  if (compressed === undefined) return undefined;
  const endOffset = (mark: EndMark | undefined): number => mark?.endOffset ?? 0;
  return described(compressed, { path: compressedPath, firstSeq, endOffset });
}

async function described(
  bytes: FileHandle | CompressedFile,
  file: {
    readonly path: string;
    readonly firstSeq: number;
    readonly endOffset: (mark: EndMark | undefined) => number | Promise<number>;
  },
): Promise<SegmentSource> {
  const { firstSeq, path } = file;
  try {
    const page = await readHeaderPage(bytes);
    const header = decodeSegmentHeader(page);
    if (header === undefined || header.before.seq + 1 !== firstSeq) {
      const what = 'the header of the segment is damaged';
      const cause = 'fault' in bytes ? bytes.fault : undefined;
      throw new JournalDamagedError({ file: path, offset: 0, seq: firstSeq, what, cause });
    }
    const mark = decodeMark(page, header.salt);
    const endOffset = await file.endOffset(mark);
    return { path, header, mark, endOffset, bytes, close: () => bytes.close() };
  } catch (error) {
    await bytes.close();
    throw error;
  }
}

async function readHeaderPage(bytes: ByteSource): Promise<Buffer> {
  const page = Buffer.alloc(SEGMENT_HEADER_BYTES);
  let length = 0;
  while (length < page.length) {
    const { bytesRead } = await bytes.read(page, length, page.length - length, length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return page.subarray(0, length);
}

async function unlessGone<T>(opening: Promise<T>): Promise<T | undefined> {
  try {
    return await opening;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
