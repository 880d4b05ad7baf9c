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

/** Signs tens of thousands of requests before a measurement. */

export const NETWORK = NETWORKS.testnet;

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

/** Returns undefined if the binding is not installed. */
export function loadSecp256k1(): Secp256k1 | undefined {
  try {
    return createRequire(import.meta.url)('secp256k1/bindings.js') as Secp256k1;
  } catch {
    return undefined;
  }
}

export type Key = { readonly secret: Uint8Array; readonly address: string };

type JsonObject = Readonly<Record<string, unknown>>;

/** A signed request, with the inputs for recovery alone. */
export type SignedRequest = {
  readonly text: string;
  readonly digest: Uint8Array;
  readonly signature: Uint8Array;
  readonly recoveryBit: number;
};

export type RequestSigner = {
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

/** Returns a minimal HTTP request, which keeps clients from using more CPU time than the server. */

export function requestBytes(path: string, text: string): Buffer {
  const head =
    `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n` +
    `content-length: ${Buffer.byteLength(text)}\r\n\r\n`;
  return Buffer.from(head + text);
}

/** Returns the end of the response, or undefined if it is incomplete. */
export function answerEnd(received: string): number | undefined {
  const bodyAt = received.indexOf('\r\n\r\n');
  if (bodyAt < 0) return undefined;
  const length = /\r\ncontent-length: (\d+)/i.exec(received)?.[1];
  const end = bodyAt + 4 + Number(length ?? 0);
  return received.length >= end ? end : undefined;
}

/** A minimal WebSocket handshake, which keeps clients from using more CPU time than the server. */

export const HANDSHAKE = Buffer.from(
  'GET /ws HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: upgrade\r\nupgrade: websocket\r\n' +
    'sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
);

const LENGTH_16 = 126;
const LENGTH_64 = 127;
const MASK_KEY = 0x5aa5_96c3;

/** Returns a masked text frame that posts an action. */
export function postBytes(id: number, text: string): Buffer {
  const body = Buffer.from(
    `{"method":"post","id":${id},"request":{"type":"action","payload":${text}}}`,
  );
  const head = Buffer.alloc(8);
  head[0] = 0x81;
  head[1] = 0x80 | LENGTH_16;
  head.writeUInt16BE(body.length, 2);
  head.writeUInt32BE(MASK_KEY, 4);
  for (let at = 0; at < body.length; at++) body[at]! ^= head[4 + (at % 4)]!;
  return Buffer.concat([head, body]);
}

/** Returns the end of a text frame from the server, or undefined while the frame is incomplete. */
export function frameEnd(received: string): number | undefined {
  if (received.length < 4) return undefined;
  const short = received.charCodeAt(1);
  if (short === LENGTH_64) throw new RangeError('the frame is too long');
  const long = (received.charCodeAt(2) << 8) | received.charCodeAt(3);
  const end = short === LENGTH_16 ? 4 + long : 2 + short;
  return received.length >= end ? end : undefined;
}
