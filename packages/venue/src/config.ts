import { availableParallelism } from 'node:os';
import { isAbsolute, relative, resolve } from 'node:path';
import { parseArgs, type ParseArgsOptionsConfig } from 'node:util';
import { CHAIN_DOOR_SETTINGS } from '@oddlot/host/chain-door-settings';
import { clientIpFinder } from '@oddlot/host/ports';
import { Address, SERVICE_WORD } from '@oddlot/protocol';
import { z } from 'zod';
import { ConfigError, envName, flagName, readConfigFile } from './config-sources.ts';
import { BUDGET_SETTINGS } from './edge/budgets.ts';
import { ExchangeSetting } from './oracle/exchanges/exchange-setting.ts';

export { ConfigError, envName, flagName } from './config-sources.ts';

/**
 * How a venue is told what to do: flags win over environment variables, those over a TOML file,
 * those over the defaults. Unknown keys are errors: a misspelt setting must not pass for a default.
 */

const PORT_MAX = 65_535;
const port = z.int().min(0).max(PORT_MAX);
const count = z.int().min(1);
/** For ever, or so many days. */
const keep = z.union([z.literal('all'), count]);
const ADMINS_MAX = 20;

const ConfigSchema = z.strictObject({
  /** Interface to listen on. */
  host: z.string().default('127.0.0.1'),
  /** HTTP and WebSocket; 0 takes any free port. */
  port: port.default(8690),
  /** Interface of the operations port: what opens the venue to the world does not open this. */
  opsHost: z.string().default('127.0.0.1'),
  /** Metrics and health; by default two above the port, and any free one where that is 0. */
  opsPort: port.optional(),
  /** Folder of the log, snapshots and the history. */
  data: z.string().min(1).default('./data'),
  /** PostgreSQL for the history, as a URL; by default it is a file in the data folder. */
  database: z
    .string()
    .regex(/^postgres(ql)?:\/\//, 'must be a URL like postgres://user@host/name')
    .optional(),
  network: z.enum(['testnet', 'mainnet']).default('testnet'),
  /** The word that the deployment's own name begins with; that is drawn with the folder. */
  serviceNetwork: z
    .string()
    .regex(
      SERVICE_WORD,
      'must be 3 to 55 letters, digits and dots, the first no dot, like example.org',
    )
    .optional(),
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
  /** Test money; by default where money is not real. */
  faucet: z.boolean().optional(),
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
  /** How long old parts of the log are kept, in days; by default for ever, but a day where bots trade. */
  logKeep: keep.optional(),
  /** How long rows of the history are kept, in days; the same by default. Receipts have their own time. */
  historyKeep: keep.optional(),
  /** Free bytes of the data folder below which nothing new is taken (R-disk). */
  diskLowBytes: z
    .int()
    .min(0)
    .default(2 ** 30),
  /** Free bytes below which nothing is written at all. */
  diskFullBytes: z
    .int()
    .min(0)
    .default(2 ** 28),
  /** Goes on where the log is ahead of the wall clock, at half speed until that is right (R-clock). */
  acceptClock: z.boolean().default(false),
  receiptsKeptMs: count.default(31 * 24 * 3_600_000),
  recoverWorkers: count.default(Math.max(1, availableParallelism() - 1)),
  /** Who may send the operator's actions. They enter a new venue's log with its first block. */
  admins: z.array(Address).max(ADMINS_MAX).default([]),
  /** Who may deploy outcome markets, in the same way; by default the admins. */
  deployers: z.array(Address).max(ADMINS_MAX).optional(),
  /** Simulated traders; by default where the prices are simulated. */
  bots: z.boolean().optional(),
  /** Outcome markets that are listed and resolved by themselves; by default where bots trade. */
  exhibition: z.boolean().optional(),
  /** The trading page at `/`. */
  web: z.boolean().default(true),
  /** A relay in a process of its own; by default where the chain is local. */
  relay: z.boolean().optional(),
  /** What settings show; by default the venue's own relay. */
  relayUrl: z.string().optional(),
  /** Who may name pegs; the venue's own relay in any case. */
  relayAddress: Address.optional(),
  /** The settlement chain: `local`, `none`, or URLs of endpoints; by default local where there is a faucet. */
  chain: z
    .string()
    .regex(
      /^(local|none|https?:\/\/[^,\s]+(,\s*https?:\/\/[^,\s]+)*)$/,
      'must be local, none, or URLs',
    )
    .optional(),
  /** JSON-RPC of the local chains: what opens the venue to the world does not open these. */
  ...CHAIN_DOOR_SETTINGS,
  chainPort: port.optional(),
  /** Blocks that a deposit needs, its own included; by default 1 on the local chain, else 20. */
  chainConfirmations: count.optional(),
  chainEveryMs: count.optional(),
  /** What the venue's transactions offer at most for a unit of gas, of it as a tip, and when they offer more. */
  chainMaxFeeGwei: count.default(500),
  chainMaxTipGwei: count.default(20),
  chainBumpAfterMs: count.default(30_000),
  /** The block by which the operator accepts a chain that lost what was confirmed. */
  acceptReorganisation: z
    .string()
    .regex(/^0x[0-9a-fA-F]{64}$/, 'must be the hash of a block')
    .optional(),
  /** Contracts of a chain that is not local, and the block that the bridge was made in. */
  bridgeContract: Address.optional(),
  usdcContract: Address.optional(),
  bridgeFromBlock: z.int().min(0).default(0),
  /** How often what is owed and what there is goes into the log: at multiples of it since 1970, UTC. */
  reservesEveryMs: z.int().min(1_000).default(86_400_000),
  /** Bridges that this one follows: what they pay over to it is nobody's deposit. */
  formerBridges: z.array(Address).default([]),
  /** An endpoint for wallets, shown in settings; by default the local chain's own. */
  settlementRpcUrl: z.string().optional(),
  /** Where the key is that sends permits and payouts: the path of a file, or `env:NAME`. */
  relayerKey: z.string().optional(),
  /** Keys that sign payouts inside of this process, in the same way; and processes that sign, by URL. */
  validatorKeys: z.array(z.string().min(1)).default([]),
  validators: z.array(z.string().regex(/^https?:\/\/\S+$/, 'must be a URL')).default([]),
  /** A payout that the token refuses for this long is cancelled and returned to its account. */
  payoutPatienceMs: count.default(600_000),
  logLevel: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
  /** Test hook: `slow-sync:MS` delays every sync of the journal. */
  fault: z.string().optional(),
});

export type Config = z.infer<typeof ConfigSchema>;

export type ConfigKey = keyof Config;
type Key = ConfigKey;
export const CONFIG_KEYS = Object.keys(ConfigSchema.shape) as Key[];
/** Keys that are switches: `--no-faucet` and `--faucet`. */
export const SWITCHES: ReadonlySet<Key> = new Set<Key>([
  'faucet',
  'limits',
  'bots',
  'exhibition',
  'web',
  'acceptClock',
  'relay',
]);
const LISTS: ReadonlySet<Key> = new Set<Key>([
  'trustedProxies',
  'admins',
  'deployers',
  'referenceSymbols',
  'exchanges',
  'formerBridges',
  'validatorKeys',
  'validators',
  'pageOrigins',
]);
const TEXTS: ReadonlySet<Key> = new Set<Key>([
  'host',
  'opsHost',
  'chainHost',
  'data',
  'database',
  'network',
  'serviceNetwork',
  'oracle',
  'referencePrices',
  'relayUrl',
  'relayAddress',
  'chain',
  'acceptReorganisation',
  'bridgeContract',
  'usdcContract',
  'settlementRpcUrl',
  'relayerKey',
  'logLevel',
  'fault',
]);

/** Keys that are days or `all`. */
const KEEPS: ReadonlySet<Key> = new Set<Key>(['logKeep', 'historyKeep']);

/** Keys that are no more, and what to say to who sets them. */
const FORMER_KEYS: Readonly<Record<string, string>> = {
  keepLog: 'is now logKeep: all, or the number of days that old parts of the log are kept',
};

/** What lies between the port and the operations port that follows it: the relay's. */
const OPERATIONS_PORT_DISTANCE = 2;

/** Where metrics and health are served: as told, else beside the port. */
export function operationsPortOf({ opsPort, port: main }: Config): number {
  return opsPort ?? (main === 0 ? 0 : main + OPERATIONS_PORT_DISTANCE);
}

/** What lies between the port and that of the local chain: the relay's and the operations port. */
const CHAIN_PORT_DISTANCE = 3;
const LOCAL_CHAIN = { confirmations: 1, everyMs: 250 };
const REMOTE_CHAIN = { confirmations: 20, everyMs: 2_000 };

/** The settlement chain: as told, else the venue's own where money is not real. */
export function chainOf(config: Config): 'local' | 'none' | readonly string[] {
  const told = config.chain ?? (hasFaucet(config) ? 'local' : 'none');
  return told === 'local' || told === 'none' ? told : told.split(',').map((url) => url.trim());
}

/** Where the local chain listens: as told, else beside the port. */
export function chainPortOf({ chainPort, port: main }: Config): number {
  return chainPort ?? (main === 0 ? 0 : main + CHAIN_PORT_DISTANCE);
}

/** The relay's own port, and that of the second chain that it runs where money is play money. */
const RELAY_PORT_DISTANCE = { relay: 1, chain: 4 };

/** Whether the venue starts a relay: as told, else where the chain is its own. */
export function hasRelay(config: Config): boolean {
  return chainOf(config) === 'local' && config.relay !== false;
}

export function relayPortsOf({ port: main }: Config): {
  readonly port: number;
  readonly chainPort: number;
} {
  const { chain, relay } = RELAY_PORT_DISTANCE;
  return main === 0 ? { port: 0, chainPort: 0 } : { port: main + relay, chainPort: main + chain };
}

/** The settings that say where keys are, and where that is. */
export function keyPlacesOf({ relayerKey, validatorKeys }: Config) {
  return { relayerKey: relayerKey === undefined ? [] : [relayerKey], validatorKeys };
}

/** How sure and how often the chain is read. */
export function chainPaceOf(config: Config): typeof LOCAL_CHAIN {
  const pace = chainOf(config) === 'local' ? LOCAL_CHAIN : REMOTE_CHAIN;
  const { chainConfirmations, chainEveryMs } = config;
  return {
    confirmations: chainConfirmations ?? pace.confirmations,
    everyMs: chainEveryMs ?? pace.everyMs,
  };
}

/** Whether simulated traders run: as told, else where the prices are simulated too. */
export function hasBots({ bots, oracle }: Config): boolean {
  return bots ?? oracle === 'simulated';
}

/** Whether events are put on for the simulated traders: as told, else where those are. */
export function hasExhibition(config: Config): boolean {
  return config.exhibition ?? hasBots(config);
}

/** Whether test money is given away: as told, else where money is not real. */
export function hasFaucet({ chain, faucet, network }: Config): boolean {
  return faucet ?? hasPlayMoney({ chain, network });
}

/** A chain whose money others made: what the venue gave away there would be the depositors'. */
function isElsewhere(chain: Config['chain']): boolean {
  return chain !== undefined && chain !== 'local' && chain !== 'none';
}

/** Whether the money is play money of the venue's own: only such venues may share a name. */
export function hasPlayMoney({ chain, network }: Pick<Config, 'chain' | 'network'>): boolean {
  return network === 'testnet' && !isElsewhere(chain);
}

/** Where reference prices come from: as told, else as the oracle's where simulated traders are. */
export function referencePricesOf(config: Config): NonNullable<Config['referencePrices']> {
  return config.referencePrices ?? (hasBots(config) ? config.oracle : 'none');
}

/** Reads the configuration of a process. */
export function readConfig(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Config {
  assertNoFormer({ args, env });
  const flags = readFlags(args);
  const file = flags['config'] ?? env['ODDLOT_CONFIG'];
  const settings: Record<string, unknown> = file === undefined ? {} : readConfigFile(String(file));
  assertNoFormer({ settings });
  for (const key of CONFIG_KEYS) {
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
    assertReal(parsed.data);
    assertTogether(parsed.data);
    return parsed.data;
  }
  const issue = parsed.error.issues[0];
  const where =
    issue === undefined || issue.path.length === 0 ? 'configuration' : issue.path.join('.');
  throw new ConfigError(`${where}: ${issue?.message ?? 'invalid'}`);
}

/** A setting that is no more must not pass for one that nobody made. */
function assertNoFormer(given: {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly settings?: Readonly<Record<string, unknown>>;
}): void {
  const { args = [], env = {}, settings = {} } = given;
  for (const [key, now] of Object.entries(FORMER_KEYS)) {
    const flags = [`--${flagName(key)}`, `--no-${flagName(key)}`];
    const flag = args.find((arg) => flags.includes(arg.split('=')[0] ?? ''));
    const isSet = flag !== undefined || env[envName(key)] !== undefined || key in settings;
    if (isSet) throw new ConfigError(`${flag ?? key}: ${now}`);
  }
}

/** Real money is neither settled nor liquidated by invented prices, and nobody is given any. */
function assertReal(config: Config): void {
  if (config.network === 'testnet') return;
  const { oracle, referencePrices } = config;
  if (oracle !== 'exchanges') {
    throw new ConfigError(
      `oracle: a mainnet has no prices that are ${oracle}; set --oracle exchanges`,
    );
  }
  if (referencePrices === 'simulated' || referencePrices === 'still') {
    throw new ConfigError(`referencePrices: a mainnet has none that are ${referencePrices}`);
  }
  for (const key of ['bots', 'exhibition', 'faucet'] as const) {
    if (config[key] === true) throw new ConfigError(`${key}: not on a mainnet`);
  }
  if (config.fault !== undefined) throw new ConfigError('fault: not on a mainnet');
  if (config.chain === 'local') throw new ConfigError('chain: a mainnet has none of its own');
  for (const [key, places] of Object.entries(keyPlacesOf(config))) {
    if (!places.some((place) => isInside(place, config.data))) continue;
    throw new ConfigError(`${key}: not in the data folder on a mainnet`);
  }
}

/** Settings that are each possible and not so together. */
function assertTogether(config: Config): void {
  if (operationsPortOf(config) > PORT_MAX) {
    throw new ConfigError(`opsPort: none is left above port ${config.port}; set --ops-port`);
  }
  const chain = chainOf(config);
  if (chain === 'local' && chainPortOf(config) > PORT_MAX) {
    throw new ConfigError(`chainPort: none is left above port ${config.port}; set --chain-port`);
  }
  if (config.relay === true && chain !== 'local') {
    throw new ConfigError('relay: is started with a local chain alone; see docs/guides/relay.md');
  }
  if (hasRelay(config) && relayPortsOf(config).chainPort > PORT_MAX) {
    throw new ConfigError(`relay: no ports are left above ${config.port}; set --no-relay`);
  }
  const hasContracts = config.bridgeContract !== undefined && config.usdcContract !== undefined;
  if (config.faucet === true && isElsewhere(config.chain)) {
    throw new ConfigError(
      'faucet: on a chain that is not local nothing stands behind what it gives',
    );
  }
  if (typeof chain !== 'string' && !hasContracts) {
    throw new ConfigError('bridgeContract, usdcContract: a chain that is not local needs both');
  }
  if (!hasPlayMoney(config) && config.serviceNetwork === undefined) {
    throw new ConfigError(
      'serviceNetwork: a venue whose money is not play money of its own needs a name of its own, or what is ' +
        'signed for another one executes here too; set --service-network to its domain',
    );
  }
  if (config.diskFullBytes > config.diskLowBytes) {
    throw new ConfigError('diskFullBytes: must not be above diskLowBytes');
  }
}

function isInside(setting: string, folder: string): boolean {
  if (setting.startsWith('env:')) return false;
  const path = relative(resolve(folder), resolve(setting));
  return path === '' || !(path.startsWith('..') || isAbsolute(path));
}

function isNetworkList(networks: readonly string[]): boolean {
  try {
    clientIpFinder(networks);
    return true;
  } catch {
    return false;
  }
}

function readFlags(args: readonly string[]): Record<string, unknown> {
  const options: ParseArgsOptionsConfig = { config: { type: 'string' } };
  for (const key of CONFIG_KEYS) {
    options[flagName(key)] = { type: SWITCHES.has(key) ? 'boolean' : 'string' };
  }
  try {
    return parseArgs({ args: [...args], options, allowNegative: true, strict: true }).values;
  } catch (error) {
    throw new ConfigError(error instanceof Error ? error.message : String(error));
  }
}

function fromText(key: Key, text: string, source: string): unknown {
  if (TEXTS.has(key)) return text;
  if (LISTS.has(key)) return text.split(',').map((part) => part.trim());
  if (SWITCHES.has(key)) {
    if (text === 'true' || text === 'false') return text === 'true';
    throw new ConfigError(`${source} must be true or false: ${text}`);
  }
  if (KEEPS.has(key) && text === 'all') return text;
  if (!/^[0-9]+$/.test(text)) throw new ConfigError(`${source} must be a whole number: ${text}`);
  return Number(text);
}

/** What a setting is when nobody sets it; undefined where that depends on others. */
export function defaultOf(key: Key): unknown {
  return (ConfigSchema.shape[key].def as { defaultValue?: unknown }).defaultValue;
}
