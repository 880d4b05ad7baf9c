import { actionPreimage, type SignedContext } from '../signing/agent-hash.ts';
import {
  type Domain,
  domainSeparator,
  encodeStruct,
  type Keccak,
  signedBytes,
  type StructType,
  type StructValues,
} from '../signing/typed-data.ts';

/** The hashes of requests that are signed for Hyperliquid. */

/** The network that an L1 signature names: `a` is Hyperliquid's mainnet, `b` its testnet. */
type HyperliquidSource = 'a' | 'b';

const AGENT: StructType = {
  name: 'Agent',
  fields: [
    ['source', 'string'],
    ['connectionId', 'bytes32'],
  ],
};

const CHAIN = ['hyperliquidChain', 'string'] as const;

/** The structs of actions that a wallet shows to its user. */
const USER_SIGNED: Readonly<Record<string, StructType>> = {
  approveAgent: {
    name: 'HyperliquidTransaction:ApproveAgent',
    fields: [CHAIN, ['agentAddress', 'address'], ['agentName', 'string'], ['nonce', 'uint64']],
  },
  approveBuilderFee: {
    name: 'HyperliquidTransaction:ApproveBuilderFee',
    fields: [CHAIN, ['maxFeeRate', 'string'], ['builder', 'address'], ['nonce', 'uint64']],
  },
  usdSend: {
    name: 'HyperliquidTransaction:UsdSend',
    fields: [CHAIN, ['destination', 'string'], ['amount', 'string'], ['time', 'uint64']],
  },
  withdraw3: {
    name: 'HyperliquidTransaction:Withdraw',
    fields: [CHAIN, ['destination', 'string'], ['amount', 'string'], ['time', 'uint64']],
  },
};

const NO_CONTRACT = { verifyingContract: '0x0000000000000000000000000000000000000000' } as const;
const L1_DOMAIN: Domain = { name: 'Exchange', version: '1', chainId: 1337, ...NO_CONTRACT };
const USER_DOMAIN = { name: 'HyperliquidSignTransaction', version: '1', ...NO_CONTRACT };

type RequestToHash = {
  /** MessagePack of the action in the key order of the request text. */
  readonly msgpack: Uint8Array;
  /** The action as received, after its schema was checked. */
  readonly action: StructValues;
  readonly envelope: SignedContext;
};

type RequestHash = {
  readonly digest: Uint8Array;
  /** `0x1901 ‖ domainSeparator ‖ structHash`, the part of the transaction hash before the signature. */
  readonly signed: Uint8Array;
};

/** True for actions with their own struct; all others are hashed as MessagePack. */
export function isUserSigned(type: string): boolean {
  return Object.hasOwn(USER_SIGNED, type);
}

/** Hashes a request as the clients of Hyperliquid do; `source` applies to L1 actions. */
export function createHyperliquidHasher(
  keccak: Keccak,
): (request: RequestToHash, source: HyperliquidSource) => RequestHash {
  const l1 = domainSeparator(L1_DOMAIN, keccak);
  const hashed = (separator: Uint8Array, struct: StructType, values: StructValues): RequestHash => {
    const signed = signedBytes(separator, keccak(encodeStruct(struct, values, { keccak })));
    return { digest: keccak(signed), signed };
  };
  return ({ action, envelope, msgpack }, source) => {
    const struct = USER_SIGNED[String(action['type'])];
    if (struct === undefined) {
      const connectionId = keccak(actionPreimage(msgpack, envelope));
      return hashed(l1, AGENT, { source, connectionId });
    }
    const chainId = Number.parseInt(String(action['signatureChainId']), 16);
    return hashed(domainSeparator({ ...USER_DOMAIN, chainId }, keccak), struct, action);
  };
}
