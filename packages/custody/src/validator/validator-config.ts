import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { Address } from '@oddlot/protocol';
import { parse as parseToml } from 'smol-toml';
import { z } from 'zod';

/** How a validator's process is told what to do: flags win over a TOML file. Unknown names are errors. */

const PORT_MAX = 65_535;
const URL_PATTERN = /^https?:\/\/[^,\s]+$/;

const Settings = z.strictObject({
  /** Where the key is: the path of a file, or `env:NAME`. */
  key: z.string().min(1),
  chainId: z.int().min(1),
  bridge: Address,
  /** The name that the venue goes by, whole, with its digits: what users sign is for it. */
  serviceNetwork: z.string().min(1),
  /** The address of the venue's relayer, whose key signs what it asks for. */
  relayer: Address,
  /** APIs of the venue that are asked before a payout is signed; all must tell the same. */
  venues: z.array(z.string().regex(URL_PATTERN, 'must be a URL')).min(1).max(16),
  /** Endpoints of the chain, which are asked before a cancellation is signed; without them none is. */
  chain: z.array(z.string().regex(URL_PATTERN, 'must be a URL')).max(16).default([]),
  /** How long it sees the token refuse a destination before it signs that the payout is cancelled. */
  cancelPatienceMs: z.int().min(0).default(600_000),
  /** USDC that it signs in 24 hours at most, in all and for one account. */
  dayLimitUsdc: z.int().min(1).default(1_000_000),
  accountDayLimitUsdc: z.int().min(1).default(250_000),
  /** USDC that the venue may keep of a withdrawal. */
  withdrawFeeMaxUsdc: z.int().min(0).default(1),
  /** Who signs for accounts that had signers before the venue kept the changes; its operator vouches for them. */
  signers: z
    .array(
      z.strictObject({
        account: Address,
        authorizedUsers: z.array(Address).min(1),
        threshold: z.int().min(1),
      }),
    )
    .default([]),
  /** Folder of what it has signed. */
  data: z.string().min(1).default('./validator'),
  host: z.string().min(1).default('127.0.0.1'),
  port: z.int().min(0).max(PORT_MAX).default(8_695),
  logLevel: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
});
export type ValidatorConfig = z.infer<typeof Settings>;

/** A setting that cannot be used; the message is for the operator. */
export class ValidatorConfigError extends Error {
  override readonly name = 'ValidatorConfigError';
}

export const VALIDATOR_USAGE = `Usage: npm run validator -- [--config FILE] [flags]

  --key PLACE        where the key is: a file, or env:NAME
  --chain-id N       the chain that it signs for
  --bridge ADDRESS   the bridge that it signs for
  --service-network NAME  the name that the venue goes by, with its digits; it prints it when it starts
  --relayer ADDRESS  the venue's relayer; who asks for a signature shows that they have its key
  --venues URL,URL   APIs of the venue; a payout is signed when all show it
  --chain URL,URL    endpoints of the chain, asked before a cancellation is signed (none: people sign them)
  --cancel-patience-ms N  how long the token must have refused a payout before its cancellation is signed (600000)
  --day-limit-usdc N signs no more than this in 24 hours (1000000)
  --account-day-limit-usdc N  nor more than this for one account (250000)
  --withdraw-fee-max-usdc N  what the venue may keep of a withdrawal (1)
  --data FOLDER      what it has signed (./validator); never lose or share it
  --host HOST        interface (127.0.0.1)
  --port PORT        port (8695); 0 takes any free one
  --log-level LEVEL  fatal, error, warn, info, debug, trace or silent (info)

In a file (TOML): key, chainId, bridge, serviceNetwork, relayer, venues = ["…"], chain = ["…"], cancelPatienceMs,
dayLimitUsdc, accountDayLimitUsdc, withdrawFeeMaxUsdc, [[signers]], data, host, port, logLevel.
`;

const FLAGS = {
  config: { type: 'string' },
  key: { type: 'string' },
  'chain-id': { type: 'string' },
  bridge: { type: 'string' },
  'service-network': { type: 'string' },
  venues: { type: 'string' },
  chain: { type: 'string' },
  'cancel-patience-ms': { type: 'string' },
  relayer: { type: 'string' },
  'day-limit-usdc': { type: 'string' },
  'account-day-limit-usdc': { type: 'string' },
  'withdraw-fee-max-usdc': { type: 'string' },
  data: { type: 'string' },
  host: { type: 'string' },
  port: { type: 'string' },
  'log-level': { type: 'string' },
} as const;

export function readValidatorConfig(args: readonly string[]): ValidatorConfig {
  const flags = flagsOf(args);
  const { chain, config, venues } = flags;
  const given = {
    ...(config === undefined ? {} : fileOf(config)),
    ...told({ key: flags.key, bridge: flags.bridge, data: flags.data, host: flags.host }),
    ...told({ chainId: numberOf(flags['chain-id']), port: numberOf(flags.port) }),
    ...told({ dayLimitUsdc: numberOf(flags['day-limit-usdc']), relayer: flags.relayer }),
    ...told({ accountDayLimitUsdc: numberOf(flags['account-day-limit-usdc']) }),
    ...told({ withdrawFeeMaxUsdc: numberOf(flags['withdraw-fee-max-usdc']) }),
    ...told({ cancelPatienceMs: numberOf(flags['cancel-patience-ms']) }),
    ...told({ serviceNetwork: flags['service-network'] }),
    ...told({ venues: listOf(venues), chain: listOf(chain), logLevel: flags['log-level'] }),
  };
  const parsed = Settings.safeParse(given);
  if (parsed.success) return parsed.data;
  const { message = 'invalid', path = [] } = parsed.error.issues[0] ?? {};
  const [name = 'settings'] = path;
  const isMissing =
    path.length === 1 && (given as Record<string, unknown>)[String(name)] === undefined;
  throw new ValidatorConfigError(
    `${path.join('.') || String(name)}: ${isMissing ? 'is missing' : message}`,
  );
}

function flagsOf(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: FLAGS, strict: true }).values;
  } catch (error) {
    throw new ValidatorConfigError(error instanceof Error ? error.message : String(error));
  }
}

function fileOf(path: string): Record<string, unknown> {
  try {
    return { ...parseToml(readFileSync(path, 'utf8')) };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new ValidatorConfigError(`${path}: ${why}`);
  }
}

function listOf(text: string | undefined): readonly string[] | undefined {
  return text?.split(',').map((url) => url.trim());
}

/** What is no number is left as text, for the schema to refuse. */
function numberOf(text: string | undefined): number | string | undefined {
  return text !== undefined && /^[0-9]+$/.test(text) ? Number(text) : text;
}

function told(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}
