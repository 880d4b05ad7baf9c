import { concatBytes, hexToBytes, u64be } from './bytes.ts';
import { signStruct, type Hasher, type SignedStruct } from './hasher.ts';
import { AGENT } from './typed-data.ts';

/** What is hashed beside the action: the parts of the envelope that a signature covers. */
export type SignedContext = {
  readonly nonce: number;
  readonly vaultAddress?: string | null | undefined;
  readonly expiresAfter?: number | null | undefined;
};

const NO_VAULT = Uint8Array.of(0);
const VAULT = Uint8Array.of(1);
const EXPIRY = Uint8Array.of(0);

/** `msgpack ‖ nonce ‖ vault ‖ expiry`: the bytes that an agent-signed action stands for. */
export function actionPreimage(msgpack: Uint8Array, context: SignedContext): Uint8Array {
  const { nonce, vaultAddress, expiresAfter } = context;
  const parts = [msgpack, u64be(nonce)];
  if (vaultAddress === null || vaultAddress === undefined) parts.push(NO_VAULT);
  else parts.push(VAULT, hexToBytes(vaultAddress));
  if (expiresAfter !== null && expiresAfter !== undefined) parts.push(EXPIRY, u64be(expiresAfter));
  return concatBytes(...parts);
}

/** An agent-signed action, hashed. */
export type AgentHash = SignedStruct & {
  readonly preimage: Uint8Array;
  readonly connectionId: Uint8Array;
};

/** Hashes an agent-signed action. The domain is always the network's own. */
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
