import { type Config, hasBots, hasFaucet } from '../config.ts';
import type { IndexerSettings } from '@oddlot/history/indexer/indexer-messages';

/**
 * A replay counts as short if it has at most this many blocks, or two snapshot intervals if that is
 * more.
 */
const SHORT_BLOCKS_MIN = 5_000;

export function indexerSettings(config: Config): Omit<IndexerSettings, 'role'> {
  const { data, database, receiptsKeptMs, snapshotEveryBlocks, snapshotEveryCommands } = config;
  const historyKeptMs = historyRetentionMsOf(config);
  const isShared = database !== undefined && config.cluster !== undefined;
  return {
    data,
    ...(database === undefined ? {} : { database }),
    ...(isShared ? { isShared } : {}),
    snapshotEveryBlocks,
    snapshotEveryCommands,
    // Shared rows are written by the thread that follows the log, no matter how long the replay
    // takes.
    shortBlocks: isShared
      ? Number.MAX_SAFE_INTEGER
      : Math.max(SHORT_BLOCKS_MIN, 2 * snapshotEveryBlocks),
    ...(hasFaucet(config) ? { faucetEveryMs: config.faucetEveryMs } : {}),
    receiptsKeptMs,
    limits: config.limits,
    ...(historyKeptMs === undefined ? {} : { historyKeptMs }),
  };
}

const DAY_MS = 86_400_000;
const DAYS_OF_BOTS = 1;

/**
 * Returns the log's retention period, or undefined if the log is kept indefinitely. The default is
 * short for venues with simulated traders.
 */
export function logRetentionMsOf(config: Config): number | undefined {
  return retentionMsOf(config, config.logKeep);
}

/** Returns the retention period of the history's rows, with the same defaults as for the log. */
export function historyRetentionMsOf(config: Config): number | undefined {
  return retentionMsOf(config, config.historyKeep);
}

function retentionMsOf(config: Config, configured: Config['logKeep']): number | undefined {
  const days = configured ?? (hasBots(config) ? DAYS_OF_BOTS : 'all');
  return days === 'all' ? undefined : days * DAY_MS;
}
