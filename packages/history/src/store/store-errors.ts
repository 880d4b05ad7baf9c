import { EncodingError } from '@oddlot/replica/codec/bytes';

/** What can be wrong with the database of the history; both are mended by its owner. */

/** There is no room, or the server is not to be reached: what was not written is tried again (R-disk). */
export class HistoryFullError extends Error {
  override readonly name = 'HistoryFullError';
}

/** Another replica has written to it since it was last looked at: whoever asks asks again. */
export class HistoryMovedError extends Error {
  override readonly name = 'HistoryMovedError';
}

/** It is not what was written to it: it is set aside, and computed again from the log. */
export class HistoryDamagedError extends Error {
  override readonly name = 'HistoryDamagedError';
}

/** It is whole, but of another log: nothing is added to it. */
export class HistoryForeignError extends HistoryDamagedError {}

/** It belongs to this log, but its rows begin later than the log. */
export class HistoryIncompleteError extends HistoryDamagedError {}

/** A later release has made the tables what this one does not know. */
export class HistoryLaterError extends Error {
  override readonly name = 'HistoryLaterError';

  constructor() {
    super(
      'its tables were created by a later release of Oddlot. Start that release, or use ' +
        'another database',
    );
  }
}

/** SQLite's result for a disk without room. */
const SQLITE_FULL = 13;
/** Its results for pages that are not what they should be, or can't be read. */
const SQLITE_DAMAGED: readonly number[] = [10, 11, 26];
/** Classes of PostgreSQL's codes: out of resources, stopped by its operator, no connection. */
const POSTGRES_AWAY = /^(53|57|08|25006|58030)/;
/** Damaged data, damaged index. */
const POSTGRES_DAMAGED: readonly string[] = ['XX001', 'XX002'];
/** What the host says of a server that is not there. */
const SOCKET_AWAY = /^(ECONN|EPIPE|ETIMEDOUT|EHOST|ENOENT|ENETUNREACH|EAI_)/;

/** The same error in the words of the history; others stay what they are. */
export function historyError(error: unknown): unknown {
  if (error instanceof HistoryDamagedError || error instanceof HistoryFullError) return error;
  if (!(error instanceof Error)) return error;
  const { message } = error;
  // Packed rows are checked, and then read like everything that is written as bytes.
  if (error instanceof EncodingError) return new HistoryDamagedError(message, { cause: error });
  if ('errcode' in error) {
    // The lower byte is the result, the others say more about it.
    const result = Number(error.errcode) & 0xff;
    if (result === SQLITE_FULL) return new HistoryFullError(message, { cause: error });
    if (SQLITE_DAMAGED.includes(result)) return new HistoryDamagedError(message, { cause: error });
    return error;
  }
  const code = 'code' in error ? String(error.code) : '';
  if (POSTGRES_DAMAGED.includes(code)) return new HistoryDamagedError(message, { cause: error });
  const isAway = POSTGRES_AWAY.test(code) || SOCKET_AWAY.test(code) || isCut(message);
  return isAway ? new HistoryFullError(message, { cause: error }) : error;
}

/** The driver has no code for a connection that ends in the middle of a query or a transaction, or says nothing. */
function isCut(message: string): boolean {
  return CUT.some((words) => message.includes(words));
}

const CUT: readonly string[] = [
  'Connection terminated',
  'Client has encountered',
  'Postgres connection has been discarded',
  'Query read timeout',
  'timeout exceeded when trying to connect',
  'timeout expired',
];
