import {
  addressOf,
  bytesToHex,
  createHasher,
  encodeMsgpack,
  hashAction,
  hexToBytes,
  type Keccak,
  NETWORKS,
} from '@oddlot/protocol';
import { createKeccak } from 'hash-wasm';
import { createRequire } from 'node:module';

/** Signs requests ahead of a measurement, fast enough for tens of thousands of them. */

export const NETWORK = NETWORKS.testnet;

/** The calls of the native library that are used here. */
type Secp256k1 = {
  readonly ecdsaSign: (
    digest: Uint8Array,
    key: Uint8Array,
  ) => { readonly signature: Uint8Array; readonly recid: number };
  readonly ecdsaRecover: (
    signature: Uint8Array,
    recoveryBit: number,
    digest: Uint8Array,
    compressed: boolean,
  ) => Uint8Array;
  readonly publicKeyCreate: (key: Uint8Array, compressed: boolean) => Uint8Array;
};

/** The binding, or undefined on a machine that has none. */
export function loadSecp256k1(): Secp256k1 | undefined {
  try {
    return createRequire(import.meta.url)('secp256k1/bindings.js') as Secp256k1;
  } catch {
    return undefined;
  }
}

export type Key = { readonly secret: Uint8Array; readonly address: string };

type JsonObject = Readonly<Record<string, unknown>>;

/** A signed request, and the parts that a raw recovery takes. */
export type SignedRequest = {
  readonly text: string;
  readonly digest: Uint8Array;
  readonly signature: Uint8Array;
  readonly recoveryBit: number;
};

export type RequestSigner = {
  /** The n-th key: the same in every run. */
  readonly key: (n: number) => Key;
  readonly sign: (key: Key, action: JsonObject, nonce: number) => SignedRequest;
};

export async function createRequestSigner(secp256k1: Secp256k1): Promise<RequestSigner> {
  const wasm = await createKeccak(256);
  const keccak: Keccak = (bytes) => wasm.init().update(bytes).digest('binary');
  const hasher = createHasher(NETWORK, keccak);
  return {
    key(n) {
      const secret = hexToBytes(`0x${(0xb3c4_0000 + n).toString(16).padStart(64, '7')}`);
      return { secret, address: addressOf(secp256k1.publicKeyCreate(secret, false), keccak) };
    },
    sign(key, action, nonce) {
      const msgpack = encodeMsgpack(action);
      const { digest } = hashAction({ msgpack, action, envelope: { nonce } }, hasher);
      const { signature, recid } = secp256k1.ecdsaSign(digest, key.secret);
      const r = bytesToHex(signature.subarray(0, 32));
      const s = bytesToHex(signature.subarray(32));
      const text = JSON.stringify({ action, signature: { r, s, v: 27 + recid }, nonce });
      return { text, digest, signature, recoveryBit: recid };
    },
  };
}

/** Binds an agent to the account whose key signs this. */
export function approveAgentAction(agentAddress: string, nonce: number): JsonObject {
  const { serviceNetwork, chainId, apiVersion } = NETWORK;
  return { type: 'approveAgent', serviceNetwork, chainId, apiVersion, agentAddress, nonce };
}

export type WireOrder = {
  readonly a: number;
  readonly b: boolean;
  readonly p: string;
  readonly s: string;
  readonly r: boolean;
  readonly t: { readonly limit: { readonly tif: 'Gtc' | 'Ioc' } };
};

export function orderAction(orders: readonly WireOrder[]): JsonObject {
  return { type: 'order', grouping: 'na', orders };
}

/** HTTP by hand, for clients that must not take more of the cores than the server. */

/** A request as it goes over the line. */
export function requestBytes(path: string, text: string): Buffer {
  const head =
    `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n` +
    `content-length: ${Buffer.byteLength(text)}\r\n\r\n`;
  return Buffer.from(head + text);
}

/** Where the answer ends; undefined while parts of it are missing. */
export function answerEnd(received: string): number | undefined {
  const bodyAt = received.indexOf('\r\n\r\n');
  if (bodyAt < 0) return undefined;
  const length = /\r\ncontent-length: (\d+)/i.exec(received)?.[1];
  const end = bodyAt + 4 + Number(length ?? 0);
  return received.length >= end ? end : undefined;
}
