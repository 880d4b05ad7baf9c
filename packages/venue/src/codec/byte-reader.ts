import { isUtf8 } from 'node:buffer';
import {
  DIRECT_BELOW,
  FLOAT,
  HEX,
  INTEGER_BYTES_MAX,
  TEXT_KINDS,
  UTF16,
  UTF8,
} from './byte-writer.ts';

/** Bytes that are not what a `ByteWriter` writes, or of a release that wrote other things. */
export class EncodingError extends Error {
  override readonly name = 'EncodingError';
}

/** Reads what a `ByteWriter` wrote, from one place to another and never beyond. */
export class ByteReader {
  readonly #bytes: Buffer;
  readonly #end: number;
  #at: number;

  constructor(bytes: Buffer, start = 0, end = bytes.length) {
    this.#bytes = bytes;
    this.#at = start;
    this.#end = end;
  }

  /** Another one that continues from the same place. */
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

  /** The highest byte first, and no shifts: they end at 32 bits. */
  #integer(start: number, count: number): number {
    let value = 0;
    for (let at = start + count - 1; at >= start; at -= 1) {
      value = value * 256 + (this.#bytes[at] as number);
    }
    return value;
  }

  /** How many parts follow: each takes a byte at least. */
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

  /** Some bytes, where they are. */
  raw(count: number): Buffer {
    const start = this.#take(count);
    return this.#bytes.subarray(start, start + count);
  }

  u32(): number {
    return this.#bytes.readUInt32LE(this.#take(4));
  }

  /** Passes over some bytes and returns where they start. */
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
