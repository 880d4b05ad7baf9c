import { unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { moveFile } from '@oddlot/host/durable';
import { namesIn, readChecked, writeCheckedPieces } from './checked-file.ts';

/**
 * Dumps of the state at a height, each with its hash, so that a start replays only the tail of the
 * log. The log stays the truth: a snapshot that does not match its hash is passed over, not used.
 */

const FORMAT = 'oddlot-snapshot-2';
const NAME = /^snapshot-(\d{16})\.bin$/;
const UNFINISHED = /^snapshot-\d{16}\.bin\.new$/;
const KEEP = 3;

type Snapshot = {
  readonly height: number;
  readonly payload: Buffer;
};

type SnapshotFile = { readonly height: number; readonly path: string };

type NewSnapshot = {
  readonly height: number;
  /** A large one is never in memory as a whole. */
  readonly pieces: AsyncIterable<Buffer> | Iterable<Buffer>;
};

/** A snapshot that was passed over, and why. It stands aside under the name in `movedTo`. */
export type CorruptSnapshot = SnapshotFile & { readonly why: string; readonly movedTo: string };

type SnapshotStoreOptions = {
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
  write(snapshot: NewSnapshot): Promise<SnapshotFile> {
    // One at a time: clearing up after one must not take away what another is writing.
    const written = this.#lastWrite.then(() => this.#write(snapshot));
    this.#lastWrite = written.catch(() => undefined);
    return written;
  }

  async #write({ height, pieces }: NewSnapshot): Promise<SnapshotFile> {
    const path = join(this.#directory, `snapshot-${String(height).padStart(16, '0')}.bin`);
    await writeCheckedPieces(path, { format: FORMAT, height, pieces });
    await this.#removeOld();
    return { height, path };
  }

  /** The newest snapshot that matches its hash, at most at a height; undefined without one. */
  async newestValid(maxHeight = Number.MAX_SAFE_INTEGER): Promise<Snapshot | undefined> {
    for (const file of await this.list()) {
      const { height, path } = file;
      if (height > maxHeight) continue;
      const read = await readChecked(path, FORMAT, height);
      if ('payload' in read) return { height, payload: read.payload };
      const movedTo = `${path}.corrupt`;
      moveFile(path, movedTo);
      this.#onCorrupt?.({ ...file, why: read.why, movedTo });
    }
    return undefined;
  }

  /** The snapshots that are there, newest first, unchecked. */
  async list(): Promise<SnapshotFile[]> {
    const files: SnapshotFile[] = [];
    for (const name of await namesIn(this.#directory)) {
      const match = NAME.exec(name);
      if (match === null) continue;
      files.push({ height: Number(match[1]), path: join(this.#directory, name) });
    }
    return files.toSorted((a, b) => b.height - a.height);
  }

  async #removeOld(): Promise<void> {
    for (const { path } of (await this.list()).slice(this.#keep)) await unlink(path);
    // What a crash left half written is of no use to anyone.
    for (const name of await namesIn(this.#directory)) {
      if (UNFINISHED.test(name)) await unlink(join(this.#directory, name));
    }
  }
}
