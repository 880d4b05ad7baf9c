import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { openInOrder } from '@oddlot/host/open-in-order';
import { createClient, privateKeyWallet, type Wallet } from '@oddlot/sdk';
import { serveControls, startVenue as startVenueInHand } from '@oddlot/testkit';
import { createLogger } from '@oddlot/host/log';
import { readConfig, startVenue } from '@oddlot/venue';
import { CliError } from '../cli-error.ts';
import { EXAMPLE_MAKERS, ExampleMakers } from '../example-makers.ts';
import { print } from '../print.ts';
import type { GlobalOptions } from '../command-context.ts';

type DevOptions = GlobalOptions & {
  readonly port: string;
  readonly accounts: string;
  readonly usdc: string;
  readonly data?: string;
  readonly still?: boolean;
  readonly bots: boolean;
  readonly liquidity?: string;
  readonly controls?: string;
  /** True if the option is given without a port. */
  readonly hyperliquid?: string | true;
};

const ACCOUNTS_MAX = 100;
const HYPERLIQUID_PORT = 8694;

/** Adds the command that starts a venue for development. */
export function addDev(program: Command): void {
  program
    .command('dev')
    .summary('Start a local venue with funded test accounts')
    .description(
      'Starts a venue on this machine with simulated prices and traders, and funds ' +
        'accounts with publicly known keys. Runs until you press Ctrl-C, then deletes all ' +
        'data unless --data is set.',
    )
    .option('--port <port>', 'Venue port; 0 selects a free port', '8690')
    .option('--accounts <count>', 'Number of funded accounts', '10')
    .option('--usdc <amount>', 'USDC credited to each sub-account (perp and outcome)', '100000')
    .option(
      '--data <folder>',
      'Folder for all data, kept after the venue stops (default: a temporary folder)',
    )
    .option('--still', 'Keep prices constant')
    .option('--no-bots', 'Do not run simulated traders')
    .option(
      '--liquidity <whose>',
      '`examples`: start two example market makers instead of simulated traders',
    )
    .option(
      '--controls <port>',
      'Local port for controlling the clock, prices and faults; no simulated traders run, ' +
        'and no data is kept',
    )
    .option(
      '--hyperliquid [port]',
      `Local port for clients of Hyperliquid; 0 selects a free port (default: ${HYPERLIQUID_PORT})`,
    )
    .action(async (_: unknown, command: Command) => run(command.optsWithGlobals<DevOptions>()));
}

async function run(options: DevOptions): Promise<void> {
  const count = Number(options.accounts);
  if (!Number.isSafeInteger(count) || count < 0 || count > ACCOUNTS_MAX) {
    throw new CliError(
      'usage',
      `Invalid --accounts. Use a whole number from 0 to ${ACCOUNTS_MAX}.`,
    );
  }
  if (options.controls !== undefined) return runInHand(options, count);
  return openInOrder(
    (opened) => runByTheClock(options, count, opened),
    (error) => process.stderr.write(`The venue did not stop cleanly: ${String(error)}\n`),
  );
}

async function runByTheClock(
  options: DevOptions,
  count: number,
  opened: AsyncDisposableStack,
): Promise<void> {
  const company = liquidityFlags(options);
  const data = options.data ?? temporaryFolder(opened);
  const flags = ['--data', data, '--port', options.port];
  const hyperliquidPort = hyperliquidPortOf(options);
  if (hyperliquidPort !== undefined) flags.push('--hyperliquid', String(hyperliquidPort));
  const faucet = faucetFlags(options);
  const quiet = [
    '--chain',
    'none',
    '--no-limits',
    ...(options.port === '0' ? ['--ops-port', '0'] : []),
  ];
  const prices = options.still === true ? ['--oracle', 'still'] : [];
  const config = configOf([...flags, ...faucet, ...quiet, ...prices, ...company]);
  const venue = await startVenue(config, {
    log: createLogger({ level: 'warn' }),
    onFatal: (error) => {
      process.stderr.write(`The venue failed: ${String(error)}\n`);
      process.exit(1);
    },
  }).catch((error: unknown) => {
    throw portFault(error) ?? error;
  });
  opened.defer(venue.stop);
  const leave = (): void => void opened.disposeAsync().finally(() => process.exit(0));
  process.once('SIGINT', leave);
  process.once('SIGTERM', leave);
  const { hyperliquidUrl, operationsUrl, url } = venue;
  const quoting = options.liquidity === undefined ? [] : EXAMPLE_MAKERS;
  const [accounts, makerAccounts] = await fundAll(url, count, quoting);
  if (quoting.length > 0) {
    const makers = new ExampleMakers(url, makerAccounts);
    opened.defer(() => makers.stop());
  }
  const notes = [
    ...(quoting.length === 0 ? [] : [`Example market makers: ${quoting.join(' and ')}.`]),
    ...hyperliquidNotes(hyperliquidUrl),
  ];
  const lines = greeting({ url, accounts, usdc: options.usdc, notes });
  const named = quoting.map((name, at) => ({ name, address: makerAccounts[at]!.address }));
  const json = { url, operationsUrl, hyperliquidUrl, accounts };
  const makers = named.length === 0 ? {} : { makers: named };
  print({ json: { ...json, ...makers }, lines }, options.json);
}

function temporaryFolder(opened: AsyncDisposableStack): string {
  const folder = mkdtempSync(join(tmpdir(), 'oddlot-dev-'));
  opened.defer(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Returns the flags for demo liquidity: bots, the examples, or none. */
function liquidityFlags({ bots, liquidity, still }: DevOptions): readonly string[] {
  if (liquidity === undefined) return bots ? [] : ['--no-bots'];
  if (liquidity !== 'examples') throw new CliError('usage', 'Invalid --liquidity. Use `examples`.');
  // The examples need demo events that they can quote, and reference prices for them.
  return [
    '--no-bots',
    '--exhibition',
    '--reference-prices',
    still === true ? 'still' : 'simulated',
  ];
}

/** Runs the testkit's venue. Clients control its clock, prices and faults through a port. */
async function runInHand(options: DevOptions, count: number): Promise<void> {
  if (options.liquidity !== undefined) {
    throw new CliError(
      'usage',
      '--liquidity and --controls cannot be combined, because the example makers use the ' +
        'system clock. Use only one of them.',
    );
  }
  if (options.data !== undefined) {
    throw new CliError(
      'usage',
      '--data and --controls cannot be combined, because a controlled venue can go back in ' +
        'time and stores nothing. Use only one of them.',
    );
  }
  const [port, controlsPort] = [
    portOf('--port', options.port),
    portOf('--controls', options.controls),
  ];
  const faucet = faucetFlags(options);
  configOf(['--faucet-usdc', options.usdc]);
  // Clients derive their nonces from the machine's clock.
  const time = Date.now();
  const hyperliquid = hyperliquidPortOf(options);
  const venue = await startVenueInHand({
    time,
    accounts: 0,
    page: true,
    flags: faucet,
    ...(hyperliquid === undefined ? {} : { hyperliquid }),
  }).catch((error: unknown) => {
    throw portFault(error) ?? error;
  });
  const accounts = accountsOf(count);
  try {
    for (const { address } of accounts) {
      await venue.fund(address, { perp: options.usdc, outcome: options.usdc });
    }
    const url = await venue.openPort(port);
    const controls = await serveControls(venue, {
      port: controlsPort,
      onFatal: (error) => {
        process.stderr.write(`The venue failed: ${String(error)}\n`);
        process.exit(1);
      },
    });
    const leave = (): void =>
      void controls
        .stop()
        .then(() => venue.stop())
        .finally(() => process.exit(0));
    process.once('SIGINT', leave);
    process.once('SIGTERM', leave);
    const hyperliquidUrl = hyperliquid === undefined ? undefined : venue.hyperliquidUrl;
    const notes = [
      `Controls at ${controls.url}. Every user on this machine can use them.`,
      ...hyperliquidNotes(hyperliquidUrl),
    ];
    const lines = greeting({ url, accounts, usdc: options.usdc, notes });
    const json = { url, controlsUrl: controls.url, hyperliquidUrl, accounts };
    print({ json, lines }, options.json);
  } catch (error) {
    await venue.stop();
    throw portFault(error) ?? error;
  }
}

function portOf(flag: string, text = ''): number {
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port < 65_536) return port;
  throw new CliError('usage', `Invalid ${flag}. Use a port from 0 to 65535.`);
}

/** Returns the port, or undefined if the option is not given. */
function hyperliquidPortOf({ hyperliquid }: DevOptions): number | undefined {
  if (hyperliquid === undefined) return undefined;
  return hyperliquid === true ? HYPERLIQUID_PORT : portOf('--hyperliquid', hyperliquid);
}

/** Developers can use the faucet without limits, and Hyperliquid bots need not request funds. */
function faucetFlags({ hyperliquid, usdc }: DevOptions): readonly string[] {
  const flags = ['--faucet-usdc', usdc, '--faucet-every-ms', '1'];
  return hyperliquid === undefined ? flags : [...flags, '--hyperliquid-faucet'];
}

function hyperliquidNotes(url: string | undefined): readonly string[] {
  if (url === undefined) return [];
  return [
    `Hyperliquid API at ${url} (${url.replace('http', 'ws')}/ws). Its signatures are also valid ` +
      "on Hyperliquid's testnet: never use keys that hold funds on any network.",
  ];
}

function portFault(error: unknown): CliError | undefined {
  const { code, port } = error as { readonly code?: string; readonly port?: number };
  if (code !== 'EADDRINUSE') return undefined;
  return new CliError('usage', `Port ${port} is already in use. Choose another one.`, {
    cause: error,
  });
}

type Account = { readonly address: Wallet['address']; readonly privateKey: `0x${string}` };

function greeting(what: {
  readonly url: string;
  readonly accounts: readonly Account[];
  readonly usdc: string;
  readonly notes: readonly string[];
}): readonly string[] {
  const { accounts, notes, url, usdc } = what;
  return [
    `Oddlot is running at ${url} (page, /info, /exchange, ${url.replace('http', 'ws')}/ws)`,
    ...notes,
    '',
    `${accounts.length} accounts with ${usdc} test USDC in each sub-account. Their keys are ` +
      'public: never send real funds to them.',
    ...accounts.map(({ address, privateKey }, at) => `(${at}) ${address}  ${privateKey}`),
    '',
    'Press Ctrl-C to stop.',
  ];
}

function configOf(flags: readonly string[]): ReturnType<typeof readConfig> {
  try {
    return readConfig(flags, {});
  } catch (error) {
    throw new CliError('usage', (error as Error).message, { cause: error });
  }
}

/** Funds the test accounts, except those in an existing folder that already have funds. */
async function fundAll(url: string, count: number, makers: readonly string[]) {
  const accounts = accountsOf(count);
  const others = makers.map((name) => accountOf(`maker ${name}`));
  await fund(url, [...accounts, ...others]);
  return [accounts, others] as const;
}

async function fund(url: string, accounts: readonly Account[]): Promise<void> {
  const client = createClient({ url });
  for (const { address: user } of accounts) {
    for (const accountType of ['perp', 'outcome'] as const) {
      const { withdrawable } = await client.info.clearinghouseState({ user, accountType });
      if (Number(withdrawable) === 0) await client.faucet({ user, accountType });
    }
  }
}

function accountsOf(count: number): readonly Account[] {
  return Array.from({ length: count }, (_, at) => accountOf(`account ${at}`));
}

/** Returns an account whose key is the same on every machine. */
function accountOf(name: string): Account {
  const digest = createHash('sha256').update(`oddlot dev ${name}`).digest('hex');
  const privateKey = `0x${digest}` as const;
  return { address: privateKeyWallet(privateKey).address, privateKey };
}
