import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BackupError } from './backup-error.ts';

/** In the folder of a backup: what belongs to it, written last. */
export const BACKUP_MANIFEST = 'backup.json';

/** A file of a backup. */
export type BackupFile = {
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
  /** It never changes again, so that the next backup does not read it. */
  readonly isComplete: boolean;
};

export type BackupManifest = {
  readonly format: 1;
  readonly madeMs: number;
  readonly files: readonly BackupFile[];
};

/** What a folder says that it has as a backup. */
export async function readBackup(folder: string): Promise<BackupManifest> {
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
