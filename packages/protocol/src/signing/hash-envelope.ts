import type { SignatureHex } from '../primitives.ts';
import {
  actionPreimage,
  type AgentHash,
  hashAgentAction,
  type SignedContext,
} from './agent-hash.ts';
import { type Hasher, type SignedStruct, signStruct } from './hasher.ts';
import { type Signature, signatureBytes } from './signature.ts';
import {
  DIRECT_STRUCTS,
  isDirectActionType,
  type Keccak,
  SEND_MULTI_SIG,
  type StructValues,
} from './typed-data.ts';
import { arrayOf, mapEntry, mapWithout } from '../json/msgpack.ts';
import { concatBytes } from '../bytes.ts';
import type { ActionInput } from '../actions/registry.ts';
import { ACTION_SHAPES } from '../shapes/action-shapes.ts';
import { arrange, type ObjectShape } from '../shapes/shape.ts';

/** A request to hash, with its action both as MessagePack and as values from `JSON.parse`. */
export type ActionToHash = {
  /** The MessagePack encoding of the action in the key order of the request text. */
  readonly msgpack: Uint8Array;
  /**
   * The action as received, after a check of its shape. It must not be the parsed form, because
   * direct structs hash strings as sent, including `perps` and trailing zeros.
   */
  readonly action: StructValues;
  readonly envelope: MultiSigContext;
};

/**
 * The hash of an action that is not a wrapper. `signed` is P, the part of the transaction hash
 * before the signature.
 */
type SingleHash =
  | (AgentHash & { readonly scheme: 'agent' })
  | (SignedStruct & { readonly scheme: 'direct' });

export type ActionHash =
  | SingleHash
  | (MultiSigHash & { readonly scheme: 'multiSig'; readonly inner: InnerHash });

/** Hashes an action with the scheme of its type. The signature covers `digest`. */
export function hashAction(request: ActionToHash, hasher: Hasher): ActionHash {
  const { msgpack, action, envelope } = request;
  if (action['type'] !== 'multiSig') return hashSingleAction(request, hasher);
  const payload = action['payload'] as MultiSigPayload;
  const inner = hashInnerAction(hasher, { msgpack, payload, context: envelope });
  return { ...hashMultiSig(hasher, msgpack, envelope), scheme: 'multiSig', inner };
}

/** Hashes an action that is not a multiSig wrapper. */
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
  // The transaction hash of an agent-signed action covers the preimage instead of the struct.
  return { ...hash, signed: hash.preimage, scheme: 'agent' };
}

/** The hash of an action, along with the hash that identifies the signed request. */
export type EnvelopeHash = ActionHash & { readonly txHash: Uint8Array };

/**
 * Hashes a signed request. The result contains the data from which the signer is recovered, and the
 * transaction hash.
 */
export function hashEnvelope(
  request: ActionToHash & { readonly envelope: { readonly signature: SignatureHex } },
  hasher: Hasher,
): EnvelopeHash {
  const hash = hashAction(request, hasher);
  const signature = signatureBytes(request.envelope.signature);
  return { ...hash, txHash: txHash(hash.signed, signature, hasher.keccak) };
}

/**
 * The envelope fields of a multiSig wrapper. The chain id applies to both the outer and the inner
 * signatures.
 */
export type MultiSigContext = SignedContext & {
  readonly signatureChainId?: number | null | undefined;
};

/** The payload of a wrapper, as received. */
export type MultiSigPayload = {
  readonly multiSigUser: string;
  readonly outerSigner: string;
  readonly action: StructValues;
};

/** The data that the wrapper's sender signs. */
type MultiSigHash = SignedStruct & {
  readonly preimage: Uint8Array;
  readonly multiSigActionHash: Uint8Array;
};

/** Hashes the wrapper without its `type` for the sender. */
function hashMultiSig(hasher: Hasher, msgpack: Uint8Array, context: MultiSigContext): MultiSigHash {
  const preimage = actionPreimage(mapWithout(msgpack, 'type'), context);
  const multiSigActionHash = hasher.keccak(preimage);
  const values = { ...hasher.network, multiSigActionHash, nonce: context.nonce };
  const struct = signStruct(hasher, SEND_MULTI_SIG, values, context.signatureChainId ?? undefined);
  return { ...struct, preimage, multiSigActionHash };
}

/** The data that every inner signer signs, for an agent-signed or direct action. */
export type InnerHash =
  | (AgentHash & { readonly scheme: 'agent'; readonly msgpack: Uint8Array })
  | (SignedStruct & { readonly scheme: 'direct' });

/**
 * Hashes the inner action for its signers. `msgpack` is the encoding of the whole wrapper; the
 * addresses and the inner action are taken from it as sent.
 */
export function hashInnerAction(
  hasher: Hasher,
  {
    msgpack,
    payload,
    context,
  }: {
    msgpack: Uint8Array;
    payload: MultiSigPayload;
    context: MultiSigContext;
  },
): InnerHash {
  const type = payload.action['type'];
  if (typeof type === 'string' && isDirectActionType(type)) {
    const values = {
      ...payload.action,
      payloadMultiSigUser: payload.multiSigUser,
      outerSigner: payload.outerSigner,
    };
    const chainId = context.signatureChainId ?? undefined;
    const struct = signStruct(hasher, hasher.innerStructs[type], values, chainId);
    return { ...struct, scheme: 'direct' };
  }
  const encoded = mapEntry(msgpack, 'payload');
  const parts = ['multiSigUser', 'outerSigner', 'action'].map((key) =>
    encoded === undefined ? undefined : mapEntry(encoded, key),
  );
  const inner = arrayOf(parts.filter((part) => part !== undefined));
  return { ...hashAgentAction(hasher, inner, context), scheme: 'agent', msgpack: inner };
}

/** Computes `keccak(P ‖ r ‖ s ‖ v)`, which identifies a signed request even if it is sent again. */
export function txHash(signed: Uint8Array, signature: Signature, keccak: Keccak): Uint8Array {
  return keccak(concatBytes(signed, signature.r, signature.s, Uint8Array.of(signature.v)));
}

/**
 * Formats the first 16 bytes of a transaction hash as a UUID of version 4, which is the action's
 * trace id.
 */
export function traceId(hash: string): string {
  const digits = hash.slice(2, 34).toLowerCase();
  const variant = ((Number.parseInt(digits.charAt(16), 16) & 0x3) | 0x8).toString(16);
  return [
    digits.slice(0, 8),
    digits.slice(8, 12),
    `4${digits.slice(13, 16)}`,
    `${variant}${digits.slice(17, 20)}`,
    digits.slice(20, 32),
  ].join('-');
}

/**
 * Returns an action without undefined fields and with its keys in the order of the schema. The same
 * applies to the inner action of a wrapper. Throws for an unknown key or action type.
 */
export function canonicalAction<Input extends ActionInput>(action: Input): Input {
  const ordered = arrange(actionShape(action.type), action, action.type);
  if (ordered.type !== 'multiSig') return ordered;
  const inner = canonicalAction(ordered.payload.action as ActionInput);
  return { ...ordered, payload: { ...ordered.payload, action: inner } };
}

/** Returns the shape of an action type. Throws for an unknown type. */
export function actionShape(type: string): ObjectShape {
  const shape = Object.hasOwn(ACTION_SHAPES, type) ? ACTION_SHAPES[type] : undefined;
  if (shape === undefined) throw new RangeError(`unknown action type: ${type}`);
  return shape;
}
