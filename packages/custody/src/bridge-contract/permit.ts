import { BRIDGE_ABI, TEST_USDC_ABI } from '@oddlot/contracts';
import {
  decodeFunctionResult,
  encodeFunctionData,
  hashTypedData,
  type Hex,
  recoverAddress,
} from 'viem';
import type { ChainClient } from '../chain/chain-client.ts';
import { ChainRevertError } from '../chain/endpoints.ts';
import type { BridgeContracts } from './deposit-logs.ts';

export type Permit = {
  readonly user: Hex;
  readonly usd: bigint;
  readonly deadline: bigint;
  readonly signature: { readonly r: Hex; readonly s: Hex; readonly v: number };
};

/** The fields of the token's EIP-712 domain that differ between tokens. */
export type PermitDomain = {
  readonly name: string;
  readonly version: string;
  readonly chainId: number;
  readonly verifyingContract: Hex;
};

const PERMIT_TYPES = {
  Permit: [
    { name: 'owner', type: 'address' },
    { name: 'spender', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'nonce', type: 'uint256' },
    { name: 'deadline', type: 'uint256' },
  ],
} as const;

const HIGHEST_S = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;

/** Reads the domain from the token contract itself. */
export async function readPermitDomain(client: ChainClient, token: Hex): Promise<PermitDomain> {
  const read = async (functionName: 'name' | 'version'): Promise<string> => {
    const data = encodeFunctionData({ abi: TEST_USDC_ABI, functionName });
    const result = await client.call({ to: token, data });
    return decodeFunctionResult({ abi: TEST_USDC_ABI, functionName, data: result });
  };
  const [name, version] = await Promise.all([read('name'), read('version')]);
  return { name, version, chainId: client.chainId, verifyingContract: token };
}

/** A user's on-chain state that determines whether a deposit by permit can succeed. */
export type PermitState = {
  /**
   * The token's next nonce for the user (`nonce`), and the first nonce that no deposit has used
   * (`unused`).
   */
  readonly nonce: bigint;
  readonly unused: bigint;
  readonly balance: bigint;
  /** The amount that the bridge may take without a new permit. */
  readonly allowance: bigint;
};

export async function readPermitState(
  client: ChainClient,
  { bridge, token }: BridgeContracts,
  user: Hex,
): Promise<PermitState> {
  const abi = TEST_USDC_ABI;
  const ask = async (to: Hex, data: Hex): Promise<bigint> =>
    BigInt(await client.call({ to, data }));
  const of = (functionName: 'nonces' | 'balanceOf'): Promise<bigint> =>
    ask(token, encodeFunctionData({ abi, functionName, args: [user] }));
  const allowed = encodeFunctionData({ abi, functionName: 'allowance', args: [user, bridge] });
  const next = { abi: BRIDGE_ABI, functionName: 'nextPermitNonce', args: [user] } as const;
  const [nonce, balance, allowance, unused] = await Promise.all([
    of('nonces'),
    of('balanceOf'),
    ask(token, allowed),
    ask(bridge, encodeFunctionData(next)),
  ]);
  return { nonce, unused, balance, allowance };
}

/**
 * Simulates the permit with this nonce. A ChainRevertError means that sending the permit would only
 * waste gas.
 */
export async function tryPermit(
  client: ChainClient,
  { bridge, token }: BridgeContracts,
  { isHandedIn, permit }: { readonly permit: Permit; readonly isHandedIn: boolean },
): Promise<void> {
  const { deadline, signature, usd, user } = permit;
  const { r, s, v } = signature;
  const abi = TEST_USDC_ABI;
  const args = [user, bridge, usd, deadline, v, r, s] as const;
  const handIn = encodeFunctionData({ abi, functionName: 'permit', args });
  const transfer = encodeFunctionData({ abi, functionName: 'transfer', args: [bridge, usd] });
  const paused = encodeFunctionData({ abi: BRIDGE_ABI, functionName: 'paused' });
  const [isPaused] = await Promise.all([
    client.call({ to: bridge, data: paused }),
    client.call({ from: user, to: token, data: transfer }),
    isHandedIn ? undefined : client.call({ from: bridge, to: token, data: handIn }),
  ]);
  if (BigInt(isPaused) !== 0n) throw new ChainRevertError('the bridge is paused', undefined);
}

/** Returns the signer of a permit for a nonce, or undefined if the signature is invalid. */
export async function permitSigner(
  permit: Permit,
  {
    domain,
    nonce,
    spender,
  }: { readonly domain: PermitDomain; readonly nonce: bigint; readonly spender: Hex },
): Promise<Hex | undefined> {
  const { deadline, signature, usd, user } = permit;
  const hash = hashTypedData({
    domain,
    types: PERMIT_TYPES,
    primaryType: 'Permit',
    message: { owner: user, spender, value: usd, nonce, deadline },
  });
  try {
    const { r, s, v } = signature;
    // Every signature has a second form with a high `s` value, which tokens reject, so sending it
    // would only waste gas.
    if (BigInt(s) > HIGHEST_S) return undefined;
    return (await recoverAddress({ hash, signature: { r, s, v: BigInt(v) } })).toLowerCase() as Hex;
  } catch {
    return undefined;
  }
}
