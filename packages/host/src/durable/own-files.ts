import { chmodSync, closeSync, lstatSync, openSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** The mode of files that a program keeps: they are its owner's alone, whatever the umask is. */
export const OWN_FILE = 0o600;
const OTHERS = 0o077;

/** Makes a file that is not there. A library that opens it by name would choose another mode. */
export function makeOwnFile(file: string): void {
  closeSync(openSync(file, 'a', OWN_FILE));
}

/**
 * Takes the rights of others from all files below a folder: an earlier release or a copy may have given them. Links are
 * not followed, and what belongs to another user, such as the files of a database server, stays as it is.
 */
export function tightenFiles(folder: string): void {
  const uid = process.getuid?.();
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    try {
      const status = lstatSync(path);
      if (status.uid !== uid) continue;
      if (status.isDirectory()) tightenFiles(path);
      else if (status.isFile() && (status.mode & OTHERS) !== 0) {
        chmodSync(path, status.mode & ~OTHERS & 0o777);
      }
    } catch (error) {
      // Another process may have removed it meanwhile.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
}
