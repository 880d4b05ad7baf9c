import { SignatureSchema, type SignatureHex } from '../signature-schema.ts';
import { hexToBytes } from './bytes.ts';

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

/** The bytes of a normalised signature. */
export function signatureBytes(signature: SignatureHex): Signature {
  return { r: hexToBytes(signature.r), s: hexToBytes(signature.s), v: signature.v };
}

/** True when `s` is in the lower half, the only form that is accepted. */
export function isLowS(signature: SignatureHex): boolean {
  return BigInt(signature.s) <= HALF_ORDER;
}
