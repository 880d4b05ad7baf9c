import { readFlags, SettingError } from '@oddlot/host/settings';
import { Address, Hash } from '@oddlot/protocol';
import { MONEY_DECIMALS, parseExact } from '@oddlot/units';
import type { Hex } from 'viem';
import { readKey } from '../key-files/read-key.ts';
import { connect, sendTransaction, type Sent, UsageError } from './bridge-chain.ts';
import type { ChainClient } from '../chain/chain-client.ts';
import { existsSync, realpathSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

const OPTIONS = {
  rpc: { type: 'string' },
  'chain-id': { type: 'string' },
  confirmations: { type: 'string', default: '1' },
  'wait-seconds': { type: 'string', default: '120' },
  bridge: { type: 'string' },
  key: { type: 'string' },
  token: { type: 'string' },
  validators: { type: 'string' },
  threshold: { type: 'string' },
  guardian: { type: 'string' },
  'large-usd': { type: 'string' },
  'delay-seconds': { type: 'string' },
  prepare: { type: 'string' },
  send: { type: 'string', multiple: true },
  signature: { type: 'string' },
  operations: { type: 'string' },
  tx: { type: 'string' },
  log: { type: 'string' },
  to: { type: 'string' },
  id: { type: 'string' },
  account: { type: 'string' },
} as const;

type Values = ReturnType<typeof parse>['values'];
type Text = {
  [Name in keyof typeof OPTIONS]: Values[Name] extends readonly string[] | undefined ? never : Name;
}[keyof typeof OPTIONS];

/** Reads command-line arguments. A missing or invalid argument causes a UsageError. */
export class BridgeOptions {
  readonly positionals: readonly string[];
  readonly #values: Values;
  readonly #env: Readonly<Record<string, string | undefined>>;

  constructor(args: readonly string[], env: Readonly<Record<string, string | undefined>>) {
    const { positionals, values } = parse(args);
    this.positionals = positionals;
    this.#values = values;
    this.#env = env;
  }

  text(name: Text): string | undefined {
    return this.#values[name];
  }

  required(name: Text): string {
    const text = this.text(name);
    if (text === undefined) throw new UsageError(`Missing --${name}`);
    return text;
  }

  get sent(): readonly string[] | undefined {
    return this.#values.send;
  }

  get rpc(): readonly string[] {
    return listOf(this.required('rpc'));
  }

  address(name: Text): Hex {
    return addressOf(this.required(name), `--${name}`);
  }

  addresses(name: Text): readonly Hex[] {
    return listOf(this.required(name)).map((text) => addressOf(text, `--${name}`));
  }

  hash(name: Text): Hex {
    const parsed = Hash.safeParse(this.required(name));
    if (!parsed.success) throw new UsageError(`Invalid --${name}. Use a transaction hash`);
    return parsed.data as Hex;
  }

  whole(name: Text): number {
    return wholeOf(this.required(name), `--${name}`);
  }

  /** Converts an amount of USDC to micro-USDC. */
  usd(name: Text): bigint {
    const value = parseExact(this.required(name), MONEY_DECIMALS);
    if (value === undefined || value < 0n)
      throw new UsageError(`Invalid --${name}. Use a USDC amount`);
    return value;
  }

  /** Returns the single positional argument that follows the command, such as an id or a file. */
  only(what: string): string {
    const [word, ...others] = this.positionals;
    if (word === undefined || others.length > 0) throw new UsageError(`Pass exactly one ${what}`);
    return word;
  }

  key(): Hex {
    return readKey(this.required('key'), '--key', this.#env);
  }
}

export function idOf(text: string): bigint {
  const isId = /^(0|[1-9][0-9]{0,19})$/.test(text) && BigInt(text) < 1n << 64n;
  if (!isId) throw new UsageError(`Invalid withdrawal id: ${text}`);
  return BigInt(text);
}

function wholeOf(text: string, where: string): number {
  if (!/^[0-9]{1,15}$/.test(text)) throw new UsageError(`Invalid ${where}. Use a whole number`);
  return Number(text);
}

function addressOf(text: string, where: string): Hex {
  const parsed = Address.safeParse(text);
  if (!parsed.success) throw new UsageError(`Invalid ${where}: ${text} is not an address`);
  return parsed.data as Hex;
}

function listOf(text: string): readonly string[] {
  return text.split(',').map((part) => part.trim());
}

function parse(args: readonly string[]) {
  try {
    return readFlags(args, OPTIONS, { allowPositionals: true });
  } catch (error) {
    if (error instanceof SettingError) throw new UsageError(error.message, { cause: error });
    throw error;
  }
}

export type BridgeContext = {
  readonly options: BridgeOptions;
  readonly print: (line: string) => void;
  /** Prints warnings for users, separately from the output meant for programs. */
  readonly warn: (line: string) => void;
};

export type BridgeCommand = (context: BridgeContext) => Promise<void>;

export async function clientOf({ options }: BridgeContext): Promise<ChainClient> {
  const isGiven = options.text('chain-id') !== undefined;
  const chainId = isGiven ? { chainId: options.whole('chain-id') } : {};
  return connect(options.rpc, { ...chainId, confirmations: options.whole('confirmations') });
}

/** Sends a transaction signed with the key given by `--key`. */
export async function send(
  { options, print }: BridgeContext,
  client: ChainClient,
  call: { readonly to?: Hex; readonly data: Hex },
): Promise<Sent> {
  const waitMs = 1_000 * options.whole('wait-seconds');
  return await sendTransaction(call, { client, key: options.key(), waitMs, print });
}

const OTHERS_READ = 0o077;
const OTHERS_WRITE = 0o022;

/** Returns warnings about the location of a key, which is a file or `env:NAME`. */
export function keyPlaceWarnings(setting: string): readonly string[] {
  if (setting.startsWith('env:')) return [];
  let file: string;
  try {
    file = realpathSync(setting);
  } catch {
    // The code that reads the key reports the error.
    return [];
  }
  const folder = dirname(file);
  const tree = workTreeOf(folder);
  const isRead = (statSync(file).mode & OTHERS_READ) !== 0;
  const isOpen = (statSync(folder).mode & OTHERS_WRITE) !== 0;
  return [
    ...(tree === undefined
      ? []
      : [`warning: ${setting} is in the git work tree ${tree}, which may be published`]),
    ...(isRead ? [`warning: other users can read ${setting}; run chmod 600 ${setting}`] : []),
    ...(isOpen ? [`warning: other users can replace ${setting}`] : []),
  ];
}

/**
 * Returns the nearest parent folder under version control. In a linked work tree, `.git` is a file.
 */
function workTreeOf(folder: string): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, '.git'))) return at;
    if (dirname(at) === at) return undefined;
  }
}

export function partyWarnings(parties: {
  readonly validators: readonly Hex[];
  readonly threshold: bigint;
  readonly guardian: Hex;
}): readonly string[] {
  const { guardian, threshold, validators } = parties;
  const count = BigInt(validators.length);
  const warnings = [
    [2n * threshold <= count, 'warning: half of the validators or fewer can authorize payouts'],
    [threshold === 1n, 'warning: a single validator can authorize payouts'],
    [
      threshold === count && count > 1n,
      'warning: the loss of one key stops all payouts permanently',
    ],
    [validators.includes(guardian), 'warning: the guardian is also a validator'],
  ] as const;
  return warnings.flatMap(([isSo, text]) => (isSo ? [text] : []));
}
