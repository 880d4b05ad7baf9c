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
  /** Where its keys are, and where its blocks. */
  readonly keys: string;
  readonly directory: string;
  /** Its thread ended by itself. */
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

/** Play money for gas, more than is ever used. */
const ALLOCATION = parseEther('1000000000');

/** A chain where money is not real, with test USDC and the bridge on it. */
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
  // Not by the port, where strangers ask: money does not wait behind them.
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

/** By Node itself: viem's curve takes a tenth of a second to get ready, and the local chain waits for these. */
export function ownerOf(key: Hex): Address {
  const curve = createECDH('secp256k1');
  curve.setPrivateKey(Buffer.from(key.slice(2), 'hex'));
  return addressOf(curve.getPublicKey());
}
