import { SignatureSchema, type SignatureHex } from '../primitives.ts';
import { hexToBytes, writeHexBefore } from '../bytes.ts';

/** Half of the order of secp256k1. A signature with a higher `s` is in its malleable form. */
export const HALF_ORDER = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;

/** A signature in bytes; `r` and `s` have 32 bytes each. */
export type Signature = {
  readonly r: Uint8Array;
  readonly s: Uint8Array;
  readonly v: 27 | 28;
};

/**
 * Pads `r` and `s`, and maps `v` of 0 or 1 to 27 or 28. Returns undefined for a malformed
 * signature.
 */
export function normaliseSignature(value: unknown): SignatureHex | undefined {
  return SignatureSchema.safeParse(value).data;
}

/**
 * Converts a signature to bytes without the schema, at a fraction of the cost of
 * `normaliseSignature`. A test checks that both accept the same values. Returns undefined for a
 * malformed signature.
 */
export function readSignature(value: unknown): Signature | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const { r, s, v } = value as Readonly<Record<string, unknown>>;
  const recovery = recoveryOf(v);
  const [rBytes, sBytes] = [componentBytes(r), componentBytes(s)];
  if (recovery === undefined || rBytes === undefined || sBytes === undefined) return undefined;
  return { r: rBytes, s: sBytes, v: recovery };
}

/** Maps `v` to 27 or 28, or returns undefined for an invalid value. */
export function recoveryOf(v: unknown): Signature['v'] | undefined {
  if (v === 27 || v === 0) return 27;
  return v === 28 || v === 1 ? 28 : undefined;
}

/** The length of `r` and of `s`. */
export const COMPONENT_BYTES = 32;
const COMPONENT_CHARS_MAX = 2 + 2 * COMPONENT_BYTES;

function componentBytes(hex: unknown): Uint8Array | undefined {
  if (typeof hex !== 'string' || hex.length < 3 || hex.length > COMPONENT_CHARS_MAX)
    return undefined;
  const bytes = new Uint8Array(COMPONENT_BYTES);
  return writeHexBefore(bytes, COMPONENT_BYTES, hex) ? bytes : undefined;
}

/** Converts a normalised signature to bytes. */
export function signatureBytes(signature: SignatureHex): Signature {
  return { r: hexToBytes(signature.r), s: hexToBytes(signature.s), v: signature.v };
}

/** Returns true if `s` is in the lower half of the order, which is the only accepted form. */
export function isLowS(signature: SignatureHex): boolean {
  return BigInt(signature.s) <= HALF_ORDER;
}

const HALF_ORDER_BYTES = hexToBytes(`0x${HALF_ORDER.toString(16)}`);

/** Returns true if `s`, given in 32 bytes, is in the lower half of the order. */
export function isLowBytes(s: Uint8Array): boolean {
  let index = 0;
  while (index < COMPONENT_BYTES && s[index] === HALF_ORDER_BYTES[index]) index++;
  return (s[index] ?? 0) <= (HALF_ORDER_BYTES[index] ?? 0);
}
