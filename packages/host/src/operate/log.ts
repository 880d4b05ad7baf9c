import { pino, type DestinationStream, type Logger } from 'pino';

export type { Logger } from 'pino';

/** The minimum level of messages; `silent` disables them. */
type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';

/**
 * Creates a logger that writes JSON lines to standard error, because standard output is reserved
 * for the line that gives the address.
 */
export function createLogger(
  options: { level?: LogLevel; destination?: DestinationStream } = {},
): Logger {
  const settings = { level: options.level ?? 'info', base: { pid: process.pid } };
  return pino(settings, options.destination ?? pino.destination({ dest: 2, sync: true }));
}
