/** Byte strings without Node's Buffer, so that the same code runs in a browser. */

const encoder = new TextEncoder();

/** UTF-8 bytes of a text. */
export function utf8(text: string): Uint8Array {
  return encoder.encode(text);
}

/** Bytes of a hex text with `0x`; an odd number of digits is padded on the left. */
export function hexToBytes(hex: string): Uint8Array {
  if (!/^0x[0-9a-fA-F]*$/.test(hex)) throw new RangeError(`not hex: ${hex}`);
  const digits = hex.length % 2 === 0 ? hex.slice(2) : `0${hex.slice(2)}`;
  const bytes = new Uint8Array(digits.length / 2);
  for (let index = 0; index < bytes.length; index++) {
    bytes[index] = Number.parseInt(digits.slice(index * 2, index * 2 + 2), 16);
  }
  return bytes;
}

const HEX_BYTES = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/** Lower-case hex text with `0x`. */
export function bytesToHex(bytes: Uint8Array): `0x${string}` {
  let text = '';
  for (const byte of bytes) text += HEX_BYTES[byte];
  return `0x${text}`;
}

/** The parts one after the other. */
export function concatBytes(...parts: readonly Uint8Array[]): Uint8Array {
  const out = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}

/** Writes an unsigned safe integer big-endian so that it ends before `end`. */
export function writeUintBefore(out: Uint8Array, end: number, value: number): void {
  if (!Number.isSafeInteger(value) || value < 0) throw new RangeError(`not an unsigned: ${value}`);
  let rest = value;
  for (let at = end - 1; rest > 0; at--) {
    out[at] = rest % 0x100;
    rest = Math.floor(rest / 0x100);
  }
}

/** An unsigned integer as eight big-endian bytes. */
export function u64be(value: number): Uint8Array {
  const out = new Uint8Array(8);
  writeUintBefore(out, 8, value);
  return out;
}
