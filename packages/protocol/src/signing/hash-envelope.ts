import type { SignatureHex } from '../signature-schema.ts';
import { hashAgentAction, type AgentHash } from './agent-hash.ts';
import { signStruct, type Hasher, type SignedStruct } from './hasher.ts';
import {
  hashInnerAction,
  hashMultiSig,
  type InnerHash,
  type MultiSigContext,
  type MultiSigHash,
  type MultiSigPayload,
} from './multi-sig.ts';
import { signatureBytes } from './signature.ts';
import { txHash } from './tx-hash.ts';
import { DIRECT_STRUCTS, isDirectActionType, type StructValues } from './typed-data.ts';

/** A request to hash: the action both as encoded bytes and as the values that `JSON.parse` gave. */
export type ActionToHash = {
  /** MessagePack of the action in the key order of the request text. */
  readonly msgpack: Uint8Array;
  /**
   * The action as received, after its shape was checked. Not the parsed form: direct structs hash
   * the texts as they were sent, `perps` and trailing zeros included.
   */
  readonly action: StructValues;
  readonly envelope: MultiSigContext;
};

/** A hashed action that is no wrapper. `signed` is P, the part of the transaction hash before the signature. */
type SingleHash =
  | (AgentHash & { readonly scheme: 'agent' })
  | (SignedStruct & { readonly scheme: 'direct' });

/** A hashed action. */
export type ActionHash =
  | SingleHash
  | (MultiSigHash & { readonly scheme: 'multiSig'; readonly inner: InnerHash });

/** Hashes an action in the scheme of its type; the signature is over `digest`. */
export function hashAction(request: ActionToHash, hasher: Hasher): ActionHash {
  const { msgpack, action, envelope } = request;
  if (action['type'] !== 'multiSig') return hashSingleAction(request, hasher);
  const payload = action['payload'] as MultiSigPayload;
  const inner = hashInnerAction(hasher, { msgpack, payload, context: envelope });
  return { ...hashMultiSig(hasher, msgpack, envelope), scheme: 'multiSig', inner };
}

/** The same of an action that is no wrapper, without what wrappers take. */
export function hashSingleAction(
  { msgpack, action, envelope }: ActionToHash,
  hasher: Hasher,
): SingleHash {
  const type = String(action['type']);
  if (isDirectActionType(type)) {
    const chainId = envelope.signatureChainId ?? undefined;
    const struct = signStruct(hasher, DIRECT_STRUCTS[type], action, chainId);
    return { ...struct, scheme: 'direct' };
  }
  const hash = hashAgentAction(hasher, msgpack, envelope);
  // The transaction hash of an agent-signed action covers the preimage, not the struct around it.
  return { ...hash, signed: hash.preimage, scheme: 'agent' };
}

/** A hashed action together with the hash that names the signed request. */
export type EnvelopeHash = ActionHash & { readonly txHash: Uint8Array };

/** Hashes a signed request: what to recover the signer from, and its transaction hash. */
export function hashEnvelope(
  request: ActionToHash & { readonly envelope: { readonly signature: SignatureHex } },
  hasher: Hasher,
): EnvelopeHash {
  const hash = hashAction(request, hasher);
  const signature = signatureBytes(request.envelope.signature);
  return { ...hash, txHash: txHash(hash.signed, signature, hasher.keccak) };
}
