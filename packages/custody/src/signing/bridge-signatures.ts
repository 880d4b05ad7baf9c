import { type Hex, parseSignature } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';

/** A payout by the bridge. `usd` is the amount after the fee, in micro-USDC. */
export type Payout = {
  readonly withdrawalId: bigint;
  readonly user: Hex;
  readonly destination: Hex;
  readonly usd: bigint;
};

export type ValidatorRequest =
  | { readonly type: 'payout'; readonly payout: Payout }
  | {
      readonly type: 'cancellation';
      readonly withdrawalId: bigint;
      /** The owner of the withdrawal, which a validator verifies. */
      readonly user: Hex;
      /** The reason shown to the validator's operator; not part of the contract call. */
      readonly reason: string;
    };

/** A signature is valid for only one chain and one contract. */
export type BridgeDomain = { readonly chainId: number; readonly bridge: Hex };

export type BridgeSignature = { readonly r: bigint; readonly s: bigint; readonly v: number };

export type Signed = { readonly address: Hex; readonly signature: BridgeSignature };

/** A signer for the bridge: a key in this process, or another process behind a URL. */
export type Validator = {
  /** The name shown to operators. */
  readonly name: string;
  /**
   * Returns a valid signature of this request by this validator. Implementations that use another
   * process verify the signature. If the validator refuses or is unreachable, the error has a
   * message for operators.
   */
  sign(request: ValidatorRequest, signal: AbortSignal): Promise<Signed>;
};

/** Returns a validator whose key is in this process. */
export function keyValidator(key: Hex, domain: BridgeDomain): Validator {
  const account = privateKeyToAccount(key);
  const address = account.address.toLowerCase() as Hex;
  return {
    name: address,
    async sign(request) {
      const text = await account.signTypedData(bridgeTypedData(domain, request));
      const { r, s, yParity } = parseSignature(text);
      return { address, signature: { r: BigInt(r), s: BigInt(s), v: LOWEST_V + yParity } };
    },
  };
}

const LOWEST_V = 27;

/** The EIP-712 types of the messages that a validator process can sign. */
export const WITHDRAWAL_TYPES = {
  Payout: [
    { name: 'withdrawalId', type: 'uint64' },
    { name: 'user', type: 'address' },
    { name: 'destination', type: 'address' },
    { name: 'usd', type: 'uint64' },
  ],
  Cancellation: [{ name: 'withdrawalId', type: 'uint64' }],
} as const;

/** Returns the EIP-712 data that the bridge verifies a signature against. */
export function bridgeTypedData({ bridge, chainId }: BridgeDomain, request: ValidatorRequest) {
  const domain = { name: 'OddlotBridge', version: '1', chainId, verifyingContract: bridge };
  const types = WITHDRAWAL_TYPES;
  if (request.type === 'payout') {
    return { domain, types, primaryType: 'Payout', message: request.payout } as const;
  }
  const message = { withdrawalId: request.withdrawalId };
  return { domain, types, primaryType: 'Cancellation', message } as const;
}
