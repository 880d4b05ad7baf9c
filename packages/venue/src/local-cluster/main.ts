import { stopLogger, watchParent } from '@oddlot/host/operate';
import { helpAsked, readSettings, SettingError, settingsHelp } from '@oddlot/host/settings';
import closeWithGrace from 'close-with-grace';
import { LOCAL_CLUSTER_SETTINGS, type LocalCluster, startLocalCluster } from './local-cluster.ts';

/** Runs a complete cluster on one machine (`npm run cluster -- --help`). */

const STOP_MS_MAX = 30_000;

const given = process.argv.slice(2);
const border = given.includes('--') ? given.indexOf('--') : given.length;
const [args, flags] = [given.slice(0, border), given.slice(border + 1)];
const help = helpAsked(args);
if (help === undefined) await main();
else process.stdout.write(settingsHelp(LOCAL_CLUSTER_SETTINGS, help));

async function main(): Promise<void> {
  let cluster: LocalCluster | undefined;
  const logger = stopLogger((why) => process.stderr.write(`shutdown incomplete: ${why}\n`));
  closeWithGrace({ delay: STOP_MS_MAX, logger }, async ({ err }) => {
    if (err !== undefined) process.stderr.write(`${err.stack ?? err.message}\n`);
    await cluster?.stop();
  });
  if (process.env['npm_lifecycle_event'] === 'cluster') {
    watchParent(() => process.kill(process.pid, 'SIGTERM'));
  }
  try {
    const settings = readSettings(LOCAL_CLUSTER_SETTINGS, args);
    const print = (line: string): void => void process.stdout.write(`${line}\n`);
    cluster = await startLocalCluster({ ...settings, flags, print });
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(error instanceof SettingError ? 2 : 1);
  }
}
