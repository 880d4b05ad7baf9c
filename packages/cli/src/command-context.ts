import { homedir } from 'node:os';
import { join } from 'node:path';
import {
  type Client,
  createClient,
  createReader,
  privateKeyWallet,
  type Reader,
} from '@oddlot/sdk';
import { CliError } from './cli-error.ts';
import { Keystore, readSecret, type StoredKey } from './keystore.ts';
import { readTextFile, writeWholeFile } from '@oddlot/host/durable';

export type GlobalOptions = {
  readonly json?: boolean;
  readonly url: string;
  readonly network?: string;
  readonly key?: string;
};

/** The help text for an argument that specifies the account to read. */
export const ACCOUNT_ARGUMENT = "Account address (default: your key's account)";

/**
 * The account that a command reads; `agent` is set if the account was found through an agent's key.
 */
export type ReadAccount = {
  readonly user: string;
  readonly agent?: { readonly key: string; readonly address: string };
};

/** The context of a command: the terminal, the environment, and the connection to a venue. */
export class CommandContext {
  readonly env: Readonly<Record<string, string | undefined>>;

  constructor(env: Readonly<Record<string, string | undefined>>) {
    this.env = env;
  }

  get keystore(): Keystore {
    return new Keystore(join(this.#home, 'keystore'));
  }

  /** Returns the folder in which `oddlot mcp` records the orders of an account. */
  mcpFolder(user: string): string {
    return join(this.#home, 'mcp', user.toLowerCase());
  }

  get profile(): Profile {
    return new Profile(this.#home);
  }

  /**
   * Reads the password from the environment or the terminal, because command lines are visible to
   * all users of the machine.
   */
  async password(prompt: string): Promise<string> {
    return this.env['ODDLOT_PASSWORD'] ?? readSecret(prompt, 'ODDLOT_PASSWORD');
  }

  reader({ url }: GlobalOptions): Reader {
    return createReader({ url });
  }

  /**
   * Returns the account to read: the given address or the key's account, noting whether the key
   * belongs to an agent.
   */
  async accountOf(options: GlobalOptions, address?: string): Promise<ReadAccount> {
    if (address !== undefined) return { user: checkedAddress(address) };
    const read = await this.tradedAccount(options);
    if (read.agent === undefined) return read;
    const message = `Agent key "${read.agent.key}": using its account ${read.user}`;
    const note = options.json === true ? JSON.stringify({ note: { message, ...read } }) : message;
    process.stderr.write(`${note}\n`);
    return read;
  }

  /**
   * Returns the account that the key trades for. For an agent, this is its owner as reported by the
   * venue.
   */
  async tradedAccount(options: GlobalOptions): Promise<ReadAccount> {
    const key = this.#keyOf(options);
    const { owner } = await this.reader(options).info.agentOwner({ agent: key.address });
    if (owner === null && key.kind === 'account') return { user: key.address };
    if (owner === null) {
      const why = 'Pass an address, or choose an account key with --key.';
      throw new CliError('key', `Agent key "${key.name}" is not approved on this venue. ${why}`);
    }
    return { user: owner, agent: { key: key.name, address: key.address } };
  }

  async signer(options: GlobalOptions): Promise<Client> {
    const { network, url } = options;
    return createClient({
      url,
      ...(network === undefined ? {} : { network }),
      wallet: privateKeyWallet(await this.privateKey(options)),
    });
  }

  /**
   * Returns a client for actions that agents cannot sign: transferring funds and approving other
   * agents.
   */
  async accountSigner(options: GlobalOptions): Promise<Client> {
    await this.expectAccountKey(options);
    return this.signer(options);
  }

  async expectAccountKey(options: GlobalOptions): Promise<void> {
    const { agent, user } = await this.tradedAccount(options);
    if (agent === undefined) return;
    const how =
      "This command requires the account's own key. Choose it with --key. Nothing was sent.";
    throw new CliError('key', `Key "${agent.key}" is an agent key of ${user}. ${how}`);
  }

  /**
   * Returns the private key for transactions on a chain. The venue does not execute those
   * transactions.
   */
  async privateKey(options: GlobalOptions): Promise<`0x${string}`> {
    const { name } = this.#keyOf(options);
    return this.keystore.open(name, await this.password(`Password for ${name}: `));
  }

  #keyOf({ key }: GlobalOptions): StoredKey {
    const { keystore } = this;
    if (key !== undefined) return keystore.find(key);
    const keys = keystore.list();
    const chosen = this.profile.defaultKey;
    const found = defaultKeyOf(keys, chosen);
    if (found !== undefined) return found;
    if (keys.length === 0) {
      throw new CliError('key', 'No keys. Create one with `oddlot keys new`.');
    }
    const how = 'Choose a key with --key, or set a default with `oddlot keys default NAME`.';
    const isLost = chosen !== undefined;
    const why = isLost
      ? `The default key "${chosen}" is missing.`
      : `There are several keys and no default.`;
    throw new CliError('key', `${why} ${how}`);
  }

  get #home(): string {
    return this.env['ODDLOT_HOME'] ?? join(homedir(), '.oddlot');
  }
}

function checkedAddress(text: string): string {
  if (/^0x[0-9a-fA-F]{40}$/.test(text)) return text;
  throw new CliError('usage', `Invalid address "${text}". Use 0x followed by 40 hex digits.`);
}

type ProfileFile = { readonly version: 1; readonly defaultKey?: string };

/** The settings that are kept between commands, in `profile.json` next to the keystore. */
class Profile {
  readonly #path: string;

  constructor(folder: string) {
    this.#path = join(folder, 'profile.json');
  }

  /** The key name set by `oddlot keys default`. */
  get defaultKey(): string | undefined {
    return this.#read().defaultKey;
  }

  setDefaultKey(name: string): void {
    const file: ProfileFile = { ...this.#read(), defaultKey: name };
    writeWholeFile(this.#path, `${JSON.stringify(file, undefined, 2)}\n`);
  }

  #read(): ProfileFile {
    const text = readTextFile(this.#path);
    if (text === undefined) return { version: 1 };
    try {
      const file = JSON.parse(text) as ProfileFile;
      const { defaultKey } = file;
      if (file.version === 1 && ['string', 'undefined'].includes(typeof defaultKey)) return file;
    } catch (cause) {
      throw new CliError(
        'key',
        `${this.#path} is damaged. Remove it and set the default key again`,
        { cause },
      );
    }
    throw new CliError(
      'key',
      `${this.#path} was written by a later release. Use that release or a newer one`,
    );
  }
}

/**
 * Returns the key for commands without `--key`: the chosen default, otherwise the only account key,
 * otherwise the only key.
 */
export function defaultKeyOf(
  keys: readonly StoredKey[],
  chosen: string | undefined,
): StoredKey | undefined {
  if (chosen !== undefined) return keys.find(({ name }) => name === chosen);
  const accounts = keys.filter(({ kind }) => kind === 'account');
  const candidates = accounts.length > 0 ? accounts : keys;
  return candidates.length === 1 ? candidates[0] : undefined;
}
