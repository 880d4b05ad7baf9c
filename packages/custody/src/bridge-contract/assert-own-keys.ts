import type { Hex } from 'viem';
import type { ChainEndpoint } from '../chain/chain-endpoint.ts';
import { KeyError } from '../key-files/key-error.ts';

/**
 * A local chain gives ether to its keys before its first block, and no key uses it up: one without ether belongs to
 * another chain. `file` is what the keys were read from; addresses are by the name of their key.
 */
export async function assertOwnKeys(
  endpoint: ChainEndpoint,
  file: string,
  addresses: Readonly<Record<string, Hex>>,
): Promise<void> {
  for (const [name, address] of Object.entries(addresses)) {
    const balance = await endpoint.request('eth_getBalance', [address, 'latest']);
    if (BigInt(String(balance)) > 0n) continue;
    throw new KeyError(
      `${file} does not belong to the chain next to it: the ${name} (${address}) has no account there. Restore the file that was created with the chain`,
    );
  }
}
