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
 * Copies everything that cannot be recomputed from a venue's folder, even while the venue is
 * running: the whole log, the starts of eras and a few small files. Snapshots and the history are
 * rebuilt from the log after a restore. A segment that is being written is read from its end to its
 * beginning, after its header. Records are only ever appended, so a section read later contains
 * everything that the sections following it depend on. The copy looks like a journal after a power
 * loss: when it is opened, it is cut after its last complete block. Segments that were already
 * complete at the last backup are not read again.
 */

const CHUNK_BYTES = 4 * 1024 * 1024;
/**
 * Few rounds are enough, because the journal seals or compresses segments at most once in several
 * minutes.
 */
const ROUNDS_MAX = 20;
const SMALL_FILES = [
  'service-network',
  'cursor-key',
  'exhibition-secret',
  join('journal', 'named'),
];
/** These files are rebuilt on startup, or matter only to the running process. */
const LEFT_OUT = /^(?:snapshots|history\.sqlite.*|lock|lock\.pid|journal|eras)$/;

type BackUpOptions = {
  readonly data: string;
  readonly to: string;
  readonly nowMs: number;
  readonly onProgress?: (bytes: number, of: number) => void;
};

type BackedUp = {
  readonly manifest: BackupManifest;
  /** The number of bytes read for this backup; the previous backup already contained the rest. */
  readonly copied: number;
  /**
   * Files in the folder that belong to other programs. They are not backed up. Copy them while
   * those programs are stopped.
   */
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
  for (const path of SMALL_FILES) if (existsSync(join(data, path))) await copier.small(path);
  const files = copier.files.toSorted((a, b) => (a.path < b.path ? -1 : 1));
  const manifest: BackupManifest = { format: 1, madeMs: nowMs, files };
  writeWholeFile(join(to, BACKUP_MANIFEST), `${JSON.stringify(manifest, undefined, 1)}\n`);
  await copier.removeOthers();
  const known = new Set(SMALL_FILES);
  const others = readdirSync(data).filter((name) => !LEFT_OUT.test(name) && !known.has(name));
  return { manifest, copied: copier.copied, others };
}

/**
 * Returns whether a path is inside a folder, after resolving links. The path may include folders
 * that do not exist yet.
 */
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

  /** Copies the segments, repeating until no segment begins after the last one copied. */
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
        // The segment has since been compressed, or it is just being completed, and its end mark or
        // successor does not exist yet.
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

  /** Returns undefined if the segment has since been removed or compressed. */
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

  /**
   * Removes files that no longer exist in the folder, such as a segment that has since been
   * compressed.
   */
  async removeOthers(): Promise<void> {
    const paths = new Set(this.files.map(({ path }) => path));
    for (const path of this.#known.keys()) {
      if (!paths.has(path)) await rm(join(this.#options.to, path), { force: true });
    }
  }

  #progress(bytes: number, of: number): void {
    this.copied += bytes;
    this.#options.onProgress?.(this.copied, of);
  }
}

/**
 * Copies the header first, then the chunks from the last to the first. Returns the number of bytes.
 */
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

/** Reads in chunks, because a segment can be larger than the memory available. */
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
 * Creates a data folder from a backup, completely or not at all. The checksum of every file is
 * verified before and after copying. The folder must be missing or empty. Blocks acknowledged after
 * the backup are lost.
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
 * Throws unless the log of a data folder continues the log of the backup. Otherwise another venue,
 * or an older copy of the same one, could replace the only copy of acknowledged blocks. Each record
 * includes the checksum of its predecessor, so two logs that agree on a record agree on all earlier
 * ones.
 */
async function assertContinues({
  data,
  to,
}: {
  readonly data: string;
  readonly to: string;
}): Promise<void> {
  const backedUp = await segmentsOf(to);
  const segments = await readSegments(join(data, 'journal'));
  const last = await chainUpTo(backedUp, Infinity);
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
  const same = reached.seq === last.seq ? last : await chainUpTo(backedUp, reached.seq);
  // If the logs do not overlap, only their ends can be compared.
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
    const isMissing = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT';
    if (!isMissing && !(cause instanceof JournalDamagedError)) throw cause;
    const what =
      cause instanceof JournalDamagedError ? `${cause.file} is damaged` : 'it has no log';
    throw new BackupError(`${backup} is not a complete backup: ${what}. ${ELSEWHERE}`, { cause });
  }
}

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

/** The list of files in a backup. It is written last. */
const BACKUP_MANIFEST = 'backup.json';

type BackupFile = {
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
  /** True if the file never changes again, so that the next backup need not read it. */
  readonly isComplete: boolean;
};

type BackupManifest = {
  readonly format: 1;
  readonly madeMs: number;
  readonly files: readonly BackupFile[];
};

async function readBackup(folder: string): Promise<BackupManifest> {
  const file = join(folder, BACKUP_MANIFEST);
  const manifest = parsed(await readFile(file, 'utf8'));
  if (manifest?.format !== undefined && Number(manifest.format) > 1) {
    throw new BackupError(`${folder} was written by a later release`);
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

/**
 * Rejects paths that lead out of the folder, because listed paths are appended to the folder's
 * path.
 */
function isFile(file: Partial<BackupFile> | null): boolean {
  const { bytes, path, sha256 } = file ?? {};
  const isPath = typeof path === 'string' && !path.split(/[/\\]/).includes('..');
  return isPath && typeof bytes === 'number' && typeof sha256 === 'string';
}

/** An error that the operator can resolve. Nothing was changed. */
export class BackupError extends Error {
  override readonly name = 'BackupError';
}
