import { BRIDGE_ABI, BRIDGE_BYTECODE, TEST_USDC_ABI, TEST_USDC_BYTECODE } from '@oddlot/contracts';
import { encodeDeployData, getContractAddress, type Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import type { ChainEndpoint } from '../chain/endpoints.ts';
import type { BridgeContracts } from './deposit-logs.ts';
import type { LocalKeys } from '../key-files/local-keys.ts';
import { KeyError } from '../key-files/key-error.ts';

/**
 * The parameters of a local bridge. Payouts of at least 100,000 USDC are queued, so that the delay
 * can be tested.
 */
export const LOCAL_BRIDGE = { threshold: 2n, largeUsd: 100_000_000_000n, delaySeconds: 20n };
/** More gas than one payout in a batch uses with these contracts. Unused gas is not charged. */
export const LOCAL_PAYOUT_GAS = 250_000n;
const GAS = 8_000_000n;
const MAX_FEE = 10_000_000_000n;

/**
 * Returns the addresses of the contracts on a chain created with these keys. The contracts are the
 * minter's first two deployments.
 */
export function localContracts(keys: LocalKeys): BridgeContracts {
  const from = privateKeyToAccount(keys.minter).address;
  const at = (nonce: bigint): Hex => getContractAddress({ from, nonce }).toLowerCase() as Hex;
  return { token: at(0n), bridge: at(1n) };
}

/** Deploys any missing contracts, including after a crash between the two deployments. */
export async function deployLocalContracts(
  endpoint: ChainEndpoint,
  keys: LocalKeys,
  chainId: number,
): Promise<BridgeContracts> {
  const contracts = localContracts(keys);
  const account = privateKeyToAccount(keys.minter);
  const deploy = async (at: Hex, nonce: number, data: Hex): Promise<void> => {
    if ((await endpoint.request('eth_getCode', [at, 'latest'])) !== '0x') return;
    const raw = await account.signTransaction({
      type: 'eip1559',
      chainId,
      nonce,
      data,
      gas: GAS,
      maxFeePerGas: MAX_FEE,
      maxPriorityFeePerGas: 1n,
    });
    await endpoint.request('eth_sendRawTransaction', [raw]);
    if ((await endpoint.request('eth_getCode', [at, 'latest'])) !== '0x') return;
    throw new Error(`the contract ${at} of the local chain could not be deployed`);
  };
  const usdc = { abi: TEST_USDC_ABI, bytecode: TEST_USDC_BYTECODE } as const;
  await deploy(contracts.token, 0, encodeDeployData({ ...usdc, args: [account.address] }));
  const addressOf = (key: Hex): Hex => privateKeyToAccount(key).address;
  const bridge = encodeDeployData({
    abi: BRIDGE_ABI,
    bytecode: BRIDGE_BYTECODE,
    args: [
      contracts.token,
      keys.validators.map(addressOf),
      LOCAL_BRIDGE.threshold,
      addressOf(keys.guardian),
      LOCAL_BRIDGE.largeUsd,
      LOCAL_BRIDGE.delaySeconds,
    ],
  });
  await deploy(contracts.bridge, 1, bridge);
  return contracts;
}

/**
 * Throws unless the keys belong to this chain. A local chain grants ether to its keys in its first
 * block, and no key can spend all of it, so a key without ether belongs to another chain. `file` is
 * the key file, and `addresses` gives the keys' addresses by name.
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
