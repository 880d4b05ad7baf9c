import { hexDigit, NO_DIGIT } from '../bytes.ts';

const NIL = 0xc0;
const FALSE = 0xc2;
const TRUE = 0xc3;
/** The length of the longest integer, including its tag. */
const INTEGER_BYTES_MAX = 9;

/**
 * Encodes a value as MessagePack in the key order of its objects, omitting undefined fields. Throws
 * if a number is not a safe integer, because the venue would reject the action.
 */
export function encodeMsgpack(value: unknown): Uint8Array {
  switch (typeof value) {
    case 'string':
      return encodeText(value);
    case 'boolean':
      return Uint8Array.of(value ? TRUE : FALSE);
    case 'number': {
      if (!Number.isSafeInteger(value)) {
        throw new RangeError(`only safe integers can be signed: ${value}`);
      }
      const bytes = new Uint8Array(INTEGER_BYTES_MAX);
      return bytes.slice(0, writeInteger(bytes, 0, value));
    }
    case 'object':
      if (value === null) return Uint8Array.of(NIL);
      if (Array.isArray(value)) return arrayOf(value.map(encodeMsgpack));
      return mapOf(encodedEntries(value));
    default:
      throw new RangeError(`cannot be signed: ${typeof value}`);
  }
}

function encodedEntries(value: object): EncodedEntry[] {
  return Object.entries(value)
    .filter(([, held]) => held !== undefined)
    .map(([key, held]) => [key, encodeMsgpack(held)]);
}

/**
 * The positions of a key and its value in an encoded map. Maps are split without decoding them, so
 * that a separately hashed part of an action keeps the client's key order and spelling.
 */

type Entry = {
  readonly start: number;
  readonly valueStart: number;
  readonly end: number;
};

// A byte order mark is part of a key, because dropping it would make two different keys equal.
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
const encoder = new TextEncoder();

/**
 * Returns the encoded value of a key in an encoded map, or undefined if the map has no such key.
 */
export function mapEntry(map: Uint8Array, key: string): Uint8Array | undefined {
  const entry = findEntry(map, key);
  return entry === undefined ? undefined : map.subarray(entry.valueStart, entry.end);
}

/** Returns the encoded map without one key, or the map itself if it has no such key. */
export function mapWithout(map: Uint8Array, key: string): Uint8Array {
  const entry = findEntry(map, key);
  if (entry === undefined) return map;
  const header = readHeader(map, 0);
  const restLength = map.length - header.end - (entry.end - entry.start);
  const out = new Uint8Array(restLength + 5);
  out.set(map.subarray(header.end, entry.start), 1);
  out.set(map.subarray(entry.end), 1 + entry.start - header.end);
  return out.slice(0, writeHeader(out, 0, restLength + 1, header.count - 1, MAP));
}

/** Encodes an array of values that are already encoded. */
export function arrayOf(values: readonly Uint8Array[]): Uint8Array {
  return container(values, values.length, ARRAY);
}

/** Decodes a string, or returns undefined for a value of another type. */
export function stringOf(bytes: Uint8Array): string | undefined {
  const header = readHeader(bytes, 0);
  if (header.kind !== 'string') return undefined;
  return decoder.decode(bytes.subarray(header.end - header.count, header.end));
}

export type EncodedEntry = readonly [key: string, value: Uint8Array];

/** Returns the entries of an encoded map in its order, or undefined for a value of another type. */
export function entriesOf(map: Uint8Array): readonly EncodedEntry[] | undefined {
  const header = readHeader(map, 0);
  if (header.kind !== 'map') return undefined;
  const entries: EncodedEntry[] = [];
  let start = header.end;
  for (let index = 0; index < header.count; index++) {
    const valueStart = skip(map, start);
    const end = skip(map, valueStart);
    entries.push([stringOf(map.subarray(start, valueStart)) ?? '', map.subarray(valueStart, end)]);
    start = end;
  }
  return entries;
}

/** Returns the values in an encoded array, or undefined for a value of another type. */
export function itemsOf(array: Uint8Array): readonly Uint8Array[] | undefined {
  const header = readHeader(array, 0);
  if (header.kind !== 'array') return undefined;
  const items: Uint8Array[] = [];
  let start = header.end;
  for (let index = 0; index < header.count; index++) {
    const end = skip(array, start);
    items.push(array.subarray(start, end));
    start = end;
  }
  return items;
}

/** Encodes a map of values that are already encoded, with its keys in the given order. */
export function mapOf(entries: readonly EncodedEntry[]): Uint8Array {
  const parts = entries.flatMap(([key, value]) => [encodeText(key), value]);
  return container(parts, entries.length, MAP);
}

export function encodeText(text: string): Uint8Array {
  const bytes = encoder.encode(text);
  const out = new Uint8Array(bytes.length + 5);
  const start = writeStringHeader(out, 0, bytes.length);
  out.set(bytes, start);
  return out.slice(0, start + bytes.length);
}

function container(
  parts: readonly Uint8Array[],
  count: number,
  kind: typeof ARRAY | typeof MAP,
): Uint8Array {
  const bytes = parts.reduce((sum, part) => sum + part.length, 0);
  const out = new Uint8Array(bytes + 5);
  let length = 1;
  for (const part of parts) {
    out.set(part, length);
    length += part.length;
  }
  return out.slice(0, writeHeader(out, 0, length, count, kind));
}

/** The search ends at the key. In most actions `type` is first, so no other key is read. */
function findEntry(map: Uint8Array, key: string): Entry | undefined {
  const header = readHeader(map, 0);
  if (header.kind !== 'map') return undefined;
  let start = header.end;
  for (let index = 0; index < header.count; index++) {
    const valueStart = skip(map, start);
    const end = skip(map, valueStart);
    if (stringOf(map.subarray(start, valueStart)) === key) return { start, valueStart, end };
    start = end;
  }
  return undefined;
}

function skip(bytes: Uint8Array, at: number): number {
  const header = readHeader(bytes, at);
  let end = header.end;
  const values = header.kind === 'map' ? header.count * 2 : header.count;
  if (header.kind === 'map' || header.kind === 'array') {
    for (let index = 0; index < values; index++) end = skip(bytes, end);
  }
  return end;
}

type Header = {
  readonly kind: 'map' | 'array' | 'string' | 'scalar';
  /** The number of entries in a container, or bytes in a string. */
  readonly count: number;
  /** The position after the header of a container, or after the value of a string or scalar. */
  readonly end: number;
};

/**
 * The number of bytes after each tag from 0xcc to 0xd3; these tags mark integers of one to eight
 * bytes.
 */
const INTEGER_BYTES = [1, 2, 4, 8, 1, 2, 4, 8];

function readHeader(bytes: Uint8Array, at: number): Header {
  const tag = bytes[at];
  if (tag === undefined) throw new RangeError('msgpack: unexpected end');
  if (tag < 0x80 || tag >= 0xe0 || tag === 0xc0 || tag === 0xc2 || tag === 0xc3) {
    return { kind: 'scalar', count: 0, end: at + 1 };
  }
  if (tag < 0x90) return { kind: 'map', count: tag & 0x0f, end: at + 1 };
  if (tag < 0xa0) return { kind: 'array', count: tag & 0x0f, end: at + 1 };
  if (tag < 0xc0) return { kind: 'string', count: tag & 0x1f, end: at + 1 + (tag & 0x1f) };
  const width = INTEGER_BYTES[tag - 0xcc];
  if (width !== undefined) return { kind: 'scalar', count: 0, end: at + 1 + width };
  if (tag >= 0xd9 && tag <= 0xdb) {
    const size = 1 << (tag - 0xd9);
    const count = readUint(bytes, at + 1, size);
    return { kind: 'string', count, end: at + 1 + size + count };
  }
  if (tag >= 0xdc) {
    const size = tag % 2 === 0 ? 2 : 4;
    const kind = tag < 0xde ? 'array' : 'map';
    return { kind, count: readUint(bytes, at + 1, size), end: at + 1 + size };
  }
  throw new RangeError(`msgpack: unexpected tag ${tag}`);
}

function readUint(bytes: Uint8Array, at: number, size: number): number {
  let value = 0;
  for (let offset = 0; offset < size; offset++) {
    const byte = bytes[at + offset];
    if (byte === undefined) throw new RangeError('msgpack: unexpected end');
    value = value * 0x100 + byte;
  }
  return value;
}

/**
 * Reads MessagePack written by this module, for a reader that expects a certain form. Each method
 * reads one value. After an unexpected value, the cursor is lost and all later results are
 * meaningless.
 */
export class MsgpackCursor {
  readonly #bytes: Uint8Array;
  #at = 0;
  #isLost = false;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get at(): number {
    return this.#at;
  }

  /** Returns true once an unexpected value has been read. */
  get isLost(): boolean {
    return this.#isLost;
  }

  #lost<Value>(instead: Value): Value {
    this.#isLost = true;
    return instead;
  }

  /**
   * Skips a value if it has exactly these bytes. Otherwise, the cursor neither moves nor is lost.
   */
  is(encoded: Uint8Array): boolean {
    for (let index = 0; index < encoded.length; index++) {
      if (this.#bytes[this.#at + index] !== encoded[index]) return false;
    }
    this.#at += encoded.length;
    return true;
  }

  /** Reads the header of a map and returns the number of entries, at most 15. */
  map(): number {
    return this.#header(0x80);
  }

  /** Reads the header of an array and returns the number of entries, at most 65,535. */
  array(): number {
    if (this.#bytes[this.#at] !== 0xdc) return this.#header(0x90);
    const count = this.#uint(this.#at + 1, 2);
    this.#at += 3;
    return count;
  }

  #header(kind: number): number {
    const tag = this.#bytes[this.#at] ?? 0;
    if ((tag & 0xf0) !== kind) return this.#lost(0);
    this.#at += 1;
    return tag & 0x0f;
  }

  flag(): boolean {
    const tag = this.#bytes[this.#at];
    if (tag !== 0xc2 && tag !== 0xc3) return this.#lost(false);
    this.#at += 1;
    return tag === 0xc3;
  }

  /** Reads a non-negative integer. */
  unsigned(): number {
    const tag = this.#bytes[this.#at] ?? 0xff;
    if (tag < 0x80) {
      this.#at += 1;
      return tag;
    }
    if (tag < 0xcc || tag > 0xcf) return this.#lost(0);
    const size = 1 << (tag - 0xcc);
    const value = this.#uint(this.#at + 1, size);
    this.#at += 1 + size;
    return value;
  }

  #uint(from: number, size: number): number {
    let value = 0;
    for (let index = 0; index < size; index++) {
      value = value * 0x100 + (this.#bytes[from + index] ?? 0);
    }
    return value;
  }

  /** Reads a string of at most 255 ASCII characters. */
  ascii(): string {
    const length = this.#textHeader();
    const end = this.#at + length;
    let text = '';
    for (; this.#at < end; this.#at++) {
      const code = this.#bytes[this.#at] ?? 0x80;
      if (code >= 0x80) return this.#lost('');
      text += String.fromCharCode(code);
    }
    return text;
  }

  /**
   * Reads a string of `0x` and hex digits as `size` bytes. Missing digits are padded with zeros on
   * the left.
   */
  hex(size: number): Uint8Array {
    const out = new Uint8Array(size);
    const length = this.#textHeader();
    const start = this.#at;
    const isMarked = this.#bytes[start] === 0x30 && this.#bytes[start + 1] === 0x78;
    if (!isMarked || length < 3 || length > 2 + 2 * size) return this.#lost(out);
    this.#at += length;
    for (let index = this.#at - 1, at = size - 1; index >= start + 2; index -= 2, at--) {
      const low = hexDigit(this.#bytes[index]);
      const high = index === start + 2 ? 0 : hexDigit(this.#bytes[index - 1]);
      if (low === NO_DIGIT || high === NO_DIGIT) return this.#lost(out);
      out[at] = high * 16 + low;
    }
    return out;
  }

  /** Reads the header of a string and returns the number of bytes. */
  #textHeader(): number {
    const tag = this.#bytes[this.#at] ?? 0;
    if ((tag & 0xe0) === 0xa0) {
      this.#at += 1;
      return tag & 0x1f;
    }
    if (tag !== 0xd9) return this.#lost(0);
    this.#at += 2;
    return this.#bytes[this.#at - 1] ?? 0;
  }
}

/** The tags of an array and of a map with at most 15 entries. */

export const ARRAY = 0x90;
export const MAP = 0x80;

const TWO_32 = 0x1_0000_0000;

/** Writes an integer at position `at` in its shortest form, and returns the position after it. */
export function writeInteger(out: Uint8Array, at: number, value: number): number {
  if (value >= 0) {
    if (value < 0x80) {
      out[at] = value;
      return at + 1;
    }
    if (value < 0x100) return writeTagged(out, at, 0xcc, value, 1);
    if (value < 0x10000) return writeTagged(out, at, 0xcd, value, 2);
    if (value < TWO_32) return writeTagged(out, at, 0xce, value, 4);
    return writeTagged(out, at, 0xcf, value, 8);
  }
  if (value >= -0x20) {
    out[at] = value & 0xff;
    return at + 1;
  }
  if (value >= -0x80) return writeTagged(out, at, 0xd0, value, 1);
  if (value >= -0x8000) return writeTagged(out, at, 0xd1, value, 2);
  if (value >= -TWO_32 / 2) return writeTagged(out, at, 0xd2, value, 4);
  return writeTagged(out, at, 0xd3, value, 8);
}

function writeTagged(
  out: Uint8Array,
  at: number,
  tag: number,
  value: number,
  bytes: number,
): number {
  out[at] = tag;
  let rest = value;
  for (let offset = bytes; offset > 0; offset--) {
    // Division is used instead of a shift, because it is correct for values above 32 bits and for
    // negative ones.
    const next = Math.floor(rest / 0x100);
    out[at + offset] = rest - next * 0x100;
    rest = next;
  }
  return at + 1 + bytes;
}

/**
 * Writes the header for a string with this number of UTF-8 bytes, and returns the position after
 * it.
 */
export function writeStringHeader(out: Uint8Array, at: number, bytes: number): number {
  if (bytes < 32) {
    out[at] = 0xa0 | bytes;
    return at + 1;
  }
  if (bytes < 0x100) return writeTagged(out, at, 0xd9, bytes, 1);
  if (bytes < 0x10000) return writeTagged(out, at, 0xda, bytes, 2);
  return writeTagged(out, at, 0xdb, bytes, 4);
}

/**
 * Writes the header of a container whose entries are already in `[start + 1, end)`. If the header
 * needs more than one byte, the entries are moved. Returns the new end.
 */
export function writeHeader(
  out: Uint8Array,
  start: number,
  end: number,
  count: number,
  kind: typeof ARRAY | typeof MAP,
): number {
  if (count < 16) {
    out[start] = kind | count;
    return end;
  }
  const wide = count >= 0x10000;
  const header = wide ? 5 : 3;
  out.copyWithin(start + header, start + 1, end);
  const tag = (kind === ARRAY ? 0xdc : 0xde) + (wide ? 1 : 0);
  writeTagged(out, start, tag, count, header - 1);
  return end + header - 1;
}

/** Writes a code point as UTF-8, and returns the position after it. */
export function writeUtf8(out: Uint8Array, at: number, code: number): number {
  let length = at;
  if (code < 0x80) {
    out[length++] = code;
  } else if (code < 0x800) {
    out[length++] = 0xc0 | (code >> 6);
    out[length++] = 0x80 | (code & 0x3f);
  } else if (code < 0x10000) {
    out[length++] = 0xe0 | (code >> 12);
    out[length++] = 0x80 | ((code >> 6) & 0x3f);
    out[length++] = 0x80 | (code & 0x3f);
  } else {
    out[length++] = 0xf0 | (code >> 18);
    out[length++] = 0x80 | ((code >> 12) & 0x3f);
    out[length++] = 0x80 | ((code >> 6) & 0x3f);
    out[length++] = 0x80 | (code & 0x3f);
  }
  return length;
}
