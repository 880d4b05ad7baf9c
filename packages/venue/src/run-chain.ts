import { join, resolve } from 'node:path';
import { lockDirectory } from '@oddlot/host/directory-lock';
import { OWN_UMASK } from '@oddlot/host/durable';
import { watchParent } from '@oddlot/host/operate';
import { readFlags, SettingError } from '@oddlot/host/settings';
import closeWithGrace from 'close-with-grace';
import { startOwnChain } from './settlement/own-chain.ts';

/**
 * A local settlement chain in a process of its own, for the replicas of a cluster: `npm run chain -- --help`. It keeps its blocks
 * and its keys in its folder, which replicas read (`--chain-keys`), and comes back with both.
 */

const HELP = `npm run chain -- [--data DIR] [--port P] [--owner-port P] [--host H] [--page-ports P,P] [--page-origins URL,URL]

Runs a settlement chain where money is not real, with test USDC and the bridge on it, for the replicas of a cluster.

  --data DIR           where its blocks (chain/) and keys (keys/) are; ./chain-data where nothing is said
  --port P             JSON-RPC for wallets, with limits; 8693, 0 for any free one
  --owner-port P       JSON-RPC for replicas, without limits and on this machine alone; the port + 1
  --host H             interface of the port for wallets; 127.0.0.1
  --page-ports P,P     ports of this machine whose trading page may ask
  --page-origins U,U   the same for pages that a proxy shows, like https://venue.example

When it serves it prints one line:
  Oddlot chain is serving at http://127.0.0.1:8693 (replicas: --chain http://127.0.0.1:8694 --chain-keys DIR/keys --settlement-rpc-url http://127.0.0.1:8693)
`;

/** The chain id of the public testnet whose place it takes. */
const CHAIN_ID = 421_614;
const STOP_MS_MAX = 5_000;
const EXPLAINED: ReadonlySet<string> = new Set([
  'ChainDamagedError',
  'DirectoryLockedError',
  'KeyError',
  'SettingError',
]);

// Before anything is written, by whatever thread.
process.umask(OWN_UMASK);
const args = process.argv.slice(2);
if (args.includes('--help')) process.stdout.write(HELP);
else await main();

async function main(): Promise<void> {
  let close: (() => Promise<void>) | undefined;
  closeWithGrace({ delay: STOP_MS_MAX, logger: false }, async ({ err }) => {
    if (err !== undefined) fail(err);
    await close?.();
  });
  const end = (): void => void process.kill(process.pid, 'SIGTERM');
  if (process.env['npm_lifecycle_event'] === 'chain') watchParent(end);
  try {
    const { data, host, ownerPort, pageOrigins, pagePorts, port } = options();
    const keys = join(data, 'keys');
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

function options() {
  const { values } = readFlags(args, {
    data: { type: 'string', default: './chain-data' },
    port: { type: 'string', default: '8693' },
    'owner-port': { type: 'string' },
    host: { type: 'string', default: '127.0.0.1' },
    'page-ports': { type: 'string', default: '' },
    'page-origins': { type: 'string', default: '' },
  });
  const port = portOf('port', values.port);
  return {
    data: resolve(values.data),
    port,
    ownerPort: portOf('owner-port', values['owner-port'] ?? String(port === 0 ? 0 : port + 1)),
    host: values.host,
    pagePorts: listOf(values['page-ports']).map((each) => portOf('page-ports', each)),
    pageOrigins: listOf(values['page-origins']),
  };
}

function portOf(flag: string, text: string): number {
  const port = Number(text);
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw new SettingError(`${flag}: ${text} is no port; 0 to 65535`);
}

function listOf(text: string): readonly string[] {
  return text.split(',').filter((each) => each !== '');
}

function fail(error: unknown): never {
  const isExplained = error instanceof Error && EXPLAINED.has(error.name);
  const text =
    error instanceof Error && !isExplained ? error.stack : String((error as Error).message);
  process.stderr.write(`${text}\n`);
  process.exit(1);
}
