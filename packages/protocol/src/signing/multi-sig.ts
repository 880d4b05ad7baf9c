import { arrayOf, mapEntry, mapWithout } from '../json/msgpack-slice.ts';
import {
  actionPreimage,
  hashAgentAction,
  type AgentHash,
  type SignedContext,
} from './agent-hash.ts';
import { signStruct, type Hasher, type SignedStruct } from './hasher.ts';
import { SEND_MULTI_SIG, isDirectActionType, type StructValues } from './typed-data.ts';

/** The envelope of a multiSig wrapper; the chain id counts for outer and inner signatures alike. */
export type MultiSigContext = SignedContext & {
  readonly signatureChainId?: number | null | undefined;
};

/** The payload of a wrapper, as received. */
export type MultiSigPayload = {
  readonly multiSigUser: string;
  readonly outerSigner: string;
  readonly action: StructValues;
};

/** What the sender of the wrapper signs. */
export type MultiSigHash = SignedStruct & {
  readonly preimage: Uint8Array;
  readonly multiSigActionHash: Uint8Array;
};

/** Hashes the wrapper, `type` left out, for its sender. */
export function hashMultiSig(
  hasher: Hasher,
  msgpack: Uint8Array,
  context: MultiSigContext,
): MultiSigHash {
  const preimage = actionPreimage(mapWithout(msgpack, 'type'), context);
  const multiSigActionHash = hasher.keccak(preimage);
  const values = { ...hasher.network, multiSigActionHash, nonce: context.nonce };
  const struct = signStruct(hasher, SEND_MULTI_SIG, values, context.signatureChainId ?? undefined);
  return { ...struct, preimage, multiSigActionHash };
}

/** What every inner signer signs: an agent-signed action or a direct one. */
export type InnerHash =
  | (AgentHash & { readonly scheme: 'agent'; readonly msgpack: Uint8Array })
  | (SignedStruct & { readonly scheme: 'direct' });

/**
 * Hashes the inner action for its signers. `msgpack` is that of the whole wrapper: the addresses
 * and the inner action are cut out of it as they were sent.
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
