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

/**
 * The network in the signature of an L1 action: `a` stands for Hyperliquid's mainnet and `b` for
 * its testnet.
 */
type HyperliquidSource = 'a' | 'b';

const AGENT: StructType = {
  name: 'Agent',
  fields: [
    ['source', 'string'],
    ['connectionId', 'bytes32'],
  ],
};

const CHAIN = ['hyperliquidChain', 'string'] as const;

/** The typed-data structs of user-signed actions, whose fields a wallet shows to the user. */
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
  /** The MessagePack encoding of the action in the key order of the request text. */
  readonly msgpack: Uint8Array;
  /** The action as received, after validation against its schema. */
  readonly action: StructValues;
  readonly envelope: SignedContext;
};

type RequestHash = {
  readonly digest: Uint8Array;
  /**
   * The signed bytes `0x1901 ‖ domainSeparator ‖ structHash`. The transaction hash covers these
   * bytes and the signature.
   */
  readonly signed: Uint8Array;
};

/**
 * Returns true for actions that are signed as their own typed-data struct. All others (L1 actions)
 * are signed through the hash of their MessagePack encoding.
 */
export function isUserSigned(type: string): boolean {
  return Object.hasOwn(USER_SIGNED, type);
}

/**
 * Creates a function that hashes a request the same way as Hyperliquid's clients. `source` is used
 * only for L1 actions.
 */
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
