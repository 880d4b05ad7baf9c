import { systemTime } from '@oddlot/host/clock';
import { DirectoryLockedError } from '@oddlot/host/directory-lock';
import { OWN_UMASK } from '@oddlot/host/durable';
import { createLogger } from '@oddlot/host/log';
import { watchParent } from '@oddlot/host/operate';
import { helpAsked, SettingError, settingsHelp } from '@oddlot/host/settings';
import closeWithGrace from 'close-with-grace';
import { KeyError } from '../key-files/key-error.ts';
import { BookDamagedError } from './signed-book.ts';
import { type RunningValidator, startValidator } from './start-validator.ts';
import {
  readValidatorSettings,
  VALIDATOR_SETTINGS,
  type ValidatorSettings,
} from './validator-settings.ts';

/** The program of a validator: `npm run validator -- --config validator.toml`. */

const STOP_MS_MAX = 10_000;
const EXPLAINED = [BookDamagedError, DirectoryLockedError, KeyError];

// Before anything is written.
process.umask(OWN_UMASK);
await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<void> {
  const help = helpAsked(args);
  if (help !== undefined) {
    process.stdout.write(settingsHelp(VALIDATOR_SETTINGS, help));
    return;
  }
  const config = configOf(args);
  const log = createLogger({ level: config.logLevel });
  let running: RunningValidator | undefined;
  closeWithGrace({ delay: STOP_MS_MAX, logger: false }, async ({ err }) => {
    if (err !== undefined) {
      log.fatal({ err }, 'stopping at once');
      process.exit(1);
    }
    await running?.stop();
  });
  if (process.env['npm_lifecycle_event'] === 'validator') {
    watchParent(() => process.kill(process.pid, 'SIGTERM'));
  }
  try {
    running = await startValidator(config, { env: process.env, log, now: systemTime.wallMs });
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
