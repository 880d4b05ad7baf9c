import { ARRAY, MAP, writeHeader, writeStringHeader } from './msgpack-write.ts';

/**
 * Takes MessagePack bytes apart and puts them together without decoding them, so that the part of an
 * action that is hashed on its own keeps the key order and the spelling that the client sent.
 */

type Entry = {
  readonly start: number;
  readonly valueStart: number;
  readonly end: number;
};

// A byte order mark is part of a key: dropping it would make two different keys look the same.
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
const encoder = new TextEncoder();

/** The encoded value of one key of an encoded map; undefined when there is none. */
export function mapEntry(map: Uint8Array, key: string): Uint8Array | undefined {
  const entry = findEntry(map, key);
  return entry === undefined ? undefined : map.subarray(entry.valueStart, entry.end);
}

/** The encoded map without one key; the map itself when it has no such key. */
export function mapWithout(map: Uint8Array, key: string): Uint8Array {
  const entry = findEntry(map, key);
  if (entry === undefined) return map;
  const header = readHeader(map, 0);
  const kept = map.length - header.end - (entry.end - entry.start);
  const out = new Uint8Array(kept + 5);
  out.set(map.subarray(header.end, entry.start), 1);
  out.set(map.subarray(entry.end), 1 + entry.start - header.end);
  return out.slice(0, writeHeader(out, 0, kept + 1, header.count - 1, MAP));
}

/** An encoded array of values that are already encoded. */
export function arrayOf(values: readonly Uint8Array[]): Uint8Array {
  return container(values, values.length, ARRAY);
}

/** The text of an encoded string; undefined when it is not a string. */
export function stringOf(bytes: Uint8Array): string | undefined {
  const header = readHeader(bytes, 0);
  if (header.kind !== 'string') return undefined;
  return decoder.decode(bytes.subarray(header.end - header.count, header.end));
}

/** A key of an encoded map and its encoded value. */
export type EncodedEntry = readonly [key: string, value: Uint8Array];

/** The entries of an encoded map, in its order; undefined when it is not a map. */
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

/** The values of an encoded array; undefined when it is not an array. */
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

/** An encoded map of values that are already encoded, keys in the order given. */
export function mapOf(entries: readonly EncodedEntry[]): Uint8Array {
  const parts = entries.flatMap(([key, value]) => [encodeText(key), value]);
  return container(parts, entries.length, MAP);
}

/** A text, encoded. */
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

/** Stops at the key: `type` comes first in most actions, and then nothing else is walked. */
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
  /** Entries of a container, bytes of a string. */
  readonly count: number;
  /** After the header; after the value for strings and scalars. */
  readonly end: number;
};

/** Bytes after the tag, for the tags 0xcc to 0xd3: the integers of one to eight bytes. */
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
