import type { Kysely } from 'kysely';
import type { Batch } from './batch.ts';
import type { HistoryTables } from './history-tables.ts';

/** A database that holds the tables. Its one caller awaits each call before the next. */
export interface HistoryDriver {
  readonly database: Kysely<HistoryTables>;
  /** All rows of a batch, or none. */
  write(tables: Batch['tables']): Promise<void>;
  /** What it takes on disk. */
  bytes(): Promise<number>;
  close(): Promise<void>;
}
