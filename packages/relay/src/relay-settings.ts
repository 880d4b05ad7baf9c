import { readFileSync } from 'node:fs';
import { parseArgs, type ParseArgsOptionsConfig } from 'node:util';
import { CHAIN_DOOR_SETTINGS } from '@oddlot/host/chain-door-settings';
import { Address } from '@oddlot/protocol';
import { parseExact } from '@oddlot/units';
import { parse as parseToml } from 'smol-toml';
import { z } from 'zod';

/**
 * How a relay is told what to do: flags win over environment variables, those over a TOML file, those
 * over the defaults. Chains stand in the file alone.
 */

const count = z.int().min(1);
const port = z.int().min(0).max(65_535);
const url = z.string().regex(/^https?:\/\/\S+$/, 'must be a URL');
const MONEY_DECIMALS = 6;
const money = z.string().refine((text) => {
  const micro = parseExact(text, MONEY_DECIMALS);
  return micro !== undefined && micro >= 0n;
}, 'must be an amount with at most 6 decimals, as text');

const ChainSchema = z.strictObject({
  name: z.string().regex(/^[a-z0-9-]{1,32}$/),
  /** By default that which the name is known for. */
  chainId: count.optional(),
  /** Endpoints; a chain without is only listed. */
  rpc: z.array(url).default([]),
  /** Of USDC there; of the settlement chain the venue's. */
  token: Address.optional(),
  minDeposit: money.optional(),
  depositFee: money.optional(),
  minWithdraw: money.optional(),
  withdrawFee: money.optional(),
  confirmations: count.default(20),
  fromBlock: z.int().min(0).optional(),
});

export type ChainSetting = z.infer<typeof ChainSchema>;

export const RelaySchema = z.strictObject({
  /** Interface and port to listen on. */
  host: z.string().default('127.0.0.1'),
  port: port.default(8691),
  /** Interface and port of what the operator looks at; none without a port. */
  opsHost: z.string().default('127.0.0.1'),
  opsPort: port.optional(),
  /** Folder of the book, the journals and, of a local relay, its seed and its chain. */
  data: z.string().min(1).default('./relay-data'),
  /** The venue's public URL, and that of its operations port. */
  venue: url.default('http://127.0.0.1:8690'),
  operations: url.default('http://127.0.0.1:8692'),
  /** The name that the venue goes by, whole, with its digits; it signs for no other. A local relay asks. */
  serviceNetwork: z.string().min(1).optional(),
  /** Where the mnemonic is: the path of a file, or `env:NAME`. A local relay makes its own. */
  seed: z.string().optional(),
  /** Play money: a seed and a second chain of its own. */
  local: z.boolean().default(false),
  /** JSON-RPC of the second chain of a local relay; of ports 0 takes any free one. */
  ...CHAIN_DOOR_SETTINGS,
  chainPort: port.default(8694),
  /** What the settlement chain is called. */
  settlementChain: z.string().default('arbitrum'),
  /** The bridge; refused when the venue names another one. */
  bridge: Address.optional(),
  chains: z.array(ChainSchema).default([]),
  /** How long an address is expected to be used. */
  expireMs: count.default(24 * 3_600_000),
  everyMs: count.default(2_000),
  /** How often addresses that have expired are looked at. */
  lateEveryMs: count.default(60_000),
  /** False lifts what is per client. */
  limits: z.boolean().default(true),
  requestsPerSecond: count.default(20),
  /** Addresses that have not expired, in all and for one client. */
  openAddresses: count.default(10_000),
  openAddressesPerClient: count.default(100),
  trustedProxies: z.array(z.string()).default([]),
  /** Transfers of pegs that are left alone from this start on. */
  end: z.array(z.string()).default([]),
  logLevel: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
});

export type RelaySettings = z.infer<typeof RelaySchema>;
type Key = keyof RelaySettings;
const KEYS = Object.keys(RelaySchema.shape) as Key[];
const SWITCHES: ReadonlySet<Key> = new Set<Key>(['local', 'limits']);
const TABLES: ReadonlySet<Key> = new Set<Key>(['chains']);
const NUMBERS: ReadonlySet<Key> = new Set<Key>([
  'port',
  'opsPort',
  'chainPort',
  'expireMs',
  'everyMs',
  'lateEveryMs',
  'requestsPerSecond',
  'openAddresses',
  'openAddressesPerClient',
]);
const LISTS: ReadonlySet<Key> = new Set<Key>(['trustedProxies', 'pageOrigins', 'end']);

/** A setting that cannot be used; its message is meant for the operator. */
export class RelaySettingError extends Error {
  override readonly name = 'RelaySettingError';
}

export function readRelaySettings(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): RelaySettings {
  const flags = readFlags(args);
  const file = flags['config'] ?? env['ODDLOT_RELAY_CONFIG'];
  const settings: Record<string, unknown> = file === undefined ? {} : readFile(String(file));
  for (const key of KEYS) {
    if (TABLES.has(key)) continue;
    const told =
      flags[dashed(key)] ?? env[`ODDLOT_RELAY_${dashed(key).replaceAll('-', '_').toUpperCase()}`];
    if (told !== undefined) settings[key] = typeof told === 'boolean' ? told : fromText(key, told);
  }
  const parsed = RelaySchema.safeParse(settings);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new RelaySettingError(`${issue?.path.join('.')}: ${issue?.message ?? 'invalid'}`);
  }
  const { local, seed, serviceNetwork } = parsed.data;
  if (!local && seed === undefined) throw new RelaySettingError('seed: missing (see --help)');
  if (!local && serviceNetwork === undefined) {
    throw new RelaySettingError(
      'serviceNetwork: missing; the name that the venue goes by, which it prints when it starts',
    );
  }
  return parsed.data;
}

/** What `--help` prints. */
export function relayHelp(): string {
  const lines = KEYS.filter((key) => !TABLES.has(key)).map((key) => `  --${dashed(key)}`);
  return `Oddlot relay: money between a venue and other chains.

  npm run relay -- [flags]

${lines.join('\n')}
  --config FILE

Settings may also stand in the environment (ODDLOT_RELAY_PORT) or in the TOML file, which alone holds
the chains. Each is explained in docs/guides/relay.md.
`;
}

function dashed(key: string): string {
  return key.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

function readFlags(args: readonly string[]): Record<string, string | boolean | undefined> {
  const options: ParseArgsOptionsConfig = { config: { type: 'string' } };
  for (const key of KEYS) {
    if (!TABLES.has(key)) options[dashed(key)] = { type: SWITCHES.has(key) ? 'boolean' : 'string' };
  }
  try {
    const { values } = parseArgs({ args: [...args], options, allowNegative: true, strict: true });
    return values as Record<string, string | boolean | undefined>;
  } catch (error) {
    throw new RelaySettingError(error instanceof Error ? error.message : String(error));
  }
}

function readFile(path: string): Record<string, unknown> {
  try {
    return { ...parseToml(readFileSync(path, 'utf8')) };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new RelaySettingError(`${path}: ${why}`);
  }
}

function fromText(key: Key, text: string): unknown {
  if (SWITCHES.has(key)) return text === 'true' ? true : text === 'false' ? false : text;
  if (LISTS.has(key)) return text.split(',').map((part) => part.trim());
  return NUMBERS.has(key) && /^[0-9]+$/.test(text) ? Number(text) : text;
}
