/**
 * This module uses byte arrays instead of Node's Buffer, so that the same code runs in a browser.
 */

const encoder = new TextEncoder();

/** Encodes a string in UTF-8. */
export function utf8(text: string): Uint8Array {
  return encoder.encode(text);
}

/** The result of `hexDigit` for a character that is not a hex digit. */
export const NO_DIGIT = 0xff;
const DIGITS = new Uint8Array(128).fill(NO_DIGIT);
for (const [value, digit] of [...'0123456789abcdef'].entries()) {
  DIGITS[digit.charCodeAt(0)] = value;
  DIGITS[digit.toUpperCase().charCodeAt(0)] = value;
}

/** Decodes a hex string with `0x`. An odd number of digits is padded with a zero on the left. */
export function hexToBytes(hex: string): Uint8Array {
  const bytes = new Uint8Array(Math.max(0, (hex.length - 1) >> 1));
  if (!writeHexBefore(bytes, bytes.length, hex)) throw new RangeError(`not hex: ${hex}`);
  return bytes;
}

/**
 * Writes the bytes of a hex string with `0x` so that they end just before `end`. Returns false if
 * the string is not hex.
 */
export function writeHexBefore(out: Uint8Array, end: number, hex: string): boolean {
  if (!hex.startsWith('0x')) return false;
  let at = end;
  for (let index = hex.length - 1; index >= 2; index -= 2) {
    const low = hexDigit(hex.charCodeAt(index));
    const high = index === 2 ? 0 : hexDigit(hex.charCodeAt(index - 1));
    if (low === NO_DIGIT || high === NO_DIGIT) return false;
    out[--at] = high * 16 + low;
  }
  return true;
}

/** Returns the value of a hex digit from its character code. */
export function hexDigit(code: number | undefined): number {
  return DIGITS[code ?? DIGITS.length] ?? NO_DIGIT;
}

const HEX_BYTES = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/** Encodes bytes as a lower-case hex string with `0x`. */
export function bytesToHex(bytes: Uint8Array): `0x${string}` {
  let text = '0x';
  for (let index = 0; index < bytes.length; index++) text += HEX_BYTES[bytes[index] as number];
  return text as `0x${string}`;
}

/** Concatenates byte arrays. */
export function concatBytes(...parts: readonly Uint8Array[]): Uint8Array {
  const out = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}

/** Writes an unsigned safe integer in big-endian order so that it ends just before `end`. */
export function writeUintBefore(out: Uint8Array, end: number, value: number): void {
  if (!Number.isSafeInteger(value) || value < 0) throw new RangeError(`not an unsigned: ${value}`);
  let rest = value;
  for (let at = end - 1; rest > 0; at--) {
    out[at] = rest % 0x100;
    rest = Math.floor(rest / 0x100);
  }
}

/** Encodes an unsigned integer as eight big-endian bytes. */
export function u64be(value: number): Uint8Array {
  const out = new Uint8Array(8);
  writeUintBefore(out, 8, value);
  return out;
}
