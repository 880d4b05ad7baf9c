import { assert } from '@oddlot/units';
import { LEAF_BYTES } from './tree-file.ts';
import { HASH_BYTES } from './tree-hash.ts';

/** The place of a leaf is part of the number that it is sorted by, below so many bits of its salt. */
const PLACES = 2 ** 24;
const PREFIX_SHIFT = 4;
const PORTION = 5_000;

/** The places of leaves by salt. */
export async function orderBySalt(
  leaves: Buffer,
  count: number,
  pause: () => Promise<void>,
): Promise<Uint32Array> {
  assert(count <= PLACES, `a tree has ${PLACES} leaves at most`);
  const keys = new Float64Array(count);
  for (let at = 0; at < count; at++) {
    keys[at] = (leaves.readUInt32BE(at * LEAF_BYTES) >>> PREFIX_SHIFT) * PLACES + at;
  }
  await pause();
  keys.sort();
  await pause();
  const order = new Uint32Array(count);
  const saltAt = (place: number): Buffer =>
    leaves.subarray(place * LEAF_BYTES, place * LEAF_BYTES + HASH_BYTES);
  let from = 0;
  for (let at = 0; at < count; at++) {
    const key = keys[at] ?? 0;
    order[at] = key % PLACES;
    const isLast = at + 1 === count || Math.floor((keys[at + 1] ?? 0) / PLACES) > key / PLACES;
    if (!isLast) continue;
    // Salts that begin alike stand together; among them all bytes count.
    if (at > from) {
      order.subarray(from, at + 1).sort((a, b) => Buffer.compare(saltAt(a), saltAt(b)));
    }
    from = at + 1;
    if (at % PORTION === 0) await pause();
  }
  return order;
}
