import { join, resolve } from 'node:path';
import { isDirectoryLocked, lockDirectory } from '@oddlot/host/directory-lock';
import { OWN_UMASK } from '@oddlot/host/durable';
import { stopLogger, watchParent } from '@oddlot/host/operate';
import { checkPorts } from '@oddlot/host/ports';
import { helpAsked, readSettings, SettingError, settingsHelp } from '@oddlot/host/settings';
import closeWithGrace from 'close-with-grace';
import { OWN_CHAIN_SETTINGS } from './settings/own-chain-settings.ts';
import { startOwnChain } from '@oddlot/settlement/own-chain';

/**
 * Runs a local settlement chain in a separate process for the replicas of a cluster (`npm run chain
 * -- --help`). The chain stores its blocks and keys in its folder, from which replicas read the
 * keys (`--chain-keys`), and restores both on a restart.
 */

/** The chain id of the public testnet that this chain replaces. */
const CHAIN_ID = 421_614;
const STOP_MS_MAX = 5_000;
const EXPLAINED: ReadonlySet<string> = new Set([
  'ChainDamagedError',
  'DirectoryLockedError',
  'KeyError',
  'PortError',
  'SettingError',
]);

// The umask must be set before any thread writes a file.
process.umask(OWN_UMASK);
const args = process.argv.slice(2);
const help = helpAsked(args);
if (help === undefined) await main();
else process.stdout.write(settingsHelp(OWN_CHAIN_SETTINGS, help));

async function main(): Promise<void> {
  let close: (() => Promise<void>) | undefined;
  const logger = stopLogger((why) => process.stderr.write(`shutdown incomplete: ${why}\n`));
  closeWithGrace({ delay: STOP_MS_MAX, logger }, async ({ err }) => {
    if (err !== undefined) fail(err);
    await close?.();
  });
  const end = (): void => void process.kill(process.pid, 'SIGTERM');
  if (process.env['npm_lifecycle_event'] === 'chain') watchParent(end);
  try {
    const { data, host, ownerPort, pageOrigins, pagePorts, port } = settingsOf();
    const keys = join(data, 'keys');
    if (!isDirectoryLocked(data)) {
      await checkPorts([
        { port, host, flag: '--port' },
        { port: ownerPort, host: '127.0.0.1', flag: '--owner-port' },
      ]);
    }
    lockDirectory(data);
    const chain = await startOwnChain({
      chainId: CHAIN_ID,
      keys,
      directory: join(data, 'chain'),
      listen: { port, host, pageOrigins, trustedProxies: [] },
      listenForOwner: { port: ownerPort, host: '127.0.0.1' },
      onLost: fail,
    });
    for (const page of pagePorts) chain.allowPage(page);
    close = chain.close;
    process.stdout.write(
      `Oddlot chain is serving at ${chain.url} (replicas: --chain ${chain.ownerUrl} --chain-keys ${keys} --settlement-rpc-url ${chain.url})\n`,
    );
  } catch (error) {
    fail(error);
  }
}

function settingsOf() {
  const { data, ownerPort, port, ...rest } = readSettings(OWN_CHAIN_SETTINGS, args);
  return {
    ...rest,
    data: resolve(data),
    port,
    ownerPort: ownerPort ?? (port === 0 ? 0 : port + 1),
  };
}

function fail(error: unknown): never {
  const isExplained = error instanceof Error && EXPLAINED.has(error.name);
  const text =
    error instanceof Error && !isExplained ? error.stack : String((error as Error).message);
  process.stderr.write(`${text}\n`);
  process.exit(error instanceof SettingError ? 2 : 1);
}
