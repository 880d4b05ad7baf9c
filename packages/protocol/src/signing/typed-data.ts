import type { Network } from '../network.ts';
import { hexToBytes, utf8, writeUintBefore } from '../bytes.ts';
import { DIRECT_STRUCTS } from '../shapes/action-tables.ts';

export { DIRECT_STRUCTS } from '../shapes/action-tables.ts';

/**
 * This EIP-712 encoder supports only the venue's flat structs, in which every field is one 32-byte
 * word: no nesting, no arrays and no dynamic bytes.
 */

/**
 * Computes Keccak-256 and returns a new array. A server supplies a faster implementation than the
 * default.
 */
export type Keccak = (bytes: Uint8Array) => Uint8Array;

type FieldType = 'string' | 'address' | 'bytes32' | 'uint32' | 'uint64' | 'uint256';

/** The name and type of a field in a struct; fields are in signing order. */
type Field = readonly [name: string, type: FieldType];

export type StructType = { readonly name: string; readonly fields: readonly Field[] };

const HEAD: readonly Field[] = [
  ['serviceNetwork', 'string'],
  ['chainId', 'uint32'],
  ['apiVersion', 'uint32'],
];
const NONCE: Field = ['nonce', 'uint64'];

const DOMAIN: StructType = {
  name: 'EIP712Domain',
  fields: [
    ['name', 'string'],
    ['version', 'string'],
    ['chainId', 'uint256'],
    ['verifyingContract', 'address'],
  ],
};

/** The struct of an agent-signed action; `connectionId` is the hash of the action. */
export const AGENT: StructType = {
  name: 'Agent',
  fields: [...HEAD, ['connectionId', 'bytes32']],
};

/** The struct that a multiSig wrapper's sender signs. */
export const SEND_MULTI_SIG: StructType = {
  name: 'SendMultiSig',
  fields: [...HEAD, ['multiSigActionHash', 'bytes32'], NONCE],
};

export type DirectActionType = keyof typeof DIRECT_STRUCTS;

/** Returns true for actions that have their own struct, which is signed directly. */
export function isDirectActionType(type: string): type is DirectActionType {
  return Object.hasOwn(DIRECT_STRUCTS, type);
}

/**
 * Returns the struct that a multiSig wrapper's inner signers sign. It also includes the account
 * they act for.
 */
export function withMultiSigFields(struct: StructType): StructType {
  const inserted: Field[] = [
    ['payloadMultiSigUser', 'address'],
    ['outerSigner', 'address'],
  ];
  const fields = [...struct.fields.slice(0, HEAD.length), ...inserted];
  return { name: struct.name, fields: [...fields, ...struct.fields.slice(HEAD.length)] };
}

/** Returns the type string of a struct, whose hash is the first word of the encoding. */
export function typeString(struct: StructType): string {
  return `${struct.name}(${struct.fields.map(([name, type]) => `${type} ${name}`).join(',')})`;
}

export type Domain = {
  readonly name: string;
  readonly version: string;
  readonly chainId: number;
  readonly verifyingContract: `0x${string}`;
};

/** Returns the domain of a network. For direct actions, a wallet may use its own chain id. */
export function domainOf(network: Network, chainId = network.chainId): Domain {
  const verifyingContract = '0x0000000000000000000000000000000000000000';
  const version = String(network.apiVersion);
  return { name: network.serviceNetwork, version, chainId, verifyingContract };
}

/** The values of a struct by field name; values of type bytes32 are bytes. */
export type StructValues = Readonly<Record<string, unknown>>;

const WORD = 32;

/** Computes `keccak(typeHash ‖ word per field)`. */
export function hashStruct(
  struct: StructType,
  values: StructValues,
  tools: StructTools,
): Uint8Array {
  return tools.keccak(encodeStruct(struct, values, tools));
}

type StructTools = {
  readonly keccak: Keccak;
  /** Hashes a string. The caller can cache the hashes of frequent strings. */
  readonly hashText?: ((text: string) => Uint8Array) | undefined;
  readonly typeHash?: Uint8Array | undefined;
};

/** Encodes a struct as `typeHash ‖ word per field`. */
export function encodeStruct(
  struct: StructType,
  values: StructValues,
  {
    keccak,
    hashText = (text) => keccak(utf8(text)),
    typeHash = hashText(typeString(struct)),
  }: StructTools,
): Uint8Array {
  const encoded = new Uint8Array(WORD * (struct.fields.length + 1));
  encoded.set(typeHash, 0);
  struct.fields.forEach(([name, type], index) => {
    const start = WORD * (index + 1);
    writeWord(encoded, start, type, values[name], hashText);
  });
  return encoded;
}

/** Computes the separator that binds a digest to a network. */
export function domainSeparator(domain: Domain, keccak: Keccak): Uint8Array {
  return hashStruct(DOMAIN, domain, { keccak });
}

/** Returns the preimage of the digest: `0x1901 ‖ domainSeparator ‖ structHash`. */
export function signedBytes(separator: Uint8Array, structHash: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(2 + 2 * WORD);
  bytes[0] = 0x19;
  bytes[1] = 0x01;
  bytes.set(separator, 2);
  bytes.set(structHash, 2 + WORD);
  return bytes;
}

function writeWord(
  out: Uint8Array,
  start: number,
  type: FieldType,
  value: unknown,
  hashText: (text: string) => Uint8Array,
): void {
  if (type === 'string') {
    // An absent or null string is hashed as an empty one, because the unnamed agent has an empty
    // label.
    out.set(hashText(typeof value === 'string' ? value : ''), start);
  } else if (type === 'bytes32') {
    out.set(value as Uint8Array, start);
  } else if (type === 'address') {
    out.set(hexToBytes(value as string), start + 12);
  } else {
    writeUintBefore(out, start + WORD, value as number);
  }
}
