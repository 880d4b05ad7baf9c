import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { NETWORKS } from '@oddlot/protocol';
import type { Config } from '../config.ts';
import { FileJournal } from '../log/file-journal.ts';
import { lockData, readServiceNames } from '../log/data-folder.ts';
import { AdminRefusedError, nowMs } from './admin-place.ts';

/** The log of a data folder on which nothing runs, and what its clients sign for. */
type Copy = { readonly journal: FileJournal; readonly serviceNetwork: string };

/** Opens the log of a folder for one command; no venue may run on it meanwhile. */
export async function withCopy<Result>(
  { data, network }: Pick<Config, 'data' | 'network'>,
  use: (copy: Copy) => Promise<Result>,
): Promise<Result> {
  if (!existsSync(join(data, 'journal'))) throw new AdminRefusedError(`No log in ${data}`);
  const lock = await lockData(data);
  try {
    const journal = await FileJournal.open({
      directory: join(data, 'journal'),
      clock: { nowMs },
      onFatal: (error) => {
        throw error;
      },
    });
    try {
      if (journal.lastSeq === 0) throw new AdminRefusedError(`The log in ${data} is empty`);
      const serviceNetwork = readServiceNames(data).name ?? NETWORKS[network].serviceNetwork;
      return await use({ journal, serviceNetwork });
    } finally {
      await journal.close();
    }
  } finally {
    lock.release();
  }
}
