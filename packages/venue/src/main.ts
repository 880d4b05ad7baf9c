import { OWN_UMASK } from '@oddlot/host/durable';
import { createLogger, type Logger } from '@oddlot/host/log';
import { stopLogger, watchParent } from '@oddlot/host/operate';
import { helpAsked, SettingError, settingsHelp } from '@oddlot/host/settings';
import { VERSION } from '@oddlot/host/version';
import closeWithGrace from 'close-with-grace';
import { type Config, readConfig } from './config.ts';
import { VENUE_SETTINGS } from './settings/venue-settings.ts';
import type { Venue } from './venue.ts';

/** The composition root: the only module that reads the environment and ends the process. */

const NODE_MAJOR_MIN = 24;
/**
 * A shutdown that takes longer than this is aborted. Acknowledged actions are already in the log.
 */
const STOP_MS_MAX = 10_000;

// The umask must be set before any thread writes a file.
process.umask(OWN_UMASK);
const major = Number.parseInt(process.versions.node, 10);
if (major < NODE_MAJOR_MIN) {
  process.stderr.write(
    `Oddlot needs Node ${NODE_MAJOR_MIN} or newer, but this is ${process.versions.node}. Start it with \`npm start\`, which includes Node on Linux, or install a newer Node.
`,
  );
  process.exit(1);
}
await main();

async function main(): Promise<void> {
  const args = process.argv.slice(2);
  const help = helpAsked(args);
  if (help !== undefined) {
    process.stdout.write(settingsHelp(VENUE_SETTINGS, help, process.env));
    return;
  }
  if (args.includes('--version')) {
    process.stdout.write(`Oddlot ${VERSION} (Node ${process.versions.node})\n`);
    return;
  }
  const config = configOf(args);
  const log = createLogger({ level: config.logLevel });
  const onFatal = (error: unknown): never => {
    // The state in memory can no longer be trusted, but the log is intact. The process stops before
    // it sends another response.
    log.fatal({ err: error }, 'fatal error; stopping immediately');
    process.exit(exitCodeOf(error));
  };
  let venue: Venue | undefined;
  // The handlers are registered before startup, because replaying the log can take a long time. The
  // first process of a container has no default signal handlers and would ignore the signals.
  const logger = stopLogger((why) => log.error({ why }, 'shutdown incomplete'));
  const onTimeout = (): void => endUnfinished(venue?.logTrouble(), log);
  closeWithGrace({ delay: STOP_MS_MAX, logger, onTimeout }, async ({ err }) => {
    if (err !== undefined) onFatal(err);
    if (venue === undefined) log.info('stopped during startup');
    await venue?.stop();
  });
  if (process.env['npm_lifecycle_event'] === 'start') {
    watchParent(() => process.kill(process.pid, 'SIGTERM'));
  }
  try {
    // The venue is loaded late, because it makes up most of the program and is not needed for help
    // texts or configuration errors.
    const { startVenue } = await import('./venue.ts');
    venue = await startVenue(config, { log, onFatal, env: process.env });
    const streams = venue.url.replace('http', 'ws');
    const chain = venue.chainUrl === undefined ? '' : `, settlement chain ${venue.chainUrl}`;
    const { hyperliquidUrl } = venue;
    const hyperliquid = hyperliquidUrl === undefined ? '' : `, Hyperliquid API ${hyperliquidUrl}`;
    process.stdout.write(
      `Oddlot ${config.network} is serving at ${venue.url} ` +
        `(streams ${streams}/ws, operations ${venue.operationsUrl}${chain}${hyperliquid}, ` +
        `signatures for ${venue.serviceNetwork})\n`,
    );
  } catch (error) {
    const { explainStartFailure } = await import('./supervise/explain-start-failure.ts');
    const explained = explainStartFailure(error, config);
    if (explained === undefined) onFatal(error);
    process.stderr.write(`${explained}\n`);
    process.exit(exitCodeOf(error));
  }
}

/**
 * Ends a shutdown that timed out. If it timed out because the log's servers lack a majority, the
 * replica is not at fault, so the exit code is 0.
 */
function endUnfinished(logTrouble: string | undefined, log: Logger): void {
  if (logTrouble === undefined) {
    log.error('shutdown timed out; acknowledged actions are in the log');
    return;
  }
  log.warn(
    { why: logTrouble },
    'stopped before shutdown was complete; pending actions were not acknowledged and may ' +
      'still execute',
  );
  process.exit(0);
}

/**
 * Returns 1, or the specific exit code of an error that a supervisor must be able to distinguish.
 */
function exitCodeOf(error: unknown): number {
  const isCoded = error instanceof Error && 'exitCode' in error;
  return isCoded && typeof error.exitCode === 'number' ? error.exitCode : 1;
}

function configOf(args: readonly string[]): Config {
  try {
    return readConfig(args, process.env);
  } catch (error) {
    if (!(error instanceof SettingError)) throw error;
    process.stderr.write(`${error.message} (see --help)\n`);
    process.exit(2);
  }
}
