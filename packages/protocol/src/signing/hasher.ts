import { keccak_256 } from '@noble/hashes/sha3.js';
import type { Network } from '../network.ts';
import { utf8 } from '../bytes.ts';
import {
  AGENT,
  DIRECT_STRUCTS,
  SEND_MULTI_SIG,
  domainOf,
  domainSeparator,
  encodeStruct,
  signedBytes,
  typeString,
  withMultiSigFields,
  type DirectActionType,
  type Keccak,
  type StructType,
  type StructValues,
} from './typed-data.ts';

/**
 * The hash functions for one network. All values that do not depend on a request are precomputed.
 */
export type Hasher = {
  readonly network: Network;
  readonly keccak: Keccak;
  /**
   * Returns the separator of the network's domain, or of the same domain with a different chain id.
   */
  readonly separator: (chainId?: number) => Uint8Array;
  readonly typeString: (struct: StructType) => string;
  /** Returns the encoding of the values of a struct; `structHash` hashes this encoding. */
  readonly encodeStruct: (struct: StructType, values: StructValues) => Uint8Array;
  readonly structHash: (struct: StructType, values: StructValues) => Uint8Array;
  /** The structs of direct actions for the inner signers of a multiSig wrapper. */
  readonly innerStructs: Readonly<Record<DirectActionType, StructType>>;
};

/** The default hash function, in plain JavaScript. */
export const nobleKeccak: Keccak = (bytes) => keccak_256(bytes);

/** Prepares hashing for one network. */
export function createHasher(network: Network, keccak: Keccak = nobleKeccak): Hasher {
  const innerStructs = Object.fromEntries(
    Object.entries(DIRECT_STRUCTS).map(([type, struct]) => [type, withMultiSigFields(struct)]),
  ) as Record<DirectActionType, StructType>;
  const structs = [AGENT, SEND_MULTI_SIG, ...Object.values(DIRECT_STRUCTS)];
  const types = new Map<StructType, { readonly text: string; readonly typeHash: Uint8Array }>();
  for (const struct of [...structs, ...Object.values(innerStructs)]) {
    const text = typeString(struct);
    types.set(struct, { text, typeHash: keccak(utf8(text)) });
  }
  const { serviceNetwork } = network;
  const ownName = keccak(utf8(serviceNetwork));
  // Every struct for this venue includes its network name, so the hash of that name is computed
  // only once.
  const hashText = (text: string): Uint8Array =>
    text === serviceNetwork ? ownName : keccak(utf8(text));
  const encode: Hasher['encodeStruct'] = (struct, values) =>
    encodeStruct(struct, values, { keccak, hashText, typeHash: types.get(struct)?.typeHash });
  const own = domainSeparator(domainOf(network), keccak);
  return {
    network,
    keccak,
    innerStructs,
    // Only the network's own separator is cached. Clients choose the other chain ids and could make
    // a cache grow without limit.
    separator: (chainId = network.chainId) =>
      chainId === network.chainId ? own : domainSeparator(domainOf(network, chainId), keccak),
    typeString: (struct) => types.get(struct)?.text ?? typeString(struct),
    encodeStruct: encode,
    structHash: (struct, values) => keccak(encode(struct, values)),
  };
}

/** The hashes of a signed struct. */
export type SignedStruct = {
  readonly typeString: string;
  /** The chain id of the domain under which the struct is signed. */
  readonly domainChainId: number;
  readonly structHash: Uint8Array;
  /** The preimage of the digest: `0x1901 ‖ domainSeparator ‖ structHash`. */
  readonly signed: Uint8Array;
  readonly digest: Uint8Array;
};

/** Hashes a struct under the domain with the given chain id. */
export function signStruct(
  hasher: Hasher,
  struct: StructType,
  values: StructValues,
  domainChainId = hasher.network.chainId,
): SignedStruct {
  const structHash = hasher.structHash(struct, values);
  const signed = signedBytes(hasher.separator(domainChainId), structHash);
  const digest = hasher.keccak(signed);
  return { typeString: hasher.typeString(struct), domainChainId, structHash, signed, digest };
}
