import { SignatureSchema, type SignatureHex } from '../primitives.ts';
import { hexToBytes, writeHexBefore } from '../bytes.ts';

/** Half the order of secp256k1: `s` above it is the same signature in its malleable form. */
export const HALF_ORDER = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;

/** A signature as bytes. */
export type Signature = {
  /** 32 bytes. */
  readonly r: Uint8Array;
  /** 32 bytes. */
  readonly s: Uint8Array;
  readonly v: 27 | 28;
};

/** Pads `r` and `s`, and maps `v` of 0 or 1 to 27 or 28; undefined for anything malformed. */
export function normaliseSignature(value: unknown): SignatureHex | undefined {
  return SignatureSchema.safeParse(value).data;
}

/**
 * Reads a signature straight to bytes: the same as `normaliseSignature`, which a test holds it against,
 * at a fraction of its cost. Undefined for anything malformed.
 */
export function readSignature(value: unknown): Signature | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const { r, s, v } = value as Readonly<Record<string, unknown>>;
  const recovery = recoveryOf(v);
  const [rBytes, sBytes] = [componentBytes(r), componentBytes(s)];
  if (recovery === undefined || rBytes === undefined || sBytes === undefined) return undefined;
  return { r: rBytes, s: sBytes, v: recovery };
}

/** `v` in its one form; undefined when it is none. */
export function recoveryOf(v: unknown): Signature['v'] | undefined {
  if (v === 27 || v === 0) return 27;
  return v === 28 || v === 1 ? 28 : undefined;
}

/** Of `r` and of `s`. */
export const COMPONENT_BYTES = 32;
const COMPONENT_CHARS_MAX = 2 + 2 * COMPONENT_BYTES;

function componentBytes(hex: unknown): Uint8Array | undefined {
  if (typeof hex !== 'string' || hex.length < 3 || hex.length > COMPONENT_CHARS_MAX)
    return undefined;
  const bytes = new Uint8Array(COMPONENT_BYTES);
  return writeHexBefore(bytes, COMPONENT_BYTES, hex) ? bytes : undefined;
}

/** The bytes of a normalised signature. */
export function signatureBytes(signature: SignatureHex): Signature {
  return { r: hexToBytes(signature.r), s: hexToBytes(signature.s), v: signature.v };
}

/** True when `s` is in the lower half, the only form that is accepted. */
export function isLowS(signature: SignatureHex): boolean {
  return BigInt(signature.s) <= HALF_ORDER;
}

const HALF_ORDER_BYTES = hexToBytes(`0x${HALF_ORDER.toString(16)}`);

/** The same of `s` in 32 bytes. */
export function isLowBytes(s: Uint8Array): boolean {
  let index = 0;
  while (index < COMPONENT_BYTES && s[index] === HALF_ORDER_BYTES[index]) index++;
  return (s[index] ?? 0) <= (HALF_ORDER_BYTES[index] ?? 0);
}
