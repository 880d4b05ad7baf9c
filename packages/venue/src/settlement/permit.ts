import { TEST_USDC_ABI } from '@oddlot/contracts';
import {
  decodeFunctionResult,
  encodeFunctionData,
  hashTypedData,
  type Hex,
  recoverAddress,
} from 'viem';
import type { ChainClient } from './chain-client.ts';

/** An EIP-2612 permit as a client sends it. */
export type Permit = {
  readonly user: Hex;
  readonly usd: bigint;
  readonly deadline: bigint;
  readonly signature: { readonly r: Hex; readonly s: Hex; readonly v: number };
};

/** What the token's permits are hashed with besides their fields. */
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

/** Half of the order of the curve. */
const HIGHEST_S = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;

/** The domain as the token itself tells it. */
export async function readPermitDomain(client: ChainClient, token: Hex): Promise<PermitDomain> {
  const read = async (functionName: 'name' | 'version'): Promise<string> => {
    const data = encodeFunctionData({ abi: TEST_USDC_ABI, functionName });
    const result = await client.call({ to: token, data });
    return decodeFunctionResult({ abi: TEST_USDC_ABI, functionName, data: result });
  };
  const [name, version] = await Promise.all([read('name'), read('version')]);
  return { name, version, chainId: client.chainId, verifyingContract: token };
}

/** The next permit nonce of a user, and what the user has to deposit. */
export async function readPermitState(
  client: ChainClient,
  token: Hex,
  user: Hex,
): Promise<{ readonly nonce: bigint; readonly balance: bigint }> {
  const read = async (functionName: 'nonces' | 'balanceOf'): Promise<bigint> => {
    const data = encodeFunctionData({ abi: TEST_USDC_ABI, functionName, args: [user] });
    const result = await client.call({ to: token, data });
    return decodeFunctionResult({ abi: TEST_USDC_ABI, functionName, data: result });
  };
  const [nonce, balance] = await Promise.all([read('nonces'), read('balanceOf')]);
  return { nonce, balance };
}

/** Who signed a permit under a nonce; undefined when nobody could have. */
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
    // Every signature has a twin that tokens refuse: it would only cost gas.
    if (BigInt(s) > HIGHEST_S) return undefined;
    return (await recoverAddress({ hash, signature: { r, s, v: BigInt(v) } })).toLowerCase() as Hex;
  } catch {
    return undefined;
  }
}
