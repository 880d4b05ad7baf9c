import { createHash } from 'node:crypto';
import { mkdir, open, readFile, readdir, rename, rm, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { syncDirectory, writeFully } from './durable-files.ts';

/**
 * Dumps of the state at a height, each with its hash, so that a start replays only the tail of the
 * log. The log stays the truth: a snapshot that does not match its hash is passed over, not used.
 *
 * A file is one line of JSON, the header, and behind it the payload byte for byte.
 */

const FORMAT = 'oddlot-snapshot-1';
const KEEP = 3;
const NEW_LINE = 0x0a;
/** The header is short; a first line longer than this is not one. */
const HEADER_BYTES_MAX = 1024;

type Header = {
  readonly format: string;
  readonly height: number;
  readonly sha256: string;
  readonly bytes: number;
};

export type Snapshot = { readonly height: number; readonly payload: Buffer };

export type SnapshotFile = { readonly height: number; readonly path: string };

/** A snapshot that was passed over, and why. It stands aside under the name in `movedTo`. */
export type CorruptSnapshot = SnapshotFile & { readonly why: string; readonly movedTo: string };

export type SnapshotStoreOptions = {
  readonly directory: string;
  /** How many are kept; older ones are removed. */
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
    this.#keep = options.keep ?? KEEP;
    this.#onCorrupt = options.onCorrupt;
  }

  /** Writes a snapshot whole or not at all, then removes the oldest beyond those kept. */
  write(snapshot: { height: number; payload: Buffer | string }): Promise<SnapshotFile> {
    // One at a time: clearing up after one must not take away what another is writing.
    const written = this.#lastWrite.then(() => this.#write(snapshot));
    this.#lastWrite = written.catch(() => undefined);
    return written;
  }

  async #write(snapshot: { height: number; payload: Buffer | string }): Promise<SnapshotFile> {
    const { height } = snapshot;
    const payload =
      typeof snapshot.payload === 'string' ? Buffer.from(snapshot.payload) : snapshot.payload;
    const header: Header = {
      format: FORMAT,
      height,
      sha256: sha256(payload),
      bytes: payload.length,
    };
    const path = join(this.#directory, snapshotName(height));
    const unfinished = `${path}.new`;
    await mkdir(this.#directory, { recursive: true });
    try {
      await writeDurably(unfinished, [Buffer.from(`${JSON.stringify(header)}\n`), payload]);
      await rename(unfinished, path);
    } catch (error) {
      // A disk without room needs it back.
      await rm(unfinished, { force: true });
      throw error;
    }
    await syncDirectory(this.#directory);
    await this.#removeOld();
    return { height, path };
  }

  /** The newest snapshot that matches its hash, at most at a height; undefined without one. */
  async newestValid(maxHeight = Number.MAX_SAFE_INTEGER): Promise<Snapshot | undefined> {
    for (const file of await this.list()) {
      if (file.height > maxHeight) continue;
      const content = await readFile(file.path);
      const read = parse(content, file.height);
      if ('payload' in read) return read;
      const movedTo = `${file.path}.corrupt`;
      await rename(file.path, movedTo);
      await syncDirectory(this.#directory);
      this.#onCorrupt?.({ ...file, why: read.why, movedTo });
    }
    return undefined;
  }

  /** The snapshots that are there, newest first, unchecked. */
  async list(): Promise<SnapshotFile[]> {
    const files: SnapshotFile[] = [];
    for (const name of await namesIn(this.#directory)) {
      const match = /^snapshot-(\d{16})\.json$/.exec(name);
      if (match === null) continue;
      files.push({ height: Number(match[1]), path: join(this.#directory, name) });
    }
    return files.toSorted((a, b) => b.height - a.height);
  }

  async #removeOld(): Promise<void> {
    for (const { path } of (await this.list()).slice(this.#keep)) await unlink(path);
    // What a crash left half written is of no use to anyone.
    for (const name of await namesIn(this.#directory)) {
      if (/^snapshot-\d{16}\.json\.new$/.test(name)) await unlink(join(this.#directory, name));
    }
  }
}

async function writeDurably(path: string, parts: readonly Buffer[]): Promise<void> {
  const handle = await open(path, 'w');
  try {
    let at = 0;
    for (const part of parts) {
      await writeFully(handle, part, at);
      at += part.length;
    }
    await handle.sync();
  } finally {
    await handle.close();
  }
}

const snapshotName = (height: number): string =>
  `snapshot-${String(height).padStart(16, '0')}.json`;

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

async function namesIn(directory: string): Promise<string[]> {
  try {
    return await readdir(directory);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}

function parse(content: Buffer, height: number): Snapshot | { readonly why: string } {
  const lineEnd = content.subarray(0, HEADER_BYTES_MAX).indexOf(NEW_LINE);
  if (lineEnd < 0) return { why: 'it has no header' };
  const payload = content.subarray(lineEnd + 1);
  let header: Partial<Header>;
  try {
    header = JSON.parse(content.toString('utf8', 0, lineEnd)) as Partial<Header>;
  } catch {
    return { why: 'its header is not readable' };
  }
  if (header.format !== FORMAT) return { why: `its format is not ${FORMAT}` };
  if (header.height !== height) return { why: 'its height is not that of its name' };
  if (header.bytes !== payload.length) return { why: `it has ${payload.length} bytes of payload` };
  if (header.sha256 !== sha256(payload)) return { why: 'its hash does not match' };
  return { height, payload };
}
