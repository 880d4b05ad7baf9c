import { VenueClock } from '@oddlot/host/clock';
import { lockDirectory } from '@oddlot/host/directory-lock';
import { OWN_UMASK } from '@oddlot/host/durable';
import { createLogger } from '@oddlot/host/log';
import { stopLogger, watchParent } from '@oddlot/host/operate';
import { helpAsked, SettingError, settingsHelp } from '@oddlot/host/settings';
import closeWithGrace from 'close-with-grace';
import { openRelay, type RunningRelay } from './open-relay.ts';
import { readRelaySettings, RELAY_SETTINGS, type RelaySettings } from './relay-settings.ts';

/** The relay's program. A venue that started it ends it by closing its standard input. */

const STOP_MS_MAX = 5_000;
/** Whose messages are written for operators; by name, since some come from another thread. */
const EXPLAINED: ReadonlySet<string> = new Set([
  'ChainDamagedError',
  'DirectoryLockedError',
  'KeyError',
  'RelayBookDamagedError',
  'SendsDamagedError',
  'SettingError',
]);

// Before anything is written, by whatever thread.
process.umask(OWN_UMASK);
const args = process.argv.slice(2);
const help = helpAsked(args);
if (help === undefined) await main();
else process.stdout.write(settingsHelp(RELAY_SETTINGS, help));

async function main(): Promise<void> {
  const settings = settingsOf();
  const log = createLogger({ level: settings.logLevel });
  const onFatal = (error: unknown): never => {
    log.fatal({ err: error }, 'the relay stops at once');
    process.exit(1);
  };
  let relay: RunningRelay | undefined;
  const logger = stopLogger((why) => log.error({ why }, 'the stop was cut short'));
  closeWithGrace({ delay: STOP_MS_MAX, logger }, async ({ err }) => {
    if (err !== undefined) onFatal(err);
    await relay?.stop();
  });
  const end = (): void => void process.kill(process.pid, 'SIGTERM');
  if (process.env['npm_lifecycle_event'] === 'oddlot') watchParent(end);
  if (process.env['ODDLOT_RELAY_CHILD'] === '1') process.stdin.resume().once('close', end);
  const clock = new VenueClock();
  try {
    // Ends with the process, however that ends.
    lockDirectory(settings.data);
    relay = await openRelay(settings, {
      log,
      onFatal,
      env: process.env,
      now: () => clock.nowMs(),
    });
    process.stdout.write(`Oddlot relay is serving at ${relay.url} (address ${relay.address})\n`);
  } catch (error) {
    const isExplained = error instanceof Error && EXPLAINED.has(error.name);
    if (!isExplained) onFatal(error);
    process.stderr.write(`${(error as Error).message}\n`);
    process.exit(1);
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
