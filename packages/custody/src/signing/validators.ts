import { type Hex, parseSignature } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';

/** What the bridge is to pay: `usd` millionths of a dollar, the fee already off. */
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
      /** Whose it is: a validator looks it up. */
      readonly user: Hex;
      /** For whoever is asked to sign; the contract does not see it. */
      readonly reason: string;
    };

/** A signature is worth something on one chain and for one contract only. */
export type BridgeDomain = { readonly chainId: number; readonly bridge: Hex };

/** As the bridge wants it. */
export type BridgeSignature = { readonly r: bigint; readonly s: bigint; readonly v: number };

export type Signed = { readonly address: Hex; readonly signature: BridgeSignature };

/** Someone who signs for the bridge: a key of this process, or another process behind a URL. */
export type Validator = {
  /** For operators. */
  readonly name: string;
  /**
   * A signature that is its own and of this request: whoever asks another process checks that. Throws when
   * it refuses or cannot be asked; the message is for operators.
   */
  sign(request: ValidatorRequest, signal: AbortSignal): Promise<Signed>;
};

/** A validator whose key this process has. */
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

const TYPES = {
  Payout: [
    { name: 'withdrawalId', type: 'uint64' },
    { name: 'user', type: 'address' },
    { name: 'destination', type: 'address' },
    { name: 'usd', type: 'uint64' },
  ],
  Cancellation: [{ name: 'withdrawalId', type: 'uint64' }],
} as const;

/** The EIP-712 data that the bridge checks a signature against. */
export function bridgeTypedData({ bridge, chainId }: BridgeDomain, request: ValidatorRequest) {
  const domain = { name: 'OddlotBridge', version: '1', chainId, verifyingContract: bridge };
  if (request.type === 'payout') {
    return { domain, types: TYPES, primaryType: 'Payout', message: request.payout } as const;
  }
  const message = { withdrawalId: request.withdrawalId };
  return { domain, types: TYPES, primaryType: 'Cancellation', message } as const;
}
