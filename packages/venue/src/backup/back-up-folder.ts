import { createHash } from 'node:crypto';
import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { open, readFile, rm, stat, type FileHandle } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { makeFolder, writeFully, writeWholeFile, writeWholeFileBy } from '@oddlot/host/durable';
import { isInside } from '@oddlot/host/operate';
import { SEGMENT_HEADER_BYTES } from '../log/journal-format.ts';
import { readSegment, readSegments, type Segment } from '../log/segment-files.ts';
import { assertContinues } from './assert-continues.ts';
import { BackupError } from './backup-error.ts';
import {
  BACKUP_MANIFEST,
  readBackup,
  type BackupFile,
  type BackupManifest,
} from './backup-manifest.ts';

/**
 * Copies what can't be computed again out of the folder of a venue that may be running: the whole log, the starts of eras, and the
 * few files beside them. What follows from the log (snapshots, the history) is left out and made again by the first start.
 *
 * A segment that is being written is read from its end to its beginning, its header before all else. Records are only ever
 * appended, so each part that is read later has all that the parts behind it rest on: what comes out is a journal as a power loss
 * would have left it, which a start cuts at its last whole block. Segments that were complete at the last backup are not read again.
 */

const CHUNK_BYTES = 4 * 1024 * 1024;
/** What the journal does meanwhile, it does once in minutes. */
const ROUNDS_MAX = 20;
const BESIDE = ['service-network', 'cursor-key', 'exhibition-secret', join('journal', 'named')];
/** Made again by a start, or of the running process alone. */
const LEFT_OUT = /^(?:snapshots|history\.sqlite.*|lock|lock\.pid|journal|eras)$/;

type BackUpOptions = {
  readonly data: string;
  readonly to: string;
  readonly nowMs: number;
  readonly onProgress?: (bytes: number, of: number) => void;
};

/** What a backup came to. */
type BackedUp = {
  readonly manifest: BackupManifest;
  /** Bytes that were read anew; the rest was there. */
  readonly copied: number;
  /** In the folder and not in the backup: of other programs that must be stopped to be copied. */
  readonly others: readonly string[];
};

export async function backUpFolder(options: BackUpOptions): Promise<BackedUp> {
  const { data, nowMs, to } = options;
  const journal = join(data, 'journal');
  if (!existsSync(journal))
    throw new BackupError(`${data} is not a data folder: it has no journal`);
  if (isWithin(data, to)) {
    throw new BackupError(
      `${to} is inside ${data}: the backup would be lost together with that folder. Use another folder`,
    );
  }
  const before = existsSync(join(to, BACKUP_MANIFEST)) ? await readBackup(to) : undefined;
  if (before === undefined && existsSync(to) && readdirSync(to).length > 0) {
    throw new BackupError(`${to} contains files and is not a backup. Use a new folder`);
  }
  if (before !== undefined) await assertContinues({ data, to });
  for (const name of ['journal', 'eras']) makeFolder(join(to, name));
  const copier = new Copier(options, before);
  await copier.journal(journal);
  for (const name of existsSync(join(data, 'eras')) ? readdirSync(join(data, 'eras')) : []) {
    await copier.small(join('eras', name));
  }
  for (const path of BESIDE) if (existsSync(join(data, path))) await copier.small(path);
  const files = copier.files.toSorted((a, b) => (a.path < b.path ? -1 : 1));
  const manifest: BackupManifest = { format: 1, madeMs: nowMs, files };
  writeWholeFile(join(to, BACKUP_MANIFEST), `${JSON.stringify(manifest, undefined, 1)}\n`);
  await copier.removeOthers();
  const known = new Set(BESIDE);
  const others = readdirSync(data).filter((name) => !LEFT_OUT.test(name) && !known.has(name));
  return { manifest, copied: copier.copied, others };
}

/** Also by way of links, and of folders that are not there yet. */
function isWithin(folder: string, path: string): boolean {
  return isInside(placeOf(resolve(path)), realpathSync(folder));
}

function placeOf(path: string): string {
  if (existsSync(path)) return realpathSync(path);
  const parent = dirname(path);
  return parent === path ? path : join(placeOf(parent), basename(path));
}

class Copier {
  readonly files: BackupFile[] = [];
  copied = 0;
  readonly #options: BackUpOptions;
  readonly #known: ReadonlyMap<string, BackupFile>;

  constructor(options: BackUpOptions, before: BackupManifest | undefined) {
    this.#options = options;
    this.#known = new Map(before?.files.map((file) => [file.path, file]));
  }

  /** Rounds until no segment has begun behind the last one that was copied. */
  async journal(directory: string): Promise<void> {
    const done = new Map<string, BackupFile>();
    for (let round = 0; round < ROUNDS_MAX; round++) {
      const segments = await readSegments(directory);
      if (segments.length === 0) throw new BackupError(`${directory} has no log`);
      const names = new Set(segments.map(({ path }) => basename(path)));
      for (const name of done.keys()) if (!names.has(name)) done.delete(name);
      let isWhole = true;
      for (const [index, segment] of segments.entries()) {
        const name = basename(segment.path);
        const isLast = index === segments.length - 1;
        if (done.get(name)?.isComplete === true) continue;
        const file = await this.#segment(segment, !isLast);
        // It has changed its form, or it is about to end: then the one behind it is not there yet, or its mark is not.
        if (file === undefined || file.isComplete === isLast) isWhole = false;
        else done.set(name, file);
      }
      const after = await readSegments(directory);
      const isSame =
        after.length === segments.length && after.at(-1)?.path === segments.at(-1)?.path;
      if (isWhole && isSame) {
        this.files.push(...done.values());
        return;
      }
    }
    throw new BackupError('the log changes faster than it can be copied');
  }

  /** Undefined when it is gone, or is not what it was. */
  async #segment(segment: Segment, hasNext: boolean): Promise<BackupFile | undefined> {
    const path = join('journal', basename(segment.path));
    const { to } = this.#options;
    const known = this.#known.get(path);
    const there = await stat(join(to, path)).catch(() => undefined);
    if (hasNext && known?.isComplete === true && there?.size === known.bytes) return known;
    const source = await open(segment.path).catch(() => undefined);
    if (source === undefined) return undefined;
    try {
      const bytes = await copySynced(source, join(to, path), (count, of) =>
        this.#progress(count, of),
      );
      const copy = await readSegment(join(to, path), segment.firstSeq);
      const isComplete = segment.isCompressed || copy?.mark?.kind === 'sealed';
      return { path, bytes, sha256: await digestOf(join(to, path)), isComplete };
    } finally {
      await source.close();
    }
  }

  async small(path: string): Promise<void> {
    const { data, to } = this.#options;
    const content = await readFile(join(data, path));
    writeWholeFile(join(to, path), content);
    this.copied += content.length;
    this.files.push({ path, bytes: content.length, sha256: sha256Of(content), isComplete: true });
  }

  /** What the folder no longer has, such as a segment that was compressed meanwhile. */
  async removeOthers(): Promise<void> {
    const kept = new Set(this.files.map(({ path }) => path));
    for (const path of this.#known.keys()) {
      if (!kept.has(path)) await rm(join(this.#options.to, path), { force: true });
    }
  }

  #progress(bytes: number, of: number): void {
    this.copied += bytes;
    this.#options.onProgress?.(this.copied, of);
  }
}

/** The header first, then from the last part to the first; gives how many bytes there are. */
export function copySynced(
  source: FileHandle,
  target: string,
  onPart: (bytes: number, of: number) => void,
): Promise<number> {
  return writeWholeFileBy(target, async (copy) => {
    const { size } = await source.stat();
    await copyPart(source, copy, 0, Math.min(SEGMENT_HEADER_BYTES, size));
    for (let end = size; end > SEGMENT_HEADER_BYTES;) {
      const start = Math.max(SEGMENT_HEADER_BYTES, end - CHUNK_BYTES);
      await copyPart(source, copy, start, end);
      onPart(end - start, size);
      end = start;
    }
    return size;
  });
}

async function copyPart(
  source: FileHandle,
  copy: FileHandle,
  start: number,
  end: number,
): Promise<void> {
  const buffer = Buffer.alloc(end - start);
  const { bytesRead } = await source.read(buffer, 0, buffer.length, start);
  if (bytesRead !== buffer.length)
    throw new BackupError('a file was truncated while it was being read');
  await writeFully(copy, buffer, start);
}

/** In parts: a segment may be larger than what is free. */
export async function digestOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  const file = await open(path);
  try {
    for await (const part of file.createReadStream({ autoClose: false }))
      hash.update(part as Buffer);
  } finally {
    await file.close();
  }
  return hash.digest('hex');
}

function sha256Of(content: Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}
