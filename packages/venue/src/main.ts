import closeWithGrace from 'close-with-grace';
import { type Config, ConfigError, HELP, readConfig } from './config.ts';
import { DirectoryLockedError } from './log/directory-lock.ts';
import { JournalDamagedError } from './log/journal-error.ts';
import { createLogger } from './operate/log.ts';
import {
  EarlierRulesError,
  EraStartError,
  LaterReleaseError,
  LogBehindError,
  ReplicaDivergedError,
} from './replica/replica-error.ts';
import { startVenue } from './venue.ts';

/** The composition root: the only reader of the environment and the only one that ends the process. */

const NODE_MAJOR_MIN = 24;
/** A stop that takes longer than this is cut; what was acknowledged is in the log. */
const STOP_MS_MAX = 10_000;

const major = Number.parseInt(process.versions.node, 10);
if (major < NODE_MAJOR_MIN) {
  process.stderr.write(
    `Oddlot needs Node ${NODE_MAJOR_MIN} or newer, this is ${process.versions.node}. ` +
      'Start it with `npm start`, which brings its own on Linux, or install a newer Node.\n',
  );
  process.exit(1);
}
await main();

async function main(): Promise<void> {
  const args = process.argv.slice(2);
  if (args.includes('--help')) {
    process.stdout.write(HELP);
    return;
  }
  let config: Config;
  try {
    config = readConfig(args, process.env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${error.message}\nSee --help.\n`);
    process.exit(2);
  }
  const log = createLogger({ level: config.logLevel });
  const onFatal = (error: unknown): never => {
    // The state in memory can't be trusted any more; the log can. Stop before answering anybody.
    log.fatal({ err: error }, 'stopping at once');
    process.exit(1);
  };
  try {
    const venue = await startVenue(config, { log, onFatal });
    closeWithGrace({ delay: STOP_MS_MAX, logger: false }, async ({ err }) => {
      if (err !== undefined) onFatal(err);
      await venue.stop();
    });
    const streams = venue.url.replace('http', 'ws');
    process.stdout.write(
      `Oddlot ${config.network} is serving at ${venue.url} ` +
        `(streams ${streams}/ws, operations ${venue.operationsUrl})\n`,
    );
  } catch (error) {
    const isExpected =
      error instanceof ConfigError ||
      error instanceof DirectoryLockedError ||
      error instanceof JournalDamagedError ||
      error instanceof LogBehindError ||
      error instanceof ReplicaDivergedError ||
      error instanceof EarlierRulesError ||
      error instanceof EraStartError ||
      error instanceof LaterReleaseError ||
      isPortTaken(error);
    if (!isExpected) onFatal(error);
    process.stderr.write(`${(error as Error).message}\n`);
    process.exit(1);
  }
}

/** Somebody else listens there: the system's own message names the address. */
function isPortTaken(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
}
