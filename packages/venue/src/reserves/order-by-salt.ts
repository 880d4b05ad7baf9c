import { assert } from '@oddlot/units';
import { LEAF_BYTES } from './tree-file.ts';
import { HASH_BYTES } from './tree-hasher.ts';
import { uncounted } from './uncounted.ts';

/** The place of a leaf is part of the number that it is sorted by, below so many bits of its salt. */
const PLACES = 2 ** 24;
const PREFIX_SHIFT = 4;
/** How many leaves are passed between two pauses. */
const PORTION = 10_000;
const FIRST_BYTES = 256;

/** The places of leaves by salt. */
export async function orderBySalt(
  leaves: Buffer,
  count: number,
  pause: () => Promise<void>,
): Promise<Uint32Array> {
  assert(count <= PLACES, `a tree has ${PLACES} leaves at most`);
  const keys = await sortedKeys(leaves, count, pause);
  const order = new Uint32Array(uncounted(count * Uint32Array.BYTES_PER_ELEMENT));
  const saltAt = (place: number): Buffer =>
    leaves.subarray(place * LEAF_BYTES, place * LEAF_BYTES + HASH_BYTES);
  let from = 0;
  let pausedAt = 0;
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
    if (at - pausedAt < PORTION) continue;
    pausedAt = at;
    await pause();
  }
  return order;
}

/** The beginnings of salts with their places, in order: by the first byte, then each of these alone. */
async function sortedKeys(
  leaves: Buffer,
  count: number,
  pause: () => Promise<void>,
): Promise<Float64Array> {
  // Where the salts with each first byte begin, and behind them where the next of each goes.
  const starts = new Uint32Array(FIRST_BYTES + 1);
  for (let at = 0; at < count; at++) {
    const first = leaves[at * LEAF_BYTES] ?? 0;
    starts[first + 1] = (starts[first + 1] ?? 0) + 1;
    if (at % PORTION === 0) await pause();
  }
  for (let first = 0; first < FIRST_BYTES; first++) {
    starts[first + 1] = (starts[first + 1] ?? 0) + (starts[first] ?? 0);
  }
  const next = starts.slice();
  const keys = new Float64Array(uncounted(count * Float64Array.BYTES_PER_ELEMENT));
  for (let at = 0; at < count; at++) {
    const first = leaves[at * LEAF_BYTES] ?? 0;
    const into = next[first] ?? 0;
    keys[into] = (leaves.readUInt32BE(at * LEAF_BYTES) >>> PREFIX_SHIFT) * PLACES + at;
    next[first] = into + 1;
    if (at % PORTION === 0) await pause();
  }
  for (let first = 0; first < FIRST_BYTES; first++) {
    await pause();
    keys.subarray(starts[first], starts[first + 1]).sort();
  }
  return keys;
}
