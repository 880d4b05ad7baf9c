import { type Config, hasBots, hasFaucet } from '../config.ts';
import type { IndexerSettings } from '@oddlot/history/indexer/indexer-messages';

/** A replay of so many blocks, or of two intervals of snapshots, is short. */
const SHORT_BLOCKS_MIN = 5_000;

/** What the threads of the indexer are told of the configuration. */
export function indexerSettings(config: Config): Omit<IndexerSettings, 'role'> {
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

const DAY_MS = 86_400_000;
const DAYS_OF_BOTS = 1;

/** How long old parts of the log are kept; undefined for ever. What simulated traders did is soon of no interest. */
export function logKeptMsOf(config: Config): number | undefined {
  return keptMsOf(config, config.logKeep);
}

/** The same of the rows of the history. */
export function historyKeptMsOf(config: Config): number | undefined {
  return keptMsOf(config, config.historyKeep);
}

function keptMsOf(config: Config, told: Config['logKeep']): number | undefined {
  const days = told ?? (hasBots(config) ? DAYS_OF_BOTS : 'all');
  return days === 'all' ? undefined : days * DAY_MS;
}
