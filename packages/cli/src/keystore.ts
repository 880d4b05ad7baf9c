import { createCipheriv, createDecipheriv, randomBytes, scrypt } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createWholeFile, makeFolder } from '@oddlot/host/durable';
import { privateKeyWallet } from '@oddlot/sdk';
import { CliError } from './cli-error.ts';

/** A keystore file, in which the key is encrypted with the password. */
type KeyFile = {
  readonly version: 1;
  readonly address: string;
  /** The account that approved this key as its agent; absent if the key is an account's own. */
  readonly agentOf?: string;
  readonly kdf: {
    readonly name: 'scrypt';
    readonly n: number;
    readonly r: number;
    readonly p: number;
    readonly salt: string;
  };
  readonly cipher: {
    readonly name: 'aes-256-gcm';
    readonly iv: string;
    readonly tag: string;
    readonly text: string;
  };
};

/** With these parameters, each password guess takes a tenth of a second and 128 MiB. */
const SCRYPT = { n: 131_072, r: 8, p: 1 };
const SCRYPT_BYTES_MAX = 256 * 1024 * 1024;
const KEY_BYTES = 32;
const SALT_BYTES = 32;
const IV_BYTES = 12;
/** The minimum length makes guessing harder for anyone who has the file. */
const PASSWORD_CHARACTERS_MIN = 8;
const NAME = /^[a-z0-9][a-z0-9_-]{0,39}$/;

export type StoredKey = {
  readonly name: string;
  readonly address: string;
  readonly kind: 'account' | 'agent';
  readonly agentOf?: string;
};

/** Stores keys in a folder, each in its own file, encrypted with a password. */
export class Keystore {
  readonly #folder: string;
  readonly #cost: typeof SCRYPT;

  /**
   * Opens the keystore in a folder. Each file records its cost parameters; tests use a low cost.
   */
  constructor(folder: string, cost: typeof SCRYPT = SCRYPT) {
    this.#folder = folder;
    this.#cost = cost;
  }

  list(): readonly StoredKey[] {
    if (!existsSync(this.#folder)) return [];
    return readdirSync(this.#folder)
      .filter((file) => file.endsWith('.json'))
      .map((file) => file.slice(0, -'.json'.length))
      .toSorted()
      .map((name) => this.find(name));
  }

  find(name: string): StoredKey {
    const { address, agentOf } = this.#read(name);
    return agentOf === undefined
      ? { name, address, kind: 'account' }
      : { name, address, kind: 'agent', agentOf };
  }

  async add(
    name: string,
    privateKey: `0x${string}`,
    password: string,
    { agentOf }: { readonly agentOf?: string } = {},
  ): Promise<StoredKey> {
    const path = this.#path(name);
    if (existsSync(path)) throw new CliError('key', `A key named "${name}" already exists`);
    if (password.length < PASSWORD_CHARACTERS_MIN) {
      throw new CliError(
        'key',
        `The password must have at least ${PASSWORD_CHARACTERS_MIN} characters`,
      );
    }
    const { address } = privateKeyWallet(privateKey);
    const [salt, iv] = [randomBytes(SALT_BYTES), randomBytes(IV_BYTES)];
    const cipher = createCipheriv('aes-256-gcm', await derive(password, salt, this.#cost), iv);
    cipher.setAAD(Buffer.from(address));
    const text = Buffer.concat([
      cipher.update(Buffer.from(privateKey.slice(2), 'hex')),
      cipher.final(),
    ]);
    const file: KeyFile = {
      version: 1,
      address,
      ...(agentOf === undefined ? {} : { agentOf }),
      kdf: { name: 'scrypt', ...this.#cost, salt: salt.toString('hex') },
      cipher: {
        name: 'aes-256-gcm',
        iv: iv.toString('hex'),
        tag: cipher.getAuthTag().toString('hex'),
        text: text.toString('hex'),
      },
    };
    makeFolder(this.#folder);
    // An existing key is never overwritten, even with concurrent writers.
    createWholeFile(path, `${JSON.stringify(file, undefined, 2)}\n`);
    return this.find(name);
  }

  /** Removes a key that was never used. */
  remove(name: string): void {
    rmSync(this.#path(name), { force: true });
  }

  async open(name: string, password: string): Promise<`0x${string}`> {
    const { address, cipher, kdf } = this.#read(name);
    const key = await derive(password, Buffer.from(kdf.salt, 'hex'), kdf);
    const decipher = createDecipheriv('aes-256-gcm', key, Buffer.from(cipher.iv, 'hex'));
    decipher.setAAD(Buffer.from(address));
    decipher.setAuthTag(Buffer.from(cipher.tag, 'hex'));
    try {
      const text = Buffer.from(cipher.text, 'hex');
      return `0x${Buffer.concat([decipher.update(text), decipher.final()]).toString('hex')}`;
    } catch (cause) {
      throw new CliError('key', `Wrong password for "${name}", or the key file is damaged`, {
        cause,
      });
    }
  }

  #read(name: string): KeyFile {
    const path = this.#path(name);
    if (!existsSync(path)) {
      const known = existsSync(this.#folder) ? readdirSync(this.#folder).length : 0;
      const hint =
        known === 0 ? 'Create one with `oddlot keys new`.' : '`oddlot keys list` shows all keys.';
      throw new CliError('key', `No key named "${name}". ${hint}`);
    }
    try {
      const file = JSON.parse(readFileSync(path, 'utf8')) as KeyFile;
      if (file.version === 1 && file.kdf.name === 'scrypt' && file.cipher.name === 'aes-256-gcm')
        return file;
    } catch (cause) {
      throw new CliError('key', `${path} is damaged. Restore it from a backup`, { cause });
    }
    throw new CliError(
      'key',
      `${path} was written by a later release. Use that release or a newer one`,
    );
  }

  #path(name: string): string {
    if (!NAME.test(name)) {
      throw new CliError(
        'usage',
        `Invalid key name "${name}". Use a-z, 0-9, - and _, at most 40 characters.`,
      );
    }
    return join(this.#folder, `${name}.json`);
  }
}

function derive(
  password: string,
  salt: Buffer,
  { n, p, r }: { readonly n: number; readonly r: number; readonly p: number },
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const options = { N: n, r, p, maxmem: SCRYPT_BYTES_MAX };
    scrypt(password.normalize('NFKC'), salt, KEY_BYTES, options, (error, key) => {
      if (error === null) resolve(key);
      else reject(error);
    });
  });
}

const ENTER = new Set(['\r', '\n']);
const CANCEL = new Set(['\u0003', '\u0004']);
const BACK = new Set(['\u007f', '\b']);

/**
 * Reads a line from the terminal without echo. Without a terminal, the error names the
 * environment variable to use instead.
 */
export function readSecret(prompt: string, variable: string): Promise<string> {
  const { stderr, stdin } = process;
  if (!stdin.isTTY) {
    throw new CliError(
      'usage',
      `Cannot prompt for input without a terminal (${prompt.trim()}). Set ${variable}.`,
    );
  }
  // Raw mode is set before the prompt, so that characters typed immediately are not echoed either.
  stdin.setRawMode(true).setEncoding('utf8').resume();
  stderr.write(prompt);
  return new Promise((resolve, reject) => {
    let text = '';
    const end = (): void => {
      stdin.setRawMode(false).pause().off('data', take);
      stderr.write('\n');
    };
    const take = (typed: string): void => {
      for (const character of typed) {
        if (ENTER.has(character)) {
          end();
          return resolve(text);
        }
        if (CANCEL.has(character)) {
          end();
          return reject(new CliError('usage', 'Interrupted. Nothing was done.'));
        }
        text = BACK.has(character) ? text.slice(0, -1) : text + character;
      }
      return undefined;
    };
    stdin.on('data', take);
  });
}
