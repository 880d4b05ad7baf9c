import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { createClient, privateKeyWallet } from '@oddlot/sdk';
import { createLogger, readConfig, startVenue } from '@oddlot/venue';
import { CliError } from '../cli-error.ts';
import { print } from '../print.ts';
import type { GlobalOptions } from '../surroundings.ts';

type DevOptions = GlobalOptions & {
  readonly port: string;
  readonly accounts: string;
  readonly usdc: string;
  readonly data?: string;
  readonly still?: boolean;
  readonly bots: boolean;
};

const ACCOUNTS_MAX = 100;

/** A venue to develop on. */
export function addDev(program: Command): void {
  program
    .command('dev')
    .summary('a local venue with funded keys, until you press Ctrl-C')
    .description(
      'Starts a venue on this machine with simulated prices and traders, and funds some accounts whose keys everybody knows. ' +
        'Everything is gone at the end, unless --data names a folder.',
    )
    .option('--port <port>', 'where it listens; 0 lets the system choose', '8690')
    .option('--accounts <count>', 'how many are funded', '10')
    .option('--usdc <amount>', 'what each of them gets in perps and in outcome markets', '100000')
    .option('--data <folder>', 'keeps everything there')
    .option('--still', 'prices do not move')
    .option('--no-bots', 'nobody trades but you')
    .action(async (_: unknown, command: Command) => run(command.optsWithGlobals<DevOptions>()));
}

async function run(options: DevOptions): Promise<void> {
  const count = Number(options.accounts);
  if (!Number.isSafeInteger(count) || count < 0 || count > ACCOUNTS_MAX) {
    throw new CliError('usage', `--accounts is a whole number up to ${ACCOUNTS_MAX}`);
  }
  const isKept = options.data !== undefined;
  const data = options.data ?? mkdtempSync(join(tmpdir(), 'oddlot-dev-'));
  const flags = ['--data', data, '--port', options.port];
  // Whoever develops may ask as often as they like.
  const faucet = ['--faucet-usdc', options.usdc, '--faucet-every-ms', '1'];
  const quiet = [
    '--chain',
    'none',
    '--no-limits',
    ...(options.port === '0' ? ['--ops-port', '0'] : []),
  ];
  const prices = options.still === true ? ['--oracle', 'still'] : [];
  const bots = options.bots ? [] : ['--no-bots'];
  const config = configOf([...flags, ...faucet, ...quiet, ...prices, ...bots]);
  const venue = await startVenue(config, {
    log: createLogger({ level: 'warn' }),
    onFatal: (error) => {
      process.stderr.write(`the venue has failed: ${String(error)}\n`);
      process.exit(1);
    },
  });
  const end = async (): Promise<void> => {
    await venue.stop();
    if (!isKept) rmSync(data, { recursive: true, force: true });
  };
  const leave = (): void => void end().finally(() => process.exit(0));
  process.once('SIGINT', leave);
  process.once('SIGTERM', leave);
  const accounts = await fund(venue.url, count).catch(async (error: unknown) => {
    await end();
    throw error;
  });
  const rows = accounts.map(({ address, privateKey }, at) => `(${at}) ${address}  ${privateKey}`);
  const lines = [
    `Oddlot is serving at ${venue.url} (page, /info, /exchange, ${venue.url.replace('http', 'ws')}/ws)`,
    '',
    `${count} accounts with ${options.usdc} test USDC each. Everybody knows these keys: never send money there.`,
    ...rows,
    '',
    'Press Ctrl-C to end it.',
  ];
  print(
    { json: { url: venue.url, operationsUrl: venue.operationsUrl, accounts }, lines },
    options.json,
  );
}

function configOf(flags: readonly string[]): ReturnType<typeof readConfig> {
  try {
    return readConfig(flags, {});
  } catch (error) {
    throw new CliError('usage', (error as Error).message, { cause: error });
  }
}

/** In a folder that is kept they may have money from the last time. */
async function fund(url: string, count: number) {
  const client = createClient({ url });
  const accounts = Array.from({ length: count }, (_, at) => {
    const privateKey = keyOf(at);
    return { address: privateKeyWallet(privateKey).address, privateKey };
  });
  for (const { address: user } of accounts) {
    for (const accountType of ['perp', 'outcome'] as const) {
      const { withdrawable } = await client.info.clearinghouseState({ user, accountType });
      if (Number(withdrawable) === 0) await client.faucet({ user, accountType });
    }
  }
  return accounts;
}

/** The same on every machine. */
function keyOf(at: number): `0x${string}` {
  return `0x${createHash('sha256').update(`oddlot dev account ${at}`).digest('hex')}`;
}
