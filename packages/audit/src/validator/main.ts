import { KeyError } from '@oddlot/custody/key-error';
import {
  BookDamagedError,
  readValidatorSettings,
  type RunningValidator,
  startValidator,
  VALIDATOR_SETTINGS,
  type ValidatorSettings,
} from '@oddlot/custody/validator';
import { systemTime } from '@oddlot/host/clock';
import { DirectoryLockedError, isDirectoryLocked } from '@oddlot/host/directory-lock';
import { OWN_UMASK } from '@oddlot/host/durable';
import { createLogger, type Logger } from '@oddlot/host/log';
import { stopLogger, watchParent } from '@oddlot/host/operate';
import { checkPorts } from '@oddlot/host/ports';
import { helpAsked, SettingError, settingsHelp } from '@oddlot/host/settings';
import closeWithGrace from 'close-with-grace';

/** The validator program (`oddlot validator --config validator.toml`). */

const STOP_MS_MAX = 10_000;
const EXPLAINED = [BookDamagedError, DirectoryLockedError, KeyError];

// The umask must be set before any file is written.
process.umask(OWN_UMASK);
await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<void> {
  const help = helpAsked(args);
  if (help !== undefined) {
    process.stdout.write(settingsHelp(VALIDATOR_SETTINGS, help, process.env));
    return;
  }
  const config = configOf(args);
  const log = createLogger({ level: config.logLevel });
  let running: RunningValidator | undefined;
  const logger = stopLogger((why) => log.error({ why }, 'shutdown incomplete'));
  closeWithGrace({ delay: STOP_MS_MAX, logger }, async ({ err }) => {
    if (err !== undefined) {
      log.fatal({ err }, 'fatal error; stopping immediately');
      process.exit(1);
    }
    await running?.stop();
  });
  if (process.env['npm_lifecycle_event'] === 'oddlot') {
    watchParent(() => process.kill(process.pid, 'SIGTERM'));
  }
  try {
    // The port is checked before any file is created. If the folder is locked, the lock's error is
    // clearer, because the validator using that folder also uses the port.
    const { data, host, port } = config;
    if (!isDirectoryLocked(data)) await checkPorts([{ port, host, flag: '--port' }]);
    const now = systemTime.wallMs;
    const openLedger = config.log === undefined ? undefined : await ownLedgerOpener(now);
    running = await startValidator(config, { env: process.env, log, now, openLedger });
  } catch (error) {
    const isKnown = EXPLAINED.some((kind) => error instanceof kind) || isSystemError(error);
    if (!isKnown) throw error;
    process.stderr.write(`${(error as Error).message}\n`);
    process.exit(1);
  }
  const { address, url } = running;
  process.stdout.write(
    `Oddlot validator ${address} is signing at ${url} ` +
      `(chain ${config.chainId}, bridge ${config.bridge})\n`,
  );
}

/**
 * Loads the ledger on demand, because a validator that queries venues needs neither an engine nor
 * its memory.
 */
async function ownLedgerOpener(now: () => number) {
  const { openOwnLedger } = await import('./open-own-ledger.ts');
  return (config: ValidatorSettings, log: Logger) => openOwnLedger(config, { log, now });
}

function isSystemError(error: unknown): boolean {
  return error instanceof Error && 'code' in error;
}

function configOf(args: readonly string[]): ValidatorSettings {
  try {
    return readValidatorSettings(args);
  } catch (error) {
    if (!(error instanceof SettingError)) throw error;
    process.stderr.write(`${error.message} (see --help)\n`);
    process.exit(2);
  }
}
