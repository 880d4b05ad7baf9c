import { pino, type DestinationStream, type Logger } from 'pino';

export type { Logger } from 'pino';

/** How much is told; `silent` tells nothing. */
type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';

/** JSON lines on standard error: standard output belongs to the one line that says where we serve. */
export function createLogger(
  options: { level?: LogLevel; destination?: DestinationStream } = {},
): Logger {
  const settings = { level: options.level ?? 'info', base: { pid: process.pid } };
  return pino(settings, options.destination ?? pino.destination({ dest: 2, sync: true }));
}
