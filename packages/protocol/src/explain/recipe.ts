import { mapWithout } from '../json/msgpack.ts';
import { expiryBytes, vaultBytes } from '../signing/agent-hash.ts';
import { concatBytes, u64be } from '../bytes.ts';
import type { ActionHash, ActionToHash } from '../signing/hash-envelope.ts';
import {
  AGENT,
  DIRECT_STRUCTS,
  type Domain,
  domainOf,
  domainSeparator,
  hashStruct,
  isDirectActionType,
  type Keccak,
  SEND_MULTI_SIG,
  signedBytes,
  type StructType,
  type StructValues,
} from '../signing/typed-data.ts';
import type { Network } from '../network.ts';
import type { SignatureHex } from '../primitives.ts';

/** The inputs of a digest, each of which can be replaced to try a possible mistake. */
export type Recipe = {
  readonly domain: Domain;
  readonly struct: StructType;
  /** The values of the struct, except the hash of `hashed`. */
  readonly values: StructValues;
  /** The hashed parts; undefined for a direct action, whose struct holds the values themselves. */
  readonly hashed: HashedParts | undefined;
};

/** The parts of a preimage, in the order they are hashed. */
export type HashedParts = {
  readonly msgpack: Uint8Array;
  readonly nonce: Uint8Array;
  readonly vault: Uint8Array;
  readonly expiry: Uint8Array;
};

/**
 * Returns the inputs that the venue hashes for a request. `digestOf` computes the digest from these
 * inputs.
 */
export function recipeOf(request: ActionToHash, network: Network): Recipe {
  const { action, envelope, msgpack } = request;
  const type = String(action['type']);
  const domain = domainOf(network, envelope.signatureChainId ?? undefined);
  if (type === 'multiSig') {
    const values = { ...network, nonce: envelope.nonce };
    const hashed = hashedParts({ ...request, msgpack: mapWithout(msgpack, 'type') });
    return { domain, struct: SEND_MULTI_SIG, values, hashed };
  }
  if (isDirectActionType(type)) {
    return { domain, struct: DIRECT_STRUCTS[type], values: action, hashed: undefined };
  }
  return agentRecipe(request, network);
}

/** Returns the recipe for an action of any type as if it were signed by an agent. */
export function agentRecipe(request: ActionToHash, network: Network): Recipe {
  const hashed = hashedParts(request);
  return { domain: domainOf(network), struct: AGENT, values: { ...network }, hashed };
}

function hashedParts({ envelope, msgpack }: ActionToHash): HashedParts {
  return {
    msgpack,
    nonce: u64be(envelope.nonce),
    vault: vaultBytes(envelope.vaultAddress),
    expiry: expiryBytes(envelope.expiresAfter),
  };
}

/** Computes the digest of a recipe. */
export function digestOf({ domain, struct, values, hashed }: Recipe, keccak: Keccak): Uint8Array {
  const hash = hashed === undefined ? undefined : keccak(preimageOf(hashed));
  // Each struct has only one of the two fields, and hashing ignores the other one.
  const filled = { ...values, connectionId: hash, multiSigActionHash: hash };
  const structHash = hashStruct(struct, filled, { keccak });
  return keccak(signedBytes(domainSeparator(domain, keccak), structHash));
}

function preimageOf({ msgpack, nonce, vault, expiry }: HashedParts): Uint8Array {
  return concatBytes(msgpack, nonce, vault, expiry);
}

/** The venue's other networks and vaults, for which a client may have signed by mistake. */
export type ExplainContext = {
  readonly otherNetworks: readonly Network[];
  readonly settlementChainId: number;
  readonly vaults: readonly string[];
};

/** A signed request that is checked for mistakes. */
export type Subject = {
  readonly scheme: ActionHash['scheme'];
  readonly request: ActionToHash;
  readonly signature: SignatureHex;
  /** The recipe hashed by the venue itself. */
  readonly base: Recipe;
  readonly network: Network;
  readonly context: ExplainContext;
  readonly keccak: Keccak;
};

/** One way in which the client may have signed. */
export type Candidate = {
  readonly variant: string;
  /** The correction shown to the client. */
  readonly hint: string;
  /** The recipe that the client signed; by default the venue's. */
  readonly recipe?: Recipe;
  /** The signature that the client should have sent; by default the received one. */
  readonly signature?: SignatureHex;
};

/**
 * Yields the candidates for one mistake. They are generated lazily, because most searches end
 * early.
 */
export type Candidates = (subject: Subject) => Iterable<Candidate>;
