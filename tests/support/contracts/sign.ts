import { hexToBigInt, parseSignature, type Address, type Hex } from 'viem';
import type { Contract, Evm } from './evm.ts';
import type { Key } from './keys.ts';

export type Signature = { readonly r: bigint; readonly s: bigint; readonly v: number };

export type Payout = {
  readonly withdrawalId: bigint;
  readonly user: Address;
  readonly destination: Address;
  readonly usd: bigint;
};

/** The chain and contract that a signature is valid for. */
export type Domain = { readonly chainId: number; readonly verifyingContract: Address };

const TYPES = {
  Payout: [
    { name: 'withdrawalId', type: 'uint64' },
    { name: 'user', type: 'address' },
    { name: 'destination', type: 'address' },
    { name: 'usd', type: 'uint64' },
  ],
  Cancellation: [{ name: 'withdrawalId', type: 'uint64' }],
  Unpause: [{ name: 'nonce', type: 'uint64' }],
  Rotation: [
    { name: 'validators', type: 'address[]' },
    { name: 'threshold', type: 'uint256' },
    { name: 'guardian', type: 'address' },
    { name: 'nonce', type: 'uint64' },
  ],
};

/** Signs a bridge message with each key and returns the signatures in key order. */
export async function signMessage(
  keys: readonly Key[],
  domain: Domain,
  primaryType: keyof typeof TYPES,
  message: object,
): Promise<Signature[]> {
  return Promise.all(
    keys.map(async ({ account }) =>
      toSignature(
        await account.signTypedData({
          domain: { name: 'OddlotBridge', version: '1', ...domain },
          types: TYPES,
          primaryType,
          message: message as Record<string, unknown>,
        }),
      ),
    ),
  );
}

export type Permit = {
  readonly user: Address;
  readonly usd: bigint;
  readonly deadline: bigint;
  readonly signature: Signature;
};

/** Signs a permit. The default nonce is the user's current nonce on the token. */
export async function signPermit(
  evm: Evm,
  place: { readonly token: Contract; readonly spender: Address },
  permit: {
    readonly user: Key;
    readonly usd: bigint;
    readonly deadline?: bigint;
    readonly nonce?: bigint;
    readonly signer?: Key;
  },
): Promise<Permit> {
  const { user, usd } = permit;
  const deadline = permit.deadline ?? BigInt(evm.timeSeconds + 3600);
  const nonce = permit.nonce ?? ((await evm.read(place.token, 'nonces', [user.address])) as bigint);
  const hex = await (permit.signer ?? user).account.signTypedData({
    domain: {
      name: 'USD Coin',
      version: '2',
      chainId: evm.chainId,
      verifyingContract: place.token.address,
    },
    types: {
      Permit: [
        { name: 'owner', type: 'address' },
        { name: 'spender', type: 'address' },
        { name: 'value', type: 'uint256' },
        { name: 'nonce', type: 'uint256' },
        { name: 'deadline', type: 'uint256' },
      ],
    },
    primaryType: 'Permit',
    message: { owner: user.address, spender: place.spender, value: usd, nonce, deadline },
  });
  return { user: user.address, usd, deadline, signature: toSignature(hex) };
}

function toSignature(hex: Hex): Signature {
  const { r, s, yParity } = parseSignature(hex);
  return { r: hexToBigInt(r), s: hexToBigInt(s), v: 27 + yParity };
}
