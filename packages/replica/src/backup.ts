import { createHash } from 'node:crypto';
import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { type FileHandle, open, readFile, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import {
  makeFolder,
  moveFile,
  writeFully,
  writeWholeFile,
  writeWholeFileBy,
} from '@oddlot/host/durable';
import { isInside } from '@oddlot/host/operate';
import { type Chain, SEGMENT_HEADER_BYTES } from './log/journal-format.ts';
import { openSegment, readSegment, readSegments, type Segment } from './log/segment-files.ts';
import { JournalDamagedError } from './log/log.ts';
import { scanRecords } from './log/segment-scan.ts';

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
function copySynced(
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
async function digestOf(path: string): Promise<string> {
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

type RestoreOptions = {
  readonly from: string;
  readonly data: string;
  readonly onProgress?: (bytes: number, of: number) => void;
};

/**
 * Makes a data folder of a backup, whole or not at all: every file is compared with its checksum before it is copied, and again
 * behind that. The folder must not be there; what was acknowledged after the backup is lost.
 */
export async function restoreFolder({
  from,
  data,
  onProgress,
}: RestoreOptions): Promise<BackupManifest> {
  if (!existsSync(join(from, BACKUP_MANIFEST))) throw new BackupError(`${from} is not a backup`);
  if (existsSync(data) && readdirSync(data).length > 0) {
    throw new BackupError(`${data} contains files. Restore into a folder that does not exist`);
  }
  const manifest = await readBackup(from);
  const of = manifest.files.reduce((sum, { bytes }) => sum + bytes, 0);
  await check(from, manifest);
  const draft = `${data}.restoring`;
  await rm(draft, { recursive: true, force: true });
  makeFolder(draft);
  let done = 0;
  for (const { path, bytes } of manifest.files) {
    const source = await open(join(from, path));
    try {
      await copySynced(source, join(draft, path), () => undefined);
    } finally {
      await source.close();
    }
    done += bytes;
    onProgress?.(done, of);
  }
  await check(draft, manifest);
  await rm(data, { recursive: true, force: true });
  moveFile(draft, data);
  return manifest;
}

async function check(folder: string, { files }: BackupManifest): Promise<void> {
  for (const { path, bytes, sha256 } of files) {
    const found = await stat(join(folder, path)).catch(() => undefined);
    if (found === undefined) throw new BackupError(`${path} is missing`);
    const isRight = found.size === bytes && (await digestOf(join(folder, path))) === sha256;
    if (!isRight) throw new BackupError(`${path} differs from what was backed up`);
  }
}

/**
 * Throws unless the log of a data folder goes on from the one that a backup has: a folder of another venue, or an older copy of the
 * same one, would take the place of the only copy of blocks that somebody was told of.
 *
 * Each record has the checksum of the one before it, so that two logs that agree in one record agree in all before it.
 */
async function assertContinues({
  data,
  to,
}: {
  readonly data: string;
  readonly to: string;
}): Promise<void> {
  const kept = await segmentsOf(to);
  const segments = await readSegments(join(data, 'journal'));
  const last = await chainUpTo(kept, Infinity);
  const [oldest] = segments;
  if (last === undefined || oldest === undefined) return;
  const reached = await chainUpTo(segments, last.seq);
  if (reached === undefined) {
    const from = `the log of ${data} begins at block ${oldest.firstSeq}`;
    throw new BackupError(
      `${from}, but the backup in ${to} ends at block ${last.seq}, so it cannot be ` +
        `continued. ${ELSEWHERE}`,
    );
  }
  const same = reached.seq === last.seq ? last : await chainUpTo(kept, reached.seq);
  // Of what the backup no longer reaches back to, nothing can be said but that there is less of it.
  if (same !== undefined && same.crc !== reached.crc) {
    throw new BackupError(
      `${to} is a backup of another log: its block ${reached.seq} differs from the one in ` +
        `${data}. ${ELSEWHERE}`,
    );
  }
  if (reached.seq < last.seq) {
    throw new BackupError(
      `${data} is older than its backup: it ends at block ${reached.seq}, but ${to} has ` +
        `blocks up to ${last.seq}. ${ELSEWHERE}`,
    );
  }
}

const ELSEWHERE = 'Use a new folder for this backup';

async function segmentsOf(backup: string): Promise<readonly Segment[]> {
  try {
    return await readSegments(join(backup, 'journal'));
  } catch (cause) {
    const isGone = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT';
    if (!isGone && !(cause instanceof JournalDamagedError)) throw cause;
    const what =
      cause instanceof JournalDamagedError ? `${cause.file} is damaged` : 'it has no log';
    throw new BackupError(`${backup} is not a complete backup: ${what}. ${ELSEWHERE}`, { cause });
  }
}

/** The last record that can be read, of those up to a number; undefined when the log begins behind it. */
async function chainUpTo(
  segments: readonly Segment[],
  untilSeq: number,
): Promise<Chain | undefined> {
  const segment = segments.findLast(({ header }) => header.before.seq <= untilSeq);
  if (segment === undefined) return undefined;
  const source = await openSegment(segment.path, segment.firstSeq);
  if (source === undefined)
    throw new BackupError(`${segment.path} was removed while it was being read`);
  try {
    const { bytes, endOffset, header } = source;
    return (await scanRecords(bytes, header, { endOffset, untilSeq }, () => undefined)).chain;
  } finally {
    await source.close();
  }
}

/** In the folder of a backup: what belongs to it, written last. */
const BACKUP_MANIFEST = 'backup.json';

/** A file of a backup. */
type BackupFile = {
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
  /** It never changes again, so that the next backup does not read it. */
  readonly isComplete: boolean;
};

type BackupManifest = {
  readonly format: 1;
  readonly madeMs: number;
  readonly files: readonly BackupFile[];
};

/** What a folder says that it has as a backup. */
async function readBackup(folder: string): Promise<BackupManifest> {
  const file = join(folder, BACKUP_MANIFEST);
  const manifest = parsed(await readFile(file, 'utf8'));
  if (manifest?.format !== undefined && Number(manifest.format) > 1) {
    throw new BackupError(`${folder} is a backup of a later release`);
  }
  if (manifest?.format !== 1 || !Array.isArray(manifest.files) || !manifest.files.every(isFile)) {
    throw new BackupError(`${file} is damaged: it does not list the contents of the backup`);
  }
  return manifest;
}

function parsed(text: string): BackupManifest | undefined {
  try {
    return (JSON.parse(text) as BackupManifest | null) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Paths are joined to a folder: one that leads out of it was not written by a backup. */
function isFile(file: Partial<BackupFile> | null): boolean {
  const { bytes, path, sha256 } = file ?? {};
  const isPath = typeof path === 'string' && !path.split(/[/\\]/).includes('..');
  return isPath && typeof bytes === 'number' && typeof sha256 === 'string';
}

/** Something that an operator can mend; nothing has changed. */
export class BackupError extends Error {
  override readonly name = 'BackupError';
}
