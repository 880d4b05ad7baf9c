import { createRequire } from 'node:module';
import { encode } from '@msgpack/msgpack';
import {
  bytesToHex,
  concatHex,
  hashDomain,
  hashStruct,
  hexToBytes,
  keccak256,
  numberToHex,
  stringToHex,
  type Hex,
} from 'viem';
import { privateKeyToAddress, sign } from 'viem/accounts';

/**
 * Signs requests as a client would. The code follows the specification and uses only public
 * libraries, so it does not share bugs with the venue's signing code.
 */

export type Network = {
  readonly serviceNetwork: string;
  readonly chainId: number;
  readonly apiVersion: number;
};

export const TESTNET: Network = {
  serviceNetwork: 'Oddlot-Testnet',
  chainId: 2511,
  apiVersion: 1,
};

export const ZERO_ADDRESS = '0x0000000000000000000000000000000000000000';

/** An action, or any other JSON object in a request. */
export type JsonObject = { readonly [key: string]: unknown };

export type Signature = { readonly r: string; readonly s: string; readonly v: number };

export type Envelope = {
  action: JsonObject;
  signature: Signature;
  nonce: number;
  vaultAddress?: string | null;
  signatureChainId?: number | null;
  expiresAfter?: number | null;
  confirm?: string;
};

/** A signed request with its hashes and its trace id. */
export type Signed = {
  readonly envelope: Envelope;
  readonly digest: Hex;
  readonly txHash: Hex;
  readonly traceId: string;
};

export type AgentOptions = {
  readonly nonce: number;
  readonly vaultAddress?: string | null;
  readonly expiresAfter?: number | null;
  readonly network?: Network;
  /** The MessagePack bytes of the action, if they differ from what the library produces. */
  readonly packed?: Hex;
};

/** Returns the bytes that are hashed and signed for an agent-signed action. */
export function agentPreimage(action: JsonObject, options: AgentOptions): Hex {
  const packed = options.packed ?? bytesToHex(encode(action));
  const vault =
    options.vaultAddress === undefined || options.vaultAddress === null
      ? '0x00'
      : concatHex(['0x01', options.vaultAddress as Hex]);
  const expiry =
    options.expiresAfter === undefined || options.expiresAfter === null
      ? '0x'
      : concatHex(['0x00', u64(options.expiresAfter)]);
  return concatHex([packed, u64(options.nonce), vault, expiry]);
}

/** Returns the EIP-712 domain of all signatures. */
export function domainOf(network: Network, chainId = network.chainId) {
  return {
    name: network.serviceNetwork,
    version: String(network.apiVersion),
    chainId,
    verifyingContract: ZERO_ADDRESS,
  } as const;
}

export const AGENT_TYPES = {
  Agent: [
    { name: 'serviceNetwork', type: 'string' },
    { name: 'chainId', type: 'uint32' },
    { name: 'apiVersion', type: 'uint32' },
    { name: 'connectionId', type: 'bytes32' },
  ],
};

export const APPROVE_AGENT_TYPES = {
  ApproveAgent: [
    { name: 'serviceNetwork', type: 'string' },
    { name: 'chainId', type: 'uint32' },
    { name: 'apiVersion', type: 'uint32' },
    { name: 'agentAddress', type: 'address' },
    { name: 'agentName', type: 'string' },
    { name: 'nonce', type: 'uint64' },
  ],
};

export function agentDigest(
  action: JsonObject,
  options: AgentOptions,
): { digest: Hex; preimage: Hex } {
  const network = options.network ?? TESTNET;
  const preimage = agentPreimage(action, options);
  const typed = typedBytes(domainOf(network), AGENT_TYPES, 'Agent', {
    ...network,
    connectionId: keccak256(preimage),
  });
  return { digest: keccak256(typed), preimage };
}

/** Signs an action that agents can sign, such as an order or a cancel. */
export async function signAgentAction(
  privateKey: Hex,
  action: JsonObject,
  options: AgentOptions,
): Promise<Signed> {
  const { digest, preimage } = agentDigest(action, options);
  const signature = await signDigest(privateKey, digest);
  const envelope: Envelope = { action, signature, nonce: options.nonce };
  if (options.vaultAddress !== undefined) envelope.vaultAddress = options.vaultAddress;
  if (options.expiresAfter !== undefined) envelope.expiresAfter = options.expiresAfter;
  return { envelope, digest, ...receiptNames(preimage, signature) };
}

export type ApproveAgentOptions = {
  readonly agentAddress: string;
  /**
   * The label of the agent. It is omitted from the action if undefined, and sent as null if null.
   */
  readonly agentName?: string | null;
  readonly nonce: number;
  readonly actionNonce?: number;
  readonly network?: Network;
  readonly signatureChainId?: number;
};

/** Returns an approveAgent action with its keys in canonical order. */
export function approveAgentAction(options: ApproveAgentOptions): JsonObject {
  const network = options.network ?? TESTNET;
  return {
    type: 'approveAgent',
    serviceNetwork: network.serviceNetwork,
    chainId: network.chainId,
    apiVersion: network.apiVersion,
    agentAddress: options.agentAddress,
    ...(options.agentName === undefined ? {} : { agentName: options.agentName }),
    nonce: options.actionNonce ?? options.nonce,
  };
}

export async function signApproveAgent(
  privateKey: Hex,
  options: ApproveAgentOptions,
): Promise<Signed> {
  const network = options.network ?? TESTNET;
  const typed = typedBytes(
    domainOf(network, options.signatureChainId ?? network.chainId),
    APPROVE_AGENT_TYPES,
    'ApproveAgent',
    {
      ...network,
      agentAddress: options.agentAddress,
      agentName: options.agentName ?? '',
      nonce: BigInt(options.actionNonce ?? options.nonce),
    },
  );
  const digest = keccak256(typed);
  const signature = await signDigest(privateKey, digest);
  const envelope: Envelope = {
    action: approveAgentAction(options),
    signature,
    nonce: options.nonce,
  };
  if (options.signatureChainId !== undefined) envelope.signatureChainId = options.signatureChainId;
  return { envelope, digest, ...receiptNames(typed, signature) };
}

type Native = {
  ecdsaSign(digest: Uint8Array, key: Uint8Array): { signature: Uint8Array; recid: number };
  publicKeyCreate(key: Uint8Array, isCompressed: boolean): Uint8Array;
};

/**
 * The optional native secp256k1 library is a hundred times as fast. `wallet.test.ts` compares it
 * with the JavaScript implementation.
 */
const native = nativeLibrary();

function nativeLibrary(): Native | undefined {
  try {
    return createRequire(import.meta.url)('secp256k1/bindings.js') as Native;
  } catch {
    return undefined;
  }
}

/** Returns a signature in wire form: r and s have 64 hexadecimal digits each, and v is 27 or 28. */
export async function signDigest(privateKey: Hex, hash: Hex): Promise<Signature> {
  if (native === undefined) return signInScript(privateKey, hash);
  const { recid, signature } = native.ecdsaSign(hexToBytes(hash), hexToBytes(privateKey));
  const [r, s] = [bytesToHex(signature.subarray(0, 32)), bytesToHex(signature.subarray(32))];
  return { r, s, v: 27 + recid };
}

/** Signs like `signDigest`, but always in plain JavaScript. */
export async function signInScript(privateKey: Hex, hash: Hex): Promise<Signature> {
  const { r, s, v } = await sign({ hash, privateKey });
  return { r, s, v: Number(v) };
}

/** Returns the `txHash` of a request and the `traceId` derived from it. */
export function receiptNames(
  preimage: Hex,
  signature: Signature,
): { txHash: Hex; traceId: string } {
  const v = signature.v < 27 ? signature.v + 27 : signature.v;
  const txHash = keccak256(
    concatHex([preimage, pad32(signature.r), pad32(signature.s), numberToHex(v, { size: 1 })]),
  );
  return { txHash, traceId: traceIdOf(txHash) };
}

/** Formats the first 16 bytes as a UUID with version nibble 4 and variant bits 10. */
export function traceIdOf(txHash: Hex): string {
  const digits = txHash.slice(2, 34).split('');
  digits[12] = '4';
  digits[16] = ((Number.parseInt(digits[16]!, 16) & 0x3) | 0x8).toString(16);
  const hex = digits.join('');
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    hex.slice(12, 16),
    hex.slice(16, 20),
    hex.slice(20),
  ].join('-');
}

/** Returns a deterministic key, so that failures are reproducible. */
export function keyOf(label: string): Hex {
  return keccak256(stringToHex(`oddlot test key of ${label}`));
}

/** Returns the address of a key in lower case, as the venue does. */
export function addressOf(privateKey: Hex): Hex {
  if (native === undefined) return addressInScript(privateKey);
  const point = native.publicKeyCreate(hexToBytes(privateKey), false).subarray(1);
  return `0x${keccak256(point).slice(-40)}`;
}

export function addressInScript(privateKey: Hex): Hex {
  return privateKeyToAddress(privateKey).toLowerCase() as Hex;
}

let lastNonce = 0;

/** A nonce further ahead of the clock than this must come from a test that advanced the clock. */
const AHEAD_MS_MAX = 60_000;

/**
 * Returns a nonce that no test in this process has used: the current time, or the last nonce plus
 * one.
 */
export function nextNonce(): number {
  const nowMs = Date.now();
  lastNonce = lastNonce > nowMs + AHEAD_MS_MAX ? nowMs : Math.max(nowMs, lastNonce + 1);
  return lastNonce;
}

export type Types = Record<string, readonly { readonly name: string; readonly type: string }[]>;

const DOMAIN_TYPE = [
  { name: 'name', type: 'string' },
  { name: 'version', type: 'string' },
  { name: 'chainId', type: 'uint256' },
  { name: 'verifyingContract', type: 'address' },
];

/** Returns `0x1901 ‖ domainSeparator ‖ structHash`. */
export function typedBytes(
  domain: ReturnType<typeof domainOf>,
  types: Types,
  primaryType: string,
  message: Record<string, unknown>,
): Hex {
  const separator = hashDomain<Record<string, unknown>>({
    domain,
    types: { EIP712Domain: DOMAIN_TYPE },
  });
  return concatHex(['0x1901', separator, hashStruct({ data: message, primaryType, types })]);
}

function u64(value: number): Hex {
  return numberToHex(value, { size: 8 });
}

function pad32(hex: string): Hex {
  return `0x${hex.slice(2).padStart(64, '0')}`;
}
