import { isUtf8 } from 'node:buffer';

/**
 * A growing buffer with the value encodings that all formats in this folder use. `ByteReader` reads
 * them.
 * - number: integers below 248 are the byte itself. Other non-negative integers are 248 + n
 *   followed by n bytes (1 to 6), lowest first. Every other number is 255 and a float of 8 bytes.
 * - text: a number, which is four times the byte count plus the kind; then the bytes. Kind 0 is
 *   UTF-8, 1 the bytes of `0x` and lower-case hex digits, 2 UTF-16 for strings that UTF-8 cannot
 *   represent.
 * - int: seven bits per byte, lowest first, with the sign as the lowest bit, so that small values
 *   of either sign are short.
 * - utf8: an int, the byte count; then the bytes.
 */

const DIRECT_BELOW = 0xf8;
const FLOAT = 0xff;
const INTEGER_BYTES_MAX = 6;
const UTF8 = 0;
const HEX = 1;
const UTF16 = 2;
const TEXT_KINDS = 4;

/** The bound of an int: twice the value plus one must still be an exact number. */
export const INT_MAX = 2 ** 51;

const TWO_POW_32 = 2 ** 32;
const NUMBER_BYTES_MAX = 9;
const U32_BYTES = 4;
/** A UTF-16 code unit takes at most three bytes in UTF-8. */
const UTF8_BYTES_PER_UNIT_MAX = 3;
const ZERO_CODE = 0x30;
const X_CODE = 0x78;
/** The values of lower-case hex digits by character code; 16 for all other characters. */
const CODES_MASK = 0x7f;
const DIGITS = Uint8Array.from({ length: CODES_MASK + 1 }, (_, code) => {
  const digit = '0123456789abcdef'.indexOf(String.fromCharCode(code));
  return digit < 0 ? 16 : digit;
});

export class ByteWriter {
  readonly #allocate: (length: number) => Buffer;
  #bytes: Buffer;
  #length = 0;

  constructor(
    initialBytes: number,
    allocate: (length: number) => Buffer = (length) => Buffer.allocUnsafeSlow(length),
  ) {
    this.#allocate = allocate;
    this.#bytes = allocate(initialBytes);
  }

  /** The bytes are valid only until the next write, because growing replaces the buffer. */
  get bytes(): Buffer {
    return this.#bytes;
  }

  get length(): number {
    return this.#length;
  }

  /** The bytes written so far. Copy them to keep them. */
  get written(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  skip(count: number): void {
    this.#reserve(count);
    this.#length += count;
  }

  truncate(length: number): void {
    this.#length = length;
  }

  /** Discards the content and releases any memory above `retainedBytesMax`. */
  clear(retainedBytesMax: number, initialBytes: number): void {
    this.#length = 0;
    if (this.#bytes.length > retainedBytesMax) this.#bytes = this.#allocate(initialBytes);
  }

  byte(value: number): true {
    this.#reserve(1);
    this.#bytes[this.#length] = value;
    this.#length += 1;
    return true;
  }

  /** Writes a number. Returns false and writes nothing if the value is not a number. */
  number(value: unknown): boolean {
    if (typeof value !== 'number') return false;
    this.#reserve(NUMBER_BYTES_MAX);
    const at = this.#length;
    const count = integerBytes(value);
    if (count === 0) {
      this.#bytes[at] = value;
      this.#length = at + 1;
    } else if (count <= INTEGER_BYTES_MAX) {
      this.#integer(value, count);
    } else {
      this.#bytes[at] = FLOAT;
      this.#bytes.writeDoubleLE(value, at + 1);
      this.#length = at + NUMBER_BYTES_MAX;
    }
    return true;
  }

  /** Writes a string. Returns false and writes nothing if the value is not a string. */
  text(value: unknown): boolean {
    if (typeof value !== 'string') return false;
    if (this.#hex(value)) return true;
    const isValid = value.isWellFormed();
    const count = isValid ? Buffer.byteLength(value) : 2 * value.length;
    this.number(count * TEXT_KINDS + (isValid ? UTF8 : UTF16));
    this.#reserve(count);
    this.#bytes.write(value, this.#length, count, isValid ? 'utf8' : 'utf16le');
    this.#length += count;
    return true;
  }

  copy(value: Uint8Array): void {
    this.#reserve(value.length);
    this.#bytes.set(value, this.#length);
    this.#length += value.length;
  }

  int(value: number): void {
    let rest = value < 0 ? -2 * value - 1 : 2 * value;
    for (; rest >= TWO_POW_32; rest = Math.floor(rest / 0x80)) this.byte(0x80 | (rest % 0x80));
    // Shifts are cheaper than divisions but limited to 32 bits.
    for (; rest > 0x7f; rest >>>= 7) this.byte(0x80 | (rest & 0x7f));
    this.byte(rest);
  }

  utf8(value: string): void {
    const count = Buffer.byteLength(value);
    this.int(count);
    this.#reserve(count);
    this.#length += this.#bytes.write(value, this.#length);
  }

  digits(hex: string): void {
    this.#reserve(hex.length / 2);
    this.#length += this.#bytes.write(hex, this.#length, 'hex');
  }

  /** Writes a string as UTF-8 without examining it; the byte count comes first. */
  sizedText(value: string): void {
    this.#reserve(U32_BYTES + value.length * UTF8_BYTES_PER_UNIT_MAX);
    const count = this.#bytes.write(value, this.#length + U32_BYTES);
    this.#bytes.writeUInt32LE(count, this.#length);
    this.#length += U32_BYTES + count;
  }

  u32(value: number): void {
    this.#reserve(U32_BYTES);
    this.#bytes.writeUInt32LE(value, this.#length);
    this.#length += U32_BYTES;
  }

  /** Writes the bytes directly, because `writeUIntLE` is three times slower due to its checks. */
  #integer(value: number, count: number): void {
    const bytes = this.#bytes;
    const start = this.#length + 1;
    const low = value >>> 0;
    bytes[start - 1] = DIRECT_BELOW + count;
    for (let index = 0; index < count && index < 4; index += 1) {
      bytes[start + index] = low >>> (8 * index);
    }
    const high = count > 4 ? (value - low) / TWO_POW_32 : 0;
    for (let index = 4; index < count; index += 1) {
      bytes[start + index] = high >>> (8 * (index - 4));
    }
    this.#length = start + count;
  }

  /** Writes hashes, addresses and most ids. Returns false and writes nothing for other strings. */
  #hex(text: string): boolean {
    const { length } = text;
    const isLikely = length > 2 && length % 2 === 0 && text.charCodeAt(1) === X_CODE;
    if (!isLikely || text.charCodeAt(0) !== ZERO_CODE) return false;
    const before = this.#length;
    const count = length / 2 - 1;
    this.number(count * TEXT_KINDS + HEX);
    this.#reserve(count);
    const bytes = this.#bytes;
    let at = this.#length;
    // Invalid digits are detected once at the end, because checking each digit separately would
    // take longer than all other steps.
    let codes = 0;
    let digits = 0;
    for (let index = 2; index < length; index += 2) {
      const first = text.charCodeAt(index);
      const second = text.charCodeAt(index + 1);
      const high = DIGITS[first & CODES_MASK] as number;
      const low = DIGITS[second & CODES_MASK] as number;
      codes |= first | second;
      digits |= high | low;
      bytes[at] = high * 16 + low;
      at += 1;
    }
    const isHex = codes <= CODES_MASK && digits < 16;
    this.#length = isHex ? at : before;
    return isHex;
  }

  #reserve(count: number): void {
    const needed = this.#length + count;
    if (needed <= this.#bytes.length) return;
    const grown = this.#allocate(Math.max(needed, this.#bytes.length * 2));
    this.#bytes.copy(grown, 0, 0, this.#length);
    this.#bytes = grown;
  }
}

/**
 * Returns the number of bytes after the first one: 0 for a small integer, 1 to 6 for others, and 7
 * for a float.
 */
function integerBytes(value: number): number {
  if (value >>> 0 !== value) {
    const isLong = Number.isInteger(value) && value > 0 && value < 2 ** 48;
    if (!isLong) return INTEGER_BYTES_MAX + 1;
    return value < 2 ** 40 ? 5 : 6;
  }
  if (Object.is(value, -0)) return INTEGER_BYTES_MAX + 1;
  if (value < DIRECT_BELOW) return 0;
  if (value < 2 ** 16) return value < 2 ** 8 ? 1 : 2;
  return value < 2 ** 24 ? 3 : 4;
}

/**
 * Thrown if bytes were not written by `ByteWriter`, or were written by a release with another
 * format.
 */
export class EncodingError extends Error {
  override readonly name = 'EncodingError';
}

/** Reads the output of a `ByteWriter` within a range of bytes, and never beyond it. */
export class ByteReader {
  readonly #bytes: Buffer;
  readonly #end: number;
  #at: number;

  constructor(bytes: Buffer, start = 0, end = bytes.length) {
    this.#bytes = bytes;
    this.#at = start;
    this.#end = end;
  }

  fork(): ByteReader {
    return new ByteReader(this.#bytes, this.#at, this.#end);
  }

  get at(): number {
    return this.#at;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#end;
  }

  byte(): number {
    const at = this.#take(1);
    return this.#bytes[at] as number;
  }

  number(): number {
    const first = this.byte();
    if (first < DIRECT_BELOW) return first;
    if (first === FLOAT) return this.#bytes.readDoubleLE(this.#take(8));
    const count = first - DIRECT_BELOW;
    if (count === 0 || count > INTEGER_BYTES_MAX)
      throw new EncodingError(`invalid number prefix: ${first}`);
    return this.#integer(this.#take(count), count);
  }

  /** Starts with the highest byte and avoids shifts, which are limited to 32 bits. */
  #integer(start: number, count: number): number {
    let value = 0;
    for (let at = start + count - 1; at >= start; at -= 1) {
      value = value * 256 + (this.#bytes[at] as number);
    }
    return value;
  }

  /**
   * Reads the number of items that follow. Each item takes at least one byte, which bounds the
   * number.
   */
  count(): number {
    const count = this.number();
    if (!Number.isInteger(count) || count < 0 || count > this.#end - this.#at) {
      throw new EncodingError(`${count} parts reach beyond the end`);
    }
    return count;
  }

  text(): string {
    const header = this.number();
    const kind = header % TEXT_KINDS;
    const count = (header - kind) / TEXT_KINDS;
    if (!Number.isInteger(count)) throw new EncodingError(`invalid text header: ${header}`);
    const start = this.#take(count);
    const end = start + count;
    if (kind === HEX) return `0x${this.#bytes.toString('hex', start, end)}`;
    if (kind === UTF16 && count % 2 === 0) return this.#bytes.toString('utf16le', start, end);
    if (kind === UTF8 && isUtf8(this.#bytes.subarray(start, end))) {
      return this.#bytes.toString('utf8', start, end);
    }
    throw new EncodingError(`unknown kind of text: ${header}`);
  }

  int(): number {
    let value = 0;
    let weight = 1;
    for (;;) {
      const next = this.byte();
      value += (next & 0x7f) * weight;
      if (next < 0x80) break;
      weight *= 0x80;
    }
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  utf8(): string {
    return this.raw(this.int()).toString();
  }

  /** Returns a view of the next bytes, not a copy. */
  raw(count: number): Buffer {
    const start = this.#take(count);
    return this.#bytes.subarray(start, start + count);
  }

  /** Returns a view of all bytes that are left. */
  remaining(): Buffer {
    return this.raw(this.#end - this.#at);
  }

  u32(): number {
    return this.#bytes.readUInt32LE(this.#take(4));
  }

  skip(count: number): number {
    return this.#take(count);
  }

  #take(count: number): number {
    const at = this.#at;
    if (count < 0 || at + count > this.#end) {
      throw new EncodingError(`${count} bytes at ${at} reach beyond the end at ${this.#end}`);
    }
    this.#at = at + count;
    return at;
  }
}
