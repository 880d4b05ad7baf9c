import { instantiateSecp256k1 } from '@bitauth/libauth';
import {
  addressOf,
  createHasher,
  hashAction,
  jsonToMsgpack,
  NETWORKS,
  type Network,
} from '@oddlot/protocol';
import type { Address } from '@oddlot/units';

/**
 * Signs requests for tests of the HTTP edge. It uses the venue's own hashing, which other tests
 * check against vectors.
 */

export type TestKey = { readonly privateKey: Uint8Array; readonly address: Address };

const secp256k1 = await instantiateSecp256k1();
const hashers = new Map<Network, ReturnType<typeof createHasher>>();

/** Returns a key in which every byte has the same value. */
export function testKey(byte: number): TestKey {
  const privateKey = new Uint8Array(32).fill(byte);
  const publicKey = secp256k1.derivePublicKeyUncompressed(privateKey);
  if (typeof publicKey === 'string') throw new Error(publicKey);
  return { privateKey, address: addressOf(publicKey) };
}

export type SignOptions = {
  readonly key: TestKey;
  readonly nonce: number;
  readonly network?: Network;
  readonly vaultAddress?: string | null;
  readonly signatureChainId?: number | null;
  readonly expiresAfter?: number;
  readonly confirm?: 'executed';
};

export function signed(action: Record<string, unknown>, options: SignOptions): string {
  const { key, network = NETWORKS.testnet, confirm, ...envelope } = options;
  const msgpack = jsonToMsgpack(JSON.stringify(action));
  const { digest } = hashAction({ msgpack, action, envelope }, hasherOf(network));
  return JSON.stringify({ action, signature: signDigest(key, digest), ...envelope, confirm });
}

export type MultiSignOptions = Omit<SignOptions, 'key'> & {
  /** The address of the acting multi-sig account. */
  readonly user: string;
  /** The key that sends the wrapper, and the keys that sign the inner action. */
  readonly outer: TestKey;
  readonly inner: readonly TestKey[];
  /** The sender named in the wrapper, if it differs from the real sender. */
  readonly named?: string;
};

export function multiSigned(
  action: Record<string, unknown>,
  { user, outer, inner, named = outer.address, ...options }: MultiSignOptions,
): string {
  const { network = NETWORKS.testnet, confirm: _, ...envelope } = options;
  const payload = { multiSigUser: user, outerSigner: named, action };
  const wrapper = (signatures: readonly object[]) => ({ type: 'multiSig', signatures, payload });
  const draft = wrapper([]);
  const msgpack = jsonToMsgpack(JSON.stringify(draft));
  const hash = hashAction({ msgpack, action: draft, envelope }, hasherOf(network));
  if (hash.scheme !== 'multiSig') throw new Error('not a wrapper');
  const { digest } = hash.inner;
  const signatures = inner.map((key) => signDigest(key, digest));
  return signed(wrapper(signatures), { ...options, key: outer });
}

function hasherOf(network: Network): ReturnType<typeof createHasher> {
  let hasher = hashers.get(network);
  if (hasher === undefined) hashers.set(network, (hasher = createHasher(network)));
  return hasher;
}

function signDigest(key: TestKey, digest: Uint8Array): { r: string; s: string; v: number } {
  const made = secp256k1.signMessageHashRecoverableCompact(key.privateKey, digest);
  if (typeof made === 'string') throw new Error(made);
  return {
    r: `0x${Buffer.from(made.signature.subarray(0, 32)).toString('hex')}`,
    s: `0x${Buffer.from(made.signature.subarray(32)).toString('hex')}`,
    v: 27 + made.recoveryId,
  };
}

export type TestOrder = {
  readonly a?: number;
  readonly b?: boolean;
  readonly p?: string;
  readonly s?: string;
  readonly r?: boolean;
  readonly t?: object;
  readonly m?: string;
  readonly c?: string;
};

/** Returns an order action. Omitted fields default to those of an ordinary limit order. */
export function orderAction(...orders: readonly TestOrder[]): Record<string, unknown> {
  const plain = { a: 1, b: true, p: '100', s: '0.5', r: false, t: { limit: { tif: 'Gtc' } } };
  const given = orders.length === 0 ? [{}] : orders;
  return { type: 'order', grouping: 'na', orders: given.map((order) => ({ ...plain, ...order })) };
}

export function approveAgentAction(
  nonce: number,
  agentAddress: string,
  network: Network = NETWORKS.testnet,
): Record<string, unknown> {
  return directAction('approveAgent', nonce, { agentAddress }, network);
}

/** Returns an action that only the account's own key can sign. */
export function directAction(
  type: string,
  nonce: number,
  fields: Record<string, unknown>,
  network: Network = NETWORKS.testnet,
): Record<string, unknown> {
  const { serviceNetwork, chainId, apiVersion } = network;
  return { type, serviceNetwork, chainId, apiVersion, ...fields, nonce };
}
