import { concatBytes, hexToBytes, u64be, writeUintBefore } from '../bytes.ts';
import { type Hasher, type SignedStruct, signStruct } from './hasher.ts';
import { AGENT, signedBytes } from './typed-data.ts';
import type { Signature } from './signature.ts';

/** The envelope fields that a signature covers in addition to the action. */
export type SignedContext = {
  readonly nonce: number;
  readonly vaultAddress?: string | null | undefined;
  readonly expiresAfter?: number | null | undefined;
};

const NO_VAULT = Uint8Array.of(0);
const VAULT = Uint8Array.of(1);
const EXPIRY = Uint8Array.of(0);
const NO_EXPIRY = new Uint8Array(0);

/**
 * Returns the bytes of an agent-signed action that are hashed: `msgpack ‖ nonce ‖ vault ‖ expiry`.
 */
export function actionPreimage(msgpack: Uint8Array, context: SignedContext): Uint8Array {
  const { nonce, vaultAddress, expiresAfter } = context;
  return concatBytes(msgpack, u64be(nonce), vaultBytes(vaultAddress), expiryBytes(expiresAfter));
}

/** Returns the vault as part of the preimage: a single zero byte if there is no vault. */
export function vaultBytes(vaultAddress: SignedContext['vaultAddress']): Uint8Array {
  if (vaultAddress === null || vaultAddress === undefined) return NO_VAULT;
  return concatBytes(VAULT, hexToBytes(vaultAddress));
}

/** Returns the expiry as part of the preimage: no bytes if there is no expiry. */
export function expiryBytes(expiresAfter: SignedContext['expiresAfter']): Uint8Array {
  if (expiresAfter === null || expiresAfter === undefined) return NO_EXPIRY;
  return concatBytes(EXPIRY, u64be(expiresAfter));
}

export type AgentHash = SignedStruct & {
  readonly preimage: Uint8Array;
  readonly connectionId: Uint8Array;
};

/** Hashes an agent-signed action. Its domain always has the network's chain id. */
export function hashAgentAction(
  hasher: Hasher,
  msgpack: Uint8Array,
  context: SignedContext,
): AgentHash {
  const preimage = actionPreimage(msgpack, context);
  const connectionId = hasher.keccak(preimage);
  const struct = signStruct(hasher, AGENT, { ...hasher.network, connectionId });
  return { ...struct, preimage, connectionId };
}

/** An agent-signed request without a vault. */

type AgentRequest = {
  readonly msgpack: Uint8Array;
  readonly nonce: number;
  readonly expiresAfter: number | undefined;
  readonly signature: Signature;
};

type AgentRequestHash = {
  readonly digest: Uint8Array;
  /** The transaction hash, which identifies the request. */
  readonly txHash: Uint8Array;
};

const WORD = 32;
/** The size of the nonce, plus one byte for the absent vault. */
const CONTEXT_BYTES = 9;
/** The size of the expiry (8 bytes) plus the marker byte before it. */
const EXPIRY_BYTES = 9;
const SIGNATURE_BYTES = 65;

export function createAgentRequestHasher(
  hasher: Hasher,
): (request: AgentRequest) => AgentRequestHash {
  const { keccak, network } = hasher;
  const struct = hasher.encodeStruct(AGENT, { ...network, connectionId: new Uint8Array(WORD) });
  const signed = signedBytes(hasher.separator(), new Uint8Array(WORD));
  let buffer = new Uint8Array(1024);
  return ({ msgpack, nonce, expiresAfter, signature }) => {
    const context = msgpack.length + CONTEXT_BYTES;
    const preimage = context + (expiresAfter === undefined ? 0 : EXPIRY_BYTES);
    const length = preimage + SIGNATURE_BYTES;
    if (buffer.length < length) buffer = new Uint8Array(2 * length);
    buffer.set(msgpack, 0);
    buffer.fill(0, msgpack.length, preimage);
    writeUintBefore(buffer, context - 1, nonce);
    if (expiresAfter !== undefined) writeUintBefore(buffer, preimage, expiresAfter);
    const connectionId = keccak(buffer.subarray(0, preimage));
    struct.set(connectionId, struct.length - WORD);
    signed.set(keccak(struct), signed.length - WORD);
    const digest = keccak(signed);
    buffer.set(signature.r, preimage);
    buffer.set(signature.s, preimage + WORD);
    buffer[length - 1] = signature.v;
    return { digest, txHash: keccak(buffer.subarray(0, length)) };
  };
}
