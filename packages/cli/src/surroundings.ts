import { homedir } from 'node:os';
import { join } from 'node:path';
import {
  createClient,
  createReader,
  privateKeyWallet,
  type Client,
  type Reader,
} from '@oddlot/sdk';
import { CliError } from './cli-error.ts';
import { Keystore } from './keystore.ts';
import { readSecret } from './read-secret.ts';

/** The options that every command has. */
export type GlobalOptions = {
  readonly json?: boolean;
  readonly url: string;
  readonly network?: string;
  readonly key?: string;
};

/** What a command has around it: the terminal, the environment, and the way to a venue. */
export class Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;

  constructor(env: Readonly<Record<string, string | undefined>>) {
    this.env = env;
  }

  get keystore(): Keystore {
    const home = this.env['ODDLOT_HOME'] ?? join(homedir(), '.oddlot');
    return new Keystore(join(home, 'keystore'));
  }

  /** From the environment or the terminal; a command line is seen by everybody on the machine. */
  async password(prompt: string): Promise<string> {
    return this.env['ODDLOT_PASSWORD'] ?? readSecret(prompt, 'ODDLOT_PASSWORD');
  }

  reader({ url }: GlobalOptions): Reader {
    return createReader({ url });
  }

  /** Who is asked about: an address, or that of a key. */
  userOf(options: GlobalOptions, address?: string): string {
    if (address !== undefined) {
      if (!isAddress(address)) throw new CliError('usage', `"${address}" is no address`);
      return address;
    }
    const keys = this.keystore.list();
    const name = this.#nameOf(options, keys.length);
    const found = keys.find((key) => key.name === name);
    if (found === undefined) throw new CliError('key', `there is no key "${name}"`);
    return found.address;
  }

  async signer(options: GlobalOptions): Promise<Client> {
    const { network, url } = options;
    return createClient({
      url,
      ...(network === undefined ? {} : { network }),
      wallet: privateKeyWallet(await this.privateKey(options)),
    });
  }

  /** For who signs what no venue takes: a transaction of a chain. */
  async privateKey(options: GlobalOptions): Promise<`0x${string}`> {
    const name = this.#nameOf(options, this.keystore.list().length);
    return this.keystore.open(name, await this.password(`Password of ${name}: `));
  }

  #nameOf({ key }: GlobalOptions, count: number): string {
    if (key !== undefined) return key;
    if (count !== 1) {
      const why = count === 0 ? 'make one with `oddlot keys new`' : 'say which one with --key';
      throw new CliError('key', `there are ${count} keys; ${why}`);
    }
    return this.keystore.list()[0]!.name;
  }
}

function isAddress(text: string): boolean {
  return /^0x[0-9a-fA-F]{40}$/.test(text);
}
