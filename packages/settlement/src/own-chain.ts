import { createECDH } from 'node:crypto';
import { join } from 'node:path';
import {
  assertOwnKeys,
  type BridgeContracts,
  deployLocalContracts,
} from '@oddlot/custody/bridge-contract';
import { type ChainEndpoint, localEndpoint } from '@oddlot/custody/chain';
import { localKeys, type LocalKeys } from '@oddlot/custody/local-keys';
import { type ChainThreadOptions, startChainThread } from '@oddlot/devchain';
import { addressOf } from '@oddlot/protocol';
import type { Address } from '@oddlot/units';
import { type Hex, parseEther } from 'viem';

type OwnChainOptions = Pick<ChainThreadOptions, 'chainId' | 'listen' | 'listenForOwner'> & {
  /** The folder containing the keys; `directory` contains the blocks. */
  readonly keys: string;
  readonly directory: string;
  readonly onLost: (error: Error) => void;
};

type OwnChain = {
  readonly keys: LocalKeys;
  readonly contracts: BridgeContracts;
  readonly endpoint: ChainEndpoint;
  readonly url: string;
  readonly ownerUrl: string | undefined;
  readonly allowPage: (port: number) => void;
  readonly close: () => Promise<void>;
};

/** The amount of test ether for gas, more than is ever used. */
const ALLOCATION = parseEther('1000000000');

export async function startOwnChain(options: OwnChainOptions): Promise<OwnChain> {
  const { chainId, directory, listen, listenForOwner, onLost } = options;
  const keys = localKeys(options.keys, join(directory, 'chain.log'));
  const owners = { minter: ownerOf(keys.minter) as Hex, relayer: ownerOf(keys.relayer) as Hex };
  const rich = [...Object.values(owners), ownerOf(keys.guardian) as Hex];
  const chain = await startChainThread(
    {
      directory,
      chainId,
      allocations: Object.fromEntries(rich.map((each) => [each, ALLOCATION])),
      listen,
      listenForOwner,
    },
    onLost,
  );
  // Requests bypass the public port, so that payouts do not queue behind other clients.
  const endpoint = localEndpoint(new URL(chain.url).host, chain.request);
  const openContracts = async (): Promise<BridgeContracts> => {
    await assertOwnKeys(endpoint, join(options.keys, 'keys.json'), owners);
    return await deployLocalContracts(endpoint, keys, chainId);
  };
  const contracts = await openContracts().catch(async (error: unknown) => {
    await chain.close();
    throw error;
  });
  return {
    keys,
    contracts,
    endpoint,
    url: chain.url,
    ownerUrl: chain.ownerUrl,
    allowPage: (page) => chain.allowPage(page),
    close: () => chain.close(),
  };
}

/**
 * Returns the address of a key. It is derived with Node, because viem's curve code takes 0.1 s to
 * initialize, which would delay the local chain.
 */
export function ownerOf(key: Hex): Address {
  const curve = createECDH('secp256k1');
  curve.setPrivateKey(Buffer.from(key.slice(2), 'hex'));
  return addressOf(curve.getPublicKey());
}
