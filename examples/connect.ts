import { createClient, privateKeyWallet, type Client } from '@oddlot/sdk';

/**
 * Creates the client for an example that is run manually. The venue and the key come from the
 * environment.
 */
export function connect(name = 'ODDLOT'): Client {
  const { [`${name}_URL`]: url = 'http://127.0.0.1:8690', [`${name}_KEY`]: key } = process.env;
  if (key === undefined) throw new Error(`Missing private key. Set ${name}_KEY=0x…`);
  return createClient({ url, wallet: privateKeyWallet(key as `0x${string}`) });
}
