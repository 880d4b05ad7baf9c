import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { parseArgs, type ParseArgsOptionsConfig } from 'node:util';
import { parse as parseToml } from 'smol-toml';
import { Address } from '@oddlot/protocol';
import { z } from 'zod';
import { BUDGET_SETTINGS } from './edge/budgets.ts';
import { clientIpFinder } from './edge/client-ip.ts';
import { ExchangeSetting } from './oracle/exchanges/exchange-setting.ts';

/**
 * How a venue is told what to do: flags win over environment variables, those over a TOML file,
 * those over the defaults. Unknown keys are errors: a misspelt setting must not pass for a default.
 */

const port = z.int().min(0).max(65_535);
const count = z.int().min(1);
const ADMINS_MAX = 20;

const ConfigSchema = z.strictObject({
  /** Interface to listen on. */
  host: z.string().default('127.0.0.1'),
  /** HTTP and WebSocket; 0 takes any free port. */
  port: port.default(8690),
  /** Metrics and health; 0 takes any free port. */
  opsPort: port.default(8692),
  /** Folder of the log, snapshots and receipts. */
  data: z.string().min(1).default('./data'),
  network: z.enum(['testnet', 'mainnet']).default('testnet'),
  /** Prices of perps: a random walk, the same ones for ever, or those of real exchanges. */
  oracle: z.enum(['simulated', 'still', 'exchanges']).default('simulated'),
  oracleEveryMs: count.default(1_000),
  /** Prices of what outcome markets are about; by default as the oracle where bots trade, else none. */
  referencePrices: z.enum(['simulated', 'still', 'exchanges', 'none']).optional(),
  referenceSymbols: z
    .array(z.string().regex(/^[A-Z0-9]{1,12}$/))
    .default(['BTC', 'ETH', 'SOL', 'XRP', 'DOGE', 'BNB']),
  /** Where prices come from, the market of `spot` first; names, or tables with `url` and `weight`. */
  exchanges: z.array(ExchangeSetting).min(1).prefault(['binance', 'coinbase', 'kraken']),
  exchangesMin: count.default(2),
  exchangeSilentMs: count.default(10_000),
  exchangeOutlierBps: count.default(100),
  /** Test money; a mainnet has none in any case. */
  faucet: z.boolean().default(true),
  faucetUsdc: count.default(1_000),
  faucetEveryMs: count.default(3_600_000),
  /** False lifts every rate, connection and frame limit: for load tests. */
  limits: z.boolean().default(true),
  infoPerSecond: count.default(50),
  exchangePerSecond: count.default(10),
  explainPerSecond: count.default(5),
  simulatePerSecond: count.default(10),
  ...BUDGET_SETTINGS,
  trustedProxies: z
    .array(z.string())
    .default([])
    .refine(isNetworkList, 'holds something that is not an address or a network'),
  confirmTimeoutMs: count.default(10_000),
  snapshotEveryBlocks: count.default(20_000),
  snapshotEveryCommands: count.default(500_000),
  receiptsKeptMs: count.default(31 * 24 * 3_600_000),
  recoverWorkers: count.default(Math.max(1, availableParallelism() - 1)),
  /** Who may send the operator's actions. They enter a new venue's log with its first block. */
  admins: z.array(Address).max(ADMINS_MAX).default([]),
  /** Who may deploy outcome markets, in the same way; by default the admins. */
  deployers: z.array(Address).max(ADMINS_MAX).optional(),
  /** Simulated traders; by default where the prices are simulated. A mainnet has none in any case. */
  bots: z.boolean().optional(),
  /** Outcome markets that are listed and resolved by themselves; by default where bots trade. */
  exhibition: z.boolean().optional(),
  relayUrl: z.string().default('http://127.0.0.1:8691'),
  logLevel: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
  /** Test hook: `slow-sync:MS` delays every sync of the journal. */
  fault: z.string().optional(),
});

export type Config = z.infer<typeof ConfigSchema>;

type Key = keyof Config;
const KEYS = Object.keys(ConfigSchema.shape) as Key[];
/** Keys that are switches: `--no-faucet` and `--faucet`. */
const SWITCHES: ReadonlySet<Key> = new Set<Key>(['faucet', 'limits', 'bots', 'exhibition']);
const LISTS: ReadonlySet<Key> = new Set<Key>([
  'trustedProxies',
  'admins',
  'deployers',
  'referenceSymbols',
  'exchanges',
]);
const TEXTS: ReadonlySet<Key> = new Set<Key>([
  'host',
  'data',
  'network',
  'oracle',
  'referencePrices',
  'relayUrl',
  'logLevel',
  'fault',
]);

/** Whether simulated traders run: as told, else where the prices are simulated too. */
export function hasBots({ bots, network, oracle }: Config): boolean {
  return network === 'testnet' && (bots ?? oracle === 'simulated');
}

/** Whether events are put on for the simulated traders: as told, else where those are. */
export function hasExhibition(config: Config): boolean {
  return config.network === 'testnet' && (config.exhibition ?? hasBots(config));
}

/** Where reference prices come from: as told, else as the oracle's where simulated traders are. */
export function referencePricesOf(config: Config): NonNullable<Config['referencePrices']> {
  return config.referencePrices ?? (hasBots(config) ? config.oracle : 'none');
}

/** A setting that cannot be used; its message is meant for the operator. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** Reads the configuration of a process. */
export function readConfig(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Config {
  const flags = readFlags(args);
  const file = flags['config'] ?? env['ODDLOT_CONFIG'];
  const settings: Record<string, unknown> = file === undefined ? {} : readFile(String(file));
  for (const key of KEYS) {
    const fromEnv = env[envName(key)];
    if (fromEnv !== undefined) settings[key] = fromText(key, fromEnv, envName(key));
    const flag = flags[flagName(key)];
    if (flag !== undefined) {
      settings[key] =
        typeof flag === 'boolean' ? flag : fromText(key, String(flag), `--${flagName(key)}`);
    }
  }
  const parsed = ConfigSchema.safeParse(settings);
  if (parsed.success) {
    assertRealPrices(parsed.data);
    return parsed.data;
  }
  const issue = parsed.error.issues[0];
  const where =
    issue === undefined || issue.path.length === 0 ? 'configuration' : issue.path.join('.');
  throw new ConfigError(`${where}: ${issue?.message ?? 'invalid'}`);
}

/** Markets with real money must not be settled by a random walk. */
function assertRealPrices({ network, referencePrices }: Config): void {
  if (network === 'testnet' || referencePrices === undefined) return;
  if (referencePrices === 'exchanges' || referencePrices === 'none') return;
  throw new ConfigError(`referencePrices: a mainnet has none that are ${referencePrices}`);
}

function isNetworkList(networks: readonly string[]): boolean {
  try {
    clientIpFinder(networks);
    return true;
  } catch {
    return false;
  }
}

/** `--snapshot-every-blocks`. */
function flagName(key: string): string {
  return key.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** `ODDLOT_SNAPSHOT_EVERY_BLOCKS`. */
function envName(key: string): string {
  return `ODDLOT_${flagName(key).replaceAll('-', '_').toUpperCase()}`;
}

function readFlags(args: readonly string[]): Record<string, unknown> {
  const options: ParseArgsOptionsConfig = { config: { type: 'string' } };
  for (const key of KEYS) {
    options[flagName(key)] = { type: SWITCHES.has(key) ? 'boolean' : 'string' };
  }
  try {
    return parseArgs({ args: [...args], options, allowNegative: true, strict: true }).values;
  } catch (error) {
    throw new ConfigError(error instanceof Error ? error.message : String(error));
  }
}

function readFile(path: string): Record<string, unknown> {
  try {
    return { ...parseToml(readFileSync(path, 'utf8')) };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new ConfigError(`${path}: ${why}`);
  }
}

function fromText(key: Key, text: string, source: string): unknown {
  if (TEXTS.has(key)) return text;
  if (LISTS.has(key)) return text.split(',').map((part) => part.trim());
  if (SWITCHES.has(key)) {
    if (text === 'true' || text === 'false') return text === 'true';
    throw new ConfigError(`${source} must be true or false: ${text}`);
  }
  if (!/^[0-9]+$/.test(text)) throw new ConfigError(`${source} must be a whole number: ${text}`);
  return Number(text);
}

/** What `--help` prints. */
export const HELP = `Oddlot: a trading venue that anyone can run.

  npm start -- [flags]

${KEYS.map((key) => `  ${flagUsage(key)}`).join('\n')}
  --config FILE                   settings from a TOML file, with the names above in camelCase

Flags win over environment variables (ODDLOT_PORT, ODDLOT_DATA, …), those over the file.
`;

function flagUsage(key: Key): string {
  const { defaultValue } = ConfigSchema.shape[key].def as { defaultValue?: unknown };
  const flag = SWITCHES.has(key) ? `--no-${flagName(key)}` : `--${flagName(key)} VALUE`;
  const shown = Array.isArray(defaultValue) ? '' : String(defaultValue ?? '');
  return SWITCHES.has(key) ? flag : `${flag.padEnd(32)}${shown}`;
}
