import { EncodingError } from '@oddlot/replica/codec/bytes';

/**
 * Thrown if there is no disk space or the server is unreachable. The caller writes the rows again
 * later (R-disk).
 */
export class HistoryFullError extends Error {
  override readonly name = 'HistoryFullError';
}

/** Thrown if another replica has written since the last read; the caller repeats the query. */
export class HistoryMovedError extends Error {
  override readonly name = 'HistoryMovedError';
}

/**
 * Thrown if stored content is damaged; the store is moved out of the way and recomputed from the
 * log.
 */
export class HistoryDamagedError extends Error {
  override readonly name = 'HistoryDamagedError';
}

/** Thrown if the store is intact but belongs to another log, so nothing may be added. */
export class HistoryForeignError extends HistoryDamagedError {}

/** Thrown if the store belongs to this log but lacks rows for the log's first blocks. */
export class HistoryIncompleteError extends HistoryDamagedError {}

/** Thrown if a later release has changed the tables. */
export class HistoryLaterError extends Error {
  override readonly name = 'HistoryLaterError';

  constructor() {
    super(
      'its tables were created by a later release of Oddlot. Start that release, or use ' +
        'another database',
    );
  }
}

const SQLITE_FULL = 13;
const SQLITE_DAMAGED: readonly number[] = [10, 11, 26];
/**
 * PostgreSQL error codes: insufficient resources, shutdown by the operator, lost connection,
 * read-only server, I/O error.
 */
const POSTGRES_AWAY = /^(53|57|08|25006|58030)/;
/** PostgreSQL error codes for damaged data and damaged indexes. */
const POSTGRES_DAMAGED: readonly string[] = ['XX001', 'XX002'];
/** Operating system error codes for an unreachable server. */
const SOCKET_AWAY = /^(ECONN|EPIPE|ETIMEDOUT|EHOST|ENOENT|ENETUNREACH|EAI_)/;

/**
 * Returns the history error that corresponds to a driver's error, or the error itself if there is
 * none.
 */
export function historyError(error: unknown): unknown {
  if (error instanceof HistoryDamagedError || error instanceof HistoryFullError) return error;
  if (!(error instanceof Error)) return error;
  const { message } = error;
  // Packed rows that pass their checksum but cannot be decoded also count as damaged.
  if (error instanceof EncodingError) return new HistoryDamagedError(message, { cause: error });
  if ('errcode' in error) {
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

/**
 * Returns true if the message is that of a lost connection. The message is needed because the
 * driver does not set a code if the connection is lost during a query or the server is silent.
 */
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
