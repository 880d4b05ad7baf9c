import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { holderOf, isDirectoryLocked } from '@oddlot/host/directory-lock';

/** Why a folder can't be looked through at all; undefined when it can. A venue that writes meanwhile would seem to be damaged. */
export function folderRefusal(data: string): string | undefined {
  if (!existsSync(join(data, 'journal'))) return `${data} is not a data folder: it has no journal`;
  if (!isDirectoryLocked(data)) return undefined;
  const pid = holderOf(data);
  const holder = pid === undefined ? 'another process' : `process ${pid}`;
  return `${data} is in use by ${holder}. Stop the venue first`;
}
