import { existsSync, readdirSync } from 'node:fs';
import { open, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder, moveFile } from '@oddlot/host/durable';
import { copySynced, digestOf } from './back-up-folder.ts';
import { BackupError } from './backup-error.ts';
import { BACKUP_MANIFEST, readBackup, type BackupManifest } from './backup-manifest.ts';

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
