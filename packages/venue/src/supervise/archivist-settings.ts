import { type Config, hasFaucet } from '../config.ts';
import type { ArchivistSettings } from '../history/archivist/archivist-messages.ts';
import { historyKeptMsOf } from './kept.ts';

/** A replay of so many blocks, or of two intervals of snapshots, is short. */
const SHORT_BLOCKS_MIN = 5_000;

/** What the threads of the archivist are told of the configuration. */
export function archivistSettings(config: Config): Omit<ArchivistSettings, 'role'> {
  const { data, database, receiptsKeptMs, snapshotEveryBlocks, snapshotEveryCommands } = config;
  const historyKeptMs = historyKeptMsOf(config);
  const isShared = database !== undefined && config.cluster !== undefined;
  return {
    data,
    ...(database === undefined ? {} : { database }),
    ...(isShared ? { isShared } : {}),
    snapshotEveryBlocks,
    snapshotEveryCommands,
    // Rows that are shared are made by the thread that follows, however far it has to go.
    shortBlocks: isShared
      ? Number.MAX_SAFE_INTEGER
      : Math.max(SHORT_BLOCKS_MIN, 2 * snapshotEveryBlocks),
    ...(hasFaucet(config) ? { faucetEveryMs: config.faucetEveryMs } : {}),
    receiptsKeptMs,
    limits: config.limits,
    ...(historyKeptMs === undefined ? {} : { historyKeptMs }),
  };
}
