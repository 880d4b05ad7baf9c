import { writeUintBefore } from '../bytes.ts';
import type { Hasher } from './hasher.ts';
import type { Signature } from './signature.ts';
import { AGENT, signedBytes } from './typed-data.ts';

/**
 * Hashes agent-signed requests that name no vault in buffers that are laid out ahead:
 * the same as `hashAgentAction` and `txHash`, which the signing vectors hold it against, without making
 * a dozen arrays a request.
 */

type AgentRequest = {
  readonly msgpack: Uint8Array;
  readonly nonce: number;
  readonly expiresAfter: number | undefined;
  readonly signature: Signature;
};

type AgentRequestHash = {
  readonly digest: Uint8Array;
  /** Names the request. */
  readonly txHash: Uint8Array;
};

const WORD = 32;
/** After the action: the nonce, and that there is no vault. */
const CONTEXT_BYTES = 9;
/** What says that an expiry follows, and the expiry. */
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
