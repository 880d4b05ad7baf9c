import { concatBytes, hexToBytes, u64be } from '../bytes.ts';
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
const NO_EXPIRY = new Uint8Array(0);

/** `msgpack ‖ nonce ‖ vault ‖ expiry`: the bytes that an agent-signed action stands for. */
export function actionPreimage(msgpack: Uint8Array, context: SignedContext): Uint8Array {
  const { nonce, vaultAddress, expiresAfter } = context;
  return concatBytes(msgpack, u64be(nonce), vaultBytes(vaultAddress), expiryBytes(expiresAfter));
}

/** The part of the preimage that names the vault; one byte when there is none. */
export function vaultBytes(vaultAddress: SignedContext['vaultAddress']): Uint8Array {
  if (vaultAddress === null || vaultAddress === undefined) return NO_VAULT;
  return concatBytes(VAULT, hexToBytes(vaultAddress));
}

/** The part of the preimage that holds the expiry; nothing when there is none. */
export function expiryBytes(expiresAfter: SignedContext['expiresAfter']): Uint8Array {
  if (expiresAfter === null || expiresAfter === undefined) return NO_EXPIRY;
  return concatBytes(EXPIRY, u64be(expiresAfter));
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
