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

/** All that goes into a digest, part by part, so that one part can be replaced. */
export type Recipe = {
  readonly domain: Domain;
  readonly struct: StructType;
  /** The values of the struct, but for the hash of `hashed`. */
  readonly values: StructValues;
  /** Undefined for a direct action: its struct holds the values themselves. */
  readonly hashed: HashedParts | undefined;
};

/** The parts of a preimage, in their order. */
export type HashedParts = {
  readonly msgpack: Uint8Array;
  readonly nonce: Uint8Array;
  readonly vault: Uint8Array;
  readonly expiry: Uint8Array;
};

/** What the venue hashes for a request; `digestOf` of it is the digest that the venue recovers from. */
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

/** The recipe of an agent-signed action, whatever the type of the action. */
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

/** The digest that a recipe gives. */
export function digestOf({ domain, struct, values, hashed }: Recipe, keccak: Keccak): Uint8Array {
  const hash = hashed === undefined ? undefined : keccak(preimageOf(hashed));
  // Each struct takes the field that it has.
  const filled = { ...values, connectionId: hash, multiSigActionHash: hash };
  const structHash = hashStruct(struct, filled, { keccak });
  return keccak(signedBytes(domainSeparator(domain, keccak), structHash));
}

function preimageOf({ msgpack, nonce, vault, expiry }: HashedParts): Uint8Array {
  return concatBytes(msgpack, nonce, vault, expiry);
}

/** What the venue knows beside the request: what else a client may have signed for. */
export type ExplainContext = {
  readonly otherNetworks: readonly Network[];
  readonly settlementChainId: number;
  /** Registered vaults. */
  readonly vaults: readonly string[];
};

/** A signed request whose mistake is looked for. */
export type Subject = {
  readonly scheme: ActionHash['scheme'];
  readonly request: ActionToHash;
  readonly signature: SignatureHex;
  /** What the venue hashes. */
  readonly base: Recipe;
  readonly network: Network;
  readonly context: ExplainContext;
  readonly keccak: Keccak;
};

/** One way in which the client may have signed. */
export type Candidate = {
  readonly variant: string;
  /** What the client should change. */
  readonly hint: string;
  /** The recipe that was signed; the venue's when left out. */
  readonly recipe?: Recipe;
  /** The signature that was meant; the received one when left out. */
  readonly signature?: SignatureHex;
};

/** The candidates of one mistake, made as they are asked for. */
export type Candidates = (subject: Subject) => Iterable<Candidate>;
