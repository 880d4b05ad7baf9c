import { join } from 'node:path';
import type { Clock } from '@oddlot/host/clock';
import type { Logger } from '@oddlot/host/log';
import type { Metrics } from '@oddlot/host/metrics';
import { SettingError } from '@oddlot/host/settings';
import type { Config } from '../config.ts';
import { FileJournal, type FileJournalOptions } from '../log/file-journal.ts';
import { journalFaults } from '../log/segment-writer.ts';
import type { DiskWatch } from './disk-watch.ts';

/** Opens the log of the data folder; what it meets and how it fares is told to the operator. */
export async function openJournal(
  config: Config,
  deps: {
    /** Where a new one goes on, if not before the first entry. */
    readonly begin: FileJournalOptions['begin'];
    readonly clock: Clock;
    readonly disk: DiskWatch;
    /** What writes; a thread of its own where nothing is said. */
    readonly writer: FileJournalOptions['disk'];
    readonly hasRoom: () => boolean;
    readonly log: Logger;
    readonly metrics: Metrics;
    readonly onFatal: (error: unknown) => void;
  },
): Promise<FileJournal> {
  const { begin, clock, disk, hasRoom, log, metrics, onFatal, writer } = deps;
  const faults = journalFaults(config.fault);
  if (faults === undefined)
    throw new SettingError(`Unknown fault: ${config.fault}. Use slow-sync:MS`);
  const journal = await FileJournal.open({
    directory: join(config.data, 'journal'),
    clock,
    ...(begin === undefined ? {} : { begin }),
    ...(writer === undefined ? {} : { disk: writer }),
    onFatal,
    faults,
    hasRoom,
    // R-disk: a copy needs room, so none is begun when there is little.
    mayCompress: () => disk.state === 'roomy',
    onCompactFailed: (error) => {
      metrics.logCompactFailed();
      log.error(
        { err: error },
        'old part of the log could not be compressed; it stays uncompressed',
      );
    },
    onSync: (seconds) => metrics.logSync(seconds),
  });
  if (journal.repaired !== undefined) {
    log.warn(journal.repaired, 'incomplete end of the journal removed; it was never acknowledged');
  }
  return journal;
}
