import {
  arrayOf,
  encodeText,
  entriesOf,
  itemsOf,
  mapEntry,
  mapOf,
  stringOf,
  type EncodedEntry,
} from '../json/msgpack-slice.ts';
import { signingOrder, type KeyOrder } from '../signing/canonical.ts';

/** Encoded actions in another form: keys in another order, texts in another spelling. */

/** The action with its keys in signing order, those that no schema names at the end. */
export function inSigningOrder(action: Uint8Array): Uint8Array {
  const type = stringOf(mapEntry(action, 'type') ?? encodeText('')) ?? '';
  const ordered = inOrder(action, signingOrder(type));
  if (type !== 'multiSig') return ordered;
  return withEntry(ordered, 'payload', (payload) => withEntry(payload, 'action', inSigningOrder));
}

function inOrder(value: Uint8Array, order: KeyOrder | undefined): Uint8Array {
  if (order === undefined) return value;
  const items = itemsOf(value);
  if (items !== undefined) return arrayOf(items.map((item) => inOrder(item, order)));
  const entries = entriesOf(value);
  if (entries === undefined) return value;
  const ordered = sortedBy(entries, [...order.keys()]);
  return mapOf(ordered.map(([key, inner]) => [key, inOrder(inner, order.get(key))]));
}

/** The action with some keys of its top level first, in this order. */
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

/** The value with the keys of all its maps sorted. */
export function sortedKeys(value: Uint8Array): Uint8Array {
  const items = itemsOf(value);
  if (items !== undefined) return arrayOf(items.map(sortedKeys));
  const entries = entriesOf(value);
  if (entries === undefined) return value;
  const sorted = [...entries].sort(([one], [other]) => (one < other ? -1 : 1));
  return mapOf(sorted.map(([key, inner]) => [key, sortedKeys(inner)]));
}

/** The value with all its texts rewritten; keys stay. */
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
