import { type FileHandle, readdir, readFile, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { moveFile, writeFully, writeWholeFileBy } from '@oddlot/host/durable';
import { createHash, webcrypto } from 'node:crypto';

/**
 * Stores dumps of the state at a height, each with its hash, so that only the end of the log is
 * replayed on startup. The log remains authoritative: a snapshot that does not match its hash is
 * never used.
 */

const SNAPSHOT_FORMAT = 'oddlot-snapshot-2';
const SNAPSHOT_NAME = /^snapshot-(\d{16})\.bin$/;
const UNFINISHED_SNAPSHOT = /^snapshot-\d{16}\.bin\.new$/;
const SNAPSHOTS_KEPT = 3;

type Snapshot = {
  readonly height: number;
  readonly payload: Buffer;
};

type SnapshotFile = { readonly height: number; readonly path: string };

type NewSnapshot = {
  readonly height: number;
  /** The payload is passed in pieces, so that a large payload is never in memory as a whole. */
  readonly pieces: AsyncIterable<Buffer> | Iterable<Buffer>;
};

export type CorruptSnapshot = SnapshotFile & { readonly why: string; readonly movedTo: string };

type SnapshotStoreOptions = {
  readonly directory: string;
  readonly keep?: number;
  readonly onCorrupt?: (snapshot: CorruptSnapshot) => void;
};

export class SnapshotStore {
  readonly #directory: string;
  readonly #keep: number;
  readonly #onCorrupt: ((snapshot: CorruptSnapshot) => void) | undefined;
  #lastWrite: Promise<unknown> = Promise.resolve();

  constructor(options: SnapshotStoreOptions) {
    this.#directory = options.directory;
    this.#keep = options.keep ?? SNAPSHOTS_KEPT;
    this.#onCorrupt = options.onCorrupt;
  }

  /**
   * Writes a snapshot completely or not at all, then removes the oldest snapshots, leaving `keep`
   * of them.
   */
  write(snapshot: NewSnapshot): Promise<SnapshotFile> {
    // Writes run one after another, because the cleanup after one must not remove another one's
    // files.
    const written = this.#lastWrite.then(() => this.#write(snapshot));
    this.#lastWrite = written.catch(() => undefined);
    return written;
  }

  async #write({ height, pieces }: NewSnapshot): Promise<SnapshotFile> {
    const path = join(this.#directory, `snapshot-${String(height).padStart(16, '0')}.bin`);
    await writeCheckedPieces(path, { format: SNAPSHOT_FORMAT, height, pieces });
    await this.#removeOld();
    return { height, path };
  }

  /**
   * Returns the newest snapshot, up to a height, that matches its hash, or undefined if there is
   * none.
   */
  async newestValid(maxHeight = Number.MAX_SAFE_INTEGER): Promise<Snapshot | undefined> {
    for (const file of await this.list()) {
      const { height, path } = file;
      if (height > maxHeight) continue;
      const read = await readChecked(path, SNAPSHOT_FORMAT, height);
      if ('payload' in read) return { height, payload: read.payload };
      const movedTo = `${path}.corrupt`;
      moveFile(path, movedTo);
      this.#onCorrupt?.({ ...file, why: read.why, movedTo });
    }
    return undefined;
  }

  /** Returns the existing snapshots, newest first, without verifying them. */
  async list(): Promise<SnapshotFile[]> {
    const files: SnapshotFile[] = [];
    for (const name of await namesIn(this.#directory)) {
      const match = SNAPSHOT_NAME.exec(name);
      if (match === null) continue;
      files.push({ height: Number(match[1]), path: join(this.#directory, name) });
    }
    return files.toSorted((a, b) => b.height - a.height);
  }

  async #removeOld(): Promise<void> {
    for (const { path } of (await this.list()).slice(this.#keep)) await unlink(path);
    // These files were left unfinished by a crash.
    for (const name of await namesIn(this.#directory)) {
      if (UNFINISHED_SNAPSHOT.test(name)) await unlink(join(this.#directory, name));
    }
  }
}

/**
 * Stores the states from which eras start (R-era) permanently next to the log, so that an era can
 * be replayed without the previous era's program. A file is written before the log records that its
 * era is open, so a file not confirmed by the log is ignored.
 */

const ERA_FORMAT = 'oddlot-era-1';

type EraFile = {
  /** The height of the last block of the previous era. */
  readonly height: number;
  readonly rules: number;
  readonly path: string;
};

export class EraStore {
  readonly #directory: string;

  constructor({ directory }: { readonly directory: string }) {
    this.#directory = directory;
  }

  async write(era: {
    readonly height: number;
    readonly rules: number;
    readonly payload: string;
  }): Promise<void> {
    const { height, payload, rules } = era;
    const path = join(this.#directory, eraName(height, rules));
    await writeChecked(path, { format: ERA_FORMAT, height, payload });
    for (const name of await namesIn(this.#directory)) {
      if (name.endsWith('.json.new')) await unlink(join(this.#directory, name));
    }
  }

  async list(): Promise<EraFile[]> {
    const files: EraFile[] = [];
    for (const name of await namesIn(this.#directory)) {
      const match = /^era-(\d{16})-rules-(\d+)\.json$/.exec(name);
      if (match === null) continue;
      const path = join(this.#directory, name);
      files.push({ height: Number(match[1]), rules: Number(match[2]), path });
    }
    return files.toSorted((a, b) => b.height - a.height || b.rules - a.rules);
  }

  read({ height, path }: EraFile): Promise<{ payload: Buffer } | { why: string }> {
    return readChecked(path, ERA_FORMAT, height);
  }
}

const eraName = (height: number, rules: number): string =>
  `era-${String(height).padStart(16, '0')}-rules-${rules}.json`;

/**
 * The format of a file that includes its own checksum: one line of JSON that includes the hash,
 * followed by the payload byte for byte. The file appears under its name completely or not at all.
 */

const NEW_LINE = 0x0a;
/** The maximum length of the header; a longer first line is not a header. */
const HEADER_BYTES_MAX = 1024;
/**
 * The length to which a header is padded with spaces if its hash is known only after the payload
 * has been written.
 */
const HEADER_BYTES = 256;

type Header = {
  readonly format: string;
  readonly height: number;
  readonly sha256: string;
  readonly bytes: number;
};

/**
 * Writes a checked file. It is durable when the promise resolves; until then, there is at most
 * `<path>.new`.
 */
async function writeChecked(
  path: string,
  content: {
    readonly format: string;
    readonly height: number;
    readonly payload: Buffer | string;
  },
): Promise<void> {
  const { format, height } = content;
  const payload = Buffer.isBuffer(content.payload) ? content.payload : Buffer.from(content.payload);
  const header: Header = { format, height, sha256: sha256(payload), bytes: payload.length };
  const line = Buffer.from(`${JSON.stringify(header)}\n`);
  await writeWholeFileBy(path, async (handle) => {
    await writeFully(handle, line, 0);
    await writeFully(handle, payload, line.length);
  });
}

/**
 * Writes a checked file from pieces, so that the payload is never in memory as a whole. Each piece
 * is requested once the previous one has been written.
 */
async function writeCheckedPieces(
  path: string,
  content: {
    readonly format: string;
    readonly height: number;
    readonly pieces: AsyncIterable<Buffer> | Iterable<Buffer>;
  },
): Promise<void> {
  await writeWholeFileBy(path, (handle) => writePieces(handle, content));
}

async function writePieces(
  handle: FileHandle,
  {
    format,
    height,
    pieces,
  }: {
    readonly format: string;
    readonly height: number;
    readonly pieces: AsyncIterable<Buffer> | Iterable<Buffer>;
  },
): Promise<void> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const piece of pieces) {
    hash.update(piece);
    await writeFully(handle, piece, HEADER_BYTES + bytes);
    bytes += piece.length;
  }
  const header: Header = { format, height, sha256: hash.digest('hex'), bytes };
  const line = `${JSON.stringify(header).padEnd(HEADER_BYTES - 1)}\n`;
  await writeFully(handle, Buffer.from(line), 0);
}

type Checked = { readonly payload: Buffer } | { readonly why: string };

/** Reads and verifies a checked file. A disk read error counts as damage. */
export async function readChecked(path: string, format: string, height: number): Promise<Checked> {
  try {
    return await parse(await readFile(path), format, height);
  } catch (error) {
    return { why: error instanceof Error ? error.message : String(error) };
  }
}

async function parse(content: Buffer, format: string, height: number): Promise<Checked> {
  const lineEnd = content.subarray(0, HEADER_BYTES_MAX).indexOf(NEW_LINE);
  if (lineEnd < 0) return { why: 'it has no header' };
  const payload = content.subarray(lineEnd + 1);
  const line = content.toString('utf8', 0, lineEnd);
  let header: Partial<Header>;
  try {
    header = JSON.parse(line) as Partial<Header>;
  } catch {
    return { why: 'its header cannot be read' };
  }
  if (header.format !== format) return { why: `its format is not ${format}` };
  if (header.height !== height) return { why: 'its height does not match its name' };
  if (header.bytes !== payload.length) return { why: `it has ${payload.length} bytes of payload` };
  const written = JSON.stringify({ format, height, sha256: header.sha256, bytes: header.bytes });
  if (line !== written && line !== written.padEnd(HEADER_BYTES - 1)) {
    return { why: 'its header was changed' };
  }
  if (header.sha256 !== (await sha256Aside(payload))) return { why: 'its hash does not match' };
  return { payload };
}

async function namesIn(directory: string): Promise<string[]> {
  try {
    return await readdir(directory);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}

/**
 * Hashes on another thread, because hashing a large state takes long, and other startup work can
 * proceed in the meantime.
 */
async function sha256Aside(bytes: Buffer): Promise<string> {
  return Buffer.from(await webcrypto.subtle.digest('SHA-256', bytes)).toString('hex');
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
