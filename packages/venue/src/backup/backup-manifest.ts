import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

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
  const manifest = JSON.parse(
    await readFile(join(folder, BACKUP_MANIFEST), 'utf8'),
  ) as BackupManifest;
  if (manifest.format !== 1) throw new Error(`${folder} is a backup of a later release`);
  return manifest;
}
