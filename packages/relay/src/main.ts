import { VenueClock } from '@oddlot/host/clock';
import { isDirectoryLocked, lockDirectory } from '@oddlot/host/directory-lock';
import { OWN_UMASK } from '@oddlot/host/durable';
import { createLogger } from '@oddlot/host/log';
import { stopLogger, watchParent } from '@oddlot/host/operate';
import { checkPorts } from '@oddlot/host/ports';
import { helpAsked, SettingError, settingsHelp } from '@oddlot/host/settings';
import closeWithGrace from 'close-with-grace';
import { openRelay, type RunningRelay } from './open-relay.ts';
import { NEEDS_OPERATOR } from './relay-program.ts';
import {
  portsOf,
  readRelaySettings,
  RELAY_SETTINGS,
  type RelaySettings,
} from './relay-settings.ts';

/** The relay program. A venue that starts it stops it again by closing its standard input. */

const STOP_MS_MAX = 5_000;
/**
 * The errors whose message is written for operators. They are identified by name, because some of
 * them originate in another thread.
 */
const EXPLAINED: ReadonlySet<string> = new Set([
  'DirectoryLockedError',
  'PortError',
  'SettingError',
]);
/** Errors about files that only an operator can restore. A restart would fail in the same way. */
const LOST: ReadonlySet<string> = new Set([
  'ChainDamagedError',
  'KeyError',
  'RelayBookDamagedError',
  'SendsDamagedError',
]);

// The umask must be set before any thread writes a file.
process.umask(OWN_UMASK);
const args = process.argv.slice(2);
const help = helpAsked(args);
if (help === undefined) await main();
else process.stdout.write(settingsHelp(RELAY_SETTINGS, help, process.env));

async function main(): Promise<void> {
  const settings = settingsOf();
  const log = createLogger({ level: settings.logLevel });
  const onFatal = (error: unknown): never => {
    log.fatal({ err: error }, 'fatal error; stopping immediately');
    process.exit(1);
  };
  let relay: RunningRelay | undefined;
  const logger = stopLogger((why) => log.error({ why }, 'shutdown incomplete'));
  closeWithGrace({ delay: STOP_MS_MAX, logger }, async ({ err }) => {
    if (err !== undefined) onFatal(err);
    await relay?.stop();
  });
  const end = (): void => void process.kill(process.pid, 'SIGTERM');
  if (process.env['npm_lifecycle_event'] === 'oddlot') watchParent(end);
  if (process.env['ODDLOT_RELAY_CHILD'] === '1') process.stdin.resume().once('close', end);
  const clock = new VenueClock();
  try {
    // The ports are checked before anything is created. If the folder is locked, the lock error is
    // more helpful, because the relay using the folder also uses the ports.
    if (!isDirectoryLocked(settings.data)) await checkPorts(portsOf(settings));
    // The lock is released when the process ends, however it ends.
    lockDirectory(settings.data);
    relay = await openRelay(settings, {
      log,
      onFatal,
      env: process.env,
      now: () => clock.nowMs(),
    });
    process.stdout.write(`Oddlot relay is serving at ${relay.url} (address ${relay.address})\n`);
  } catch (error) {
    const name = error instanceof Error ? error.name : '';
    if (!EXPLAINED.has(name) && !LOST.has(name)) onFatal(error);
    process.stderr.write(`${(error as Error).message}\n`);
    process.exit(LOST.has(name) ? NEEDS_OPERATOR : 1);
  }
}

function settingsOf(): RelaySettings {
  try {
    return readRelaySettings(args, process.env);
  } catch (error) {
    if (!(error instanceof SettingError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(2);
  }
}
