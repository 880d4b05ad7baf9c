import { randomBytes } from 'node:crypto';
import { type FileHandle, open, readdir, rename, rm, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { OWNER_ONLY_MODE, syncDirectory, writeFully } from '@oddlot/host/durable';
import {
  type Chain,
  COMPRESSED_SUFFIX,
  decodeMark,
  decodeSegmentHeader,
  encodeMark,
  encodeSegmentHeader,
  type EndMark,
  FORMAT_VERSION,
  MARK_BYTES,
  MARK_OFFSET,
  parseSegmentName,
  SEGMENT_HEADER_BYTES,
  type SegmentHeader,
  segmentName,
} from './journal-format.ts';
import { JournalDamagedError } from './log.ts';
import { pipeline } from 'node:stream';
import { createZstdDecompress } from 'node:zlib';
import { assert } from '@oddlot/units';

export type Segment = {
  readonly path: string;
  readonly firstSeq: number;
  readonly header: SegmentHeader;
  readonly mark?: EndMark;
  readonly isCompressed: boolean;
};

const UNFINISHED_SUFFIX = '.new';
/** Large enough for the compressed header, which consists mostly of zeros. */
const HEADER_READ_BYTES = 1_024;
const LEFT_UNFINISHED = /^journal-\d{16}\.log(?:\.zst)?\.new$/;

/**
 * Returns the segments of a directory in order. It removes the remains of a crash during creation
 * or compression; if both forms of a segment exist, the uncompressed one is the original.
 */
export async function listSegments(directory: string): Promise<Segment[]> {
  const names = new Set(await readdir(directory));
  for (const name of names) {
    const isUnfinished = LEFT_UNFINISHED.test(name);
    const isSecond =
      parseSegmentName(name)?.isCompressed === true &&
      names.has(name.slice(0, -COMPRESSED_SUFFIX.length));
    if (isUnfinished || isSecond) await unlink(join(directory, name));
  }
  return readSegments(directory);
}

/**
 * Returns the segments without changing anything, so that another process can be writing to them at
 * the same time.
 */
export async function readSegments(directory: string): Promise<Segment[]> {
  // A segment can change its form while the names are being read, so one listing can miss it, but
  // two cannot.
  const names = new Set([...(await readdir(directory)), ...(await readdir(directory))]);
  const segments: Segment[] = [];
  for (const name of [...names].toSorted()) {
    const parsed = parseSegmentName(name);
    if (parsed === undefined || parsed.firstSeq === segments.at(-1)?.firstSeq) continue;
    const segment = await readSegment(join(directory, name), parsed.firstSeq);
    if (segment !== undefined) segments.push(segment);
  }
  return segments;
}

export async function readSegment(path: string, firstSeq: number): Promise<Segment | undefined> {
  const source = await openSegment(path, firstSeq, HEADER_READ_BYTES);
  if (source === undefined) return undefined;
  await source.close();
  const { header, mark } = source;
  const isCompressed = source.path.endsWith(COMPRESSED_SUFFIX);
  const segment = { path: source.path, firstSeq, header, isCompressed };
  return mark === undefined ? segment : { ...segment, mark };
}

/**
 * Creates the segment that continues a chain. The file gets its name only once its header is on
 * disk, so a segment without an intact header is always damaged and never the result of a crash.
 */
export async function createSegment(
  directory: string,
  before: Chain,
): Promise<{ segment: Segment; handle: FileHandle }> {
  const salt = randomBytes(4).readUInt32LE(0);
  const header: SegmentHeader = { format: FORMAT_VERSION, salt, before };
  const path = join(directory, segmentName(before.seq + 1));
  const handle = await open(path + UNFINISHED_SUFFIX, 'w+', OWNER_ONLY_MODE);
  try {
    await writeFully(handle, encodeSegmentHeader(header), 0);
    await handle.sync();
    await rename(path + UNFINISHED_SUFFIX, path);
    await syncDirectory(directory);
  } catch (error) {
    await handle.close();
    await rm(path + UNFINISHED_SUFFIX, { force: true });
    // Entries can still be written to the previous segment, so there must not be a second segment
    // with the same numbers.
    await rm(path, { force: true });
    throw error;
  }
  const segment = { path, firstSeq: before.seq + 1, header, isCompressed: false };
  return { segment, handle };
}

/** Writes or erases the end mark of a segment and waits until the change is on disk. */
export async function writeMark(
  handle: FileHandle,
  salt: number,
  mark: EndMark | undefined,
): Promise<void> {
  const bytes = mark === undefined ? Buffer.alloc(MARK_BYTES) : encodeMark(mark, salt);
  await writeFully(handle, bytes, MARK_OFFSET);
  await handle.datasync();
}

/**
 * Removes a segment and waits until the removal is on disk, because segments must disappear in
 * order.
 */
export async function removeSegment(directory: string, segment: Segment): Promise<void> {
  // An unused compressed copy must not remain after its original has been removed.
  if (!segment.isCompressed) await rm(segment.path + COMPRESSED_SUFFIX, { force: true });
  await unlink(segment.path);
  await syncDirectory(directory);
}

type SegmentSource = {
  readonly path: string;
  readonly header: SegmentHeader;
  readonly mark: EndMark | undefined;
  /** The offset after which there is no data. */
  readonly endOffset: number;
  readonly bytes: ByteSource;
  close(): Promise<void>;
};

/** A file handle, or a source that can be read like one from start to end. */
export type ByteSource = {
  readonly fault?: Error | undefined;
  read(
    target: Buffer,
    at: number,
    length: number,
    position: number,
  ): Promise<{ readonly bytesRead: number }>;
  /**
   * Reads a compressed source to the end and returns the total length, or undefined if the content
   * is not intact. Only compressed sources have this method.
   */
  measure?(): Promise<number | undefined>;
};

/**
 * Opens a segment. A segment listed as uncompressed may have been compressed since. Returns
 * undefined if neither form exists. Throws if its header is not intact. `readBytes` is the read
 * size of a compressed file.
 */
export async function openSegment(
  path: string,
  firstSeq: number,
  readBytes?: number,
): Promise<SegmentSource | undefined> {
  const isCompressed = path.endsWith(COMPRESSED_SUFFIX);
  const plain = isCompressed ? undefined : await unlessMissing(open(path, 'r'));
  if (plain !== undefined) {
    const endOffset = async (): Promise<number> => (await plain.stat()).size;
    return described(plain, { path, firstSeq, endOffset });
  }
  const compressedPath = isCompressed ? path : path + COMPRESSED_SUFFIX;
  const compressed = await unlessMissing(CompressedFile.open(compressedPath, readBytes));
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

async function unlessMissing<T>(opening: Promise<T>): Promise<T | undefined> {
  try {
    return await opening;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

const READ_BYTES = 256 * 1024;
const CHUNK_BYTES = 1024 * 1024;

/**
 * The content of a compressed file, which can only be read forwards. Only a few chunks are in
 * memory at a time; threads of the system's pool decompress them.
 */
export class CompressedFile {
  #fault: Error | undefined;
  readonly #handle: FileHandle;
  readonly #chunks: AsyncIterator<Buffer>;
  #chunk: Buffer = Buffer.alloc(0);
  #position = 0;

  private constructor(handle: FileHandle, readBytes: number) {
    const decoder = createZstdDecompress({ chunkSize: CHUNK_BYTES });
    const file = handle.createReadStream({ autoClose: false, highWaterMark: readBytes });
    // An error of either stream ends the iteration.
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

  /** Reads like a file handle, at positions that never decrease; returns no bytes after the end. */
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
