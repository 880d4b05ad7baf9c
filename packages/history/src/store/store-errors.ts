import { EncodingError } from '@oddlot/replica/codec/bytes';

/** No disk space, or an unreachable server: the rows are written again later (R-disk). */
export class HistoryFullError extends Error {
  override readonly name = 'HistoryFullError';
}

/** Another replica has written to it since the last look: the query is repeated. */
export class HistoryMovedError extends Error {
  override readonly name = 'HistoryMovedError';
}

/** Its content was changed: it is set aside, and recomputed from the log. */
export class HistoryDamagedError extends Error {
  override readonly name = 'HistoryDamagedError';
}

/** It is intact but belongs to another log, so nothing is added. */
export class HistoryForeignError extends HistoryDamagedError {}

/** It belongs to this log, but its rows begin later than the log. */
export class HistoryIncompleteError extends HistoryDamagedError {}

/** Its tables were changed by a later release. */
export class HistoryLaterError extends Error {
  override readonly name = 'HistoryLaterError';

  constructor() {
    super(
      'its tables were created by a later release of Oddlot. Start that release, or use ' +
        'another database',
    );
  }
}

/** SQLite's result code for a full disk. */
const SQLITE_FULL = 13;
/** Its result codes for damaged or unreadable pages. */
const SQLITE_DAMAGED: readonly number[] = [10, 11, 26];
/** Classes of PostgreSQL's codes: no resources, stopped by its operator, no connection. */
const POSTGRES_AWAY = /^(53|57|08|25006|58030)/;
/** Damaged data, damaged index. */
const POSTGRES_DAMAGED: readonly string[] = ['XX001', 'XX002'];
/** The operating system's codes for an unreachable server. */
const SOCKET_AWAY = /^(ECONN|EPIPE|ETIMEDOUT|EHOST|ENOENT|ENETUNREACH|EAI_)/;

/** The error of the history for a driver's error; other errors are returned as they are. */
export function historyError(error: unknown): unknown {
  if (error instanceof HistoryDamagedError || error instanceof HistoryFullError) return error;
  if (!(error instanceof Error)) return error;
  const { message } = error;
  // Packed rows pass a checksum before they are decoded.
  if (error instanceof EncodingError) return new HistoryDamagedError(message, { cause: error });
  if ('errcode' in error) {
    // The lower byte is the primary result code.
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

/** The driver has no code for a connection that is lost within a query or transaction, or is silent. */
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
