import {
  arrayOf,
  type EncodedEntry,
  encodeText,
  entriesOf,
  itemsOf,
  mapEntry,
  mapOf,
  stringOf,
} from '../json/msgpack.ts';
import { fieldsOf, isObjectShape, type Shape } from '../shapes/shape.ts';
import { actionShape } from '../signing/hash-envelope.ts';
import { bytesToHex, utf8 } from '../bytes.ts';
import type { Keccak } from '../signing/typed-data.ts';

/** Returns the action with its keys in signing order. Keys not defined by its schema come last. */
export function inSigningOrder(action: Uint8Array): Uint8Array {
  const type = stringOf(mapEntry(action, 'type') ?? encodeText('')) ?? '';
  const ordered = inOrder(action, actionShape(type));
  if (type !== 'multiSig') return ordered;
  return withEntry(ordered, 'payload', (payload) => withEntry(payload, 'action', inSigningOrder));
}

function inOrder(value: Uint8Array, shape: Shape): Uint8Array {
  if (typeof shape === 'string') return value;
  if (!isObjectShape(shape)) {
    const items = shape[0] === 'list' ? itemsOf(value) : undefined;
    if (shape[0] !== 'list' || items === undefined) return value;
    return arrayOf(items.map((item) => inOrder(item, shape[1])));
  }
  const entries = entriesOf(value);
  if (entries === undefined) return value;
  const shapes = new Map(fieldsOf(shape).map((field) => [field.name, field.shape]));
  const ordered = sortedBy(entries, [...shapes.keys()]);
  return mapOf(ordered.map(([key, inner]) => [key, inOrder(inner, shapes.get(key) ?? 'any')]));
}

/** Returns the action with the given top-level keys first, in the given order. */
export function withKeysFirst(action: Uint8Array, keys: readonly string[]): Uint8Array {
  return mapOf(sortedBy(entriesOf(action) ?? [], keys));
}

function sortedBy(entries: readonly EncodedEntry[], keys: readonly string[]): EncodedEntry[] {
  const ranks = new Map(keys.map((key, index) => [key, index]));
  const rank = ([key]: EncodedEntry): number => ranks.get(key) ?? keys.length;
  return [...entries].sort((one, other) => rank(one) - rank(other));
}

function withEntry(
  map: Uint8Array,
  key: string,
  change: (value: Uint8Array) => Uint8Array,
): Uint8Array {
  const entries = entriesOf(map) ?? [];
  return mapOf(entries.map(([own, value]) => [own, own === key ? change(value) : value]));
}

/** Returns the value with the keys of all its maps sorted. */
export function sortedKeys(value: Uint8Array): Uint8Array {
  const items = itemsOf(value);
  if (items !== undefined) return arrayOf(items.map(sortedKeys));
  const entries = entriesOf(value);
  if (entries === undefined) return value;
  const sorted = [...entries].sort(([one], [other]) => (one < other ? -1 : 1));
  return mapOf(sorted.map(([key, inner]) => [key, sortedKeys(inner)]));
}

/** Returns the value with all its strings rewritten, except the keys of maps. */
export function rewriteTexts(value: Uint8Array, rewrite: (text: string) => string): Uint8Array {
  const items = itemsOf(value);
  if (items !== undefined) return arrayOf(items.map((item) => rewriteTexts(item, rewrite)));
  const entries = entriesOf(value);
  if (entries !== undefined) {
    return mapOf(entries.map(([key, inner]) => [key, rewriteTexts(inner, rewrite)]));
  }
  const text = stringOf(value);
  return text === undefined ? value : encodeText(rewrite(text));
}

/**
 * The expression also matches addresses inside a longer string, such as the JSON of a signer set.
 */
const ADDRESSES = /\b0x[0-9a-fA-F]{40}\b/g;

/** Converts the addresses in a string to lower case. */
export function lowerCaseAddresses(text: string): string {
  return text.replaceAll(ADDRESSES, (found) => found.toLowerCase());
}

/** Converts the addresses in a string to checksum case (EIP-55). */
export function checksumAddresses(text: string, keccak: Keccak): string {
  return text.replaceAll(ADDRESSES, (found) => {
    const digits = found.slice(2).toLowerCase();
    const hash = bytesToHex(keccak(utf8(digits))).slice(2);
    const cased = [...digits].map((digit, index) =>
      Number.parseInt(hash.charAt(index), 16) >= 8 ? digit.toUpperCase() : digit,
    );
    return `0x${cased.join('')}`;
  });
}
