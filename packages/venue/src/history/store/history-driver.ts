import type { Kysely, Transaction } from 'kysely';
import type { Batch } from './batch.ts';
import type { HistoryTables } from './history-tables.ts';

/** Rejects when a transaction that has begun must not be. */
export type Expectation = (transaction: Transaction<HistoryTables>) => Promise<void>;

/** A database that holds the tables. Its one caller awaits each call before the next. */
export interface HistoryDriver {
  readonly database: Kysely<HistoryTables>;
  /** All rows of a batch, or none. */
  write(tables: Batch['tables'], expect?: Expectation): Promise<void>;
  /** What it takes on disk. */
  bytes(): Promise<number>;
  close(): Promise<void>;
}
