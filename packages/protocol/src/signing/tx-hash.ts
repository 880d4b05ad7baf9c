import { concatBytes } from '../bytes.ts';
import type { Signature } from './signature.ts';
import type { Keccak } from './typed-data.ts';

/** `keccak(P ‖ r ‖ s ‖ v)`: names one signed request, whoever sends it again. */
export function txHash(signed: Uint8Array, signature: Signature, keccak: Keccak): Uint8Array {
  return keccak(concatBytes(signed, signature.r, signature.s, Uint8Array.of(signature.v)));
}

/** The first 16 bytes of a transaction hash as a UUID of version 4; one per action. */
export function traceId(hash: string): string {
  const digits = hash.slice(2, 34).toLowerCase();
  const variant = ((Number.parseInt(digits.charAt(16), 16) & 0x3) | 0x8).toString(16);
  return [
    digits.slice(0, 8),
    digits.slice(8, 12),
    `4${digits.slice(13, 16)}`,
    `${variant}${digits.slice(17, 20)}`,
    digits.slice(20, 32),
  ].join('-');
}
