import type { FileHandle } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { liabilities, liabilitiesMax, owedMicroUsdc, type State } from '@oddlot/engine';
import { writeFully, writeWholeFileBy } from '@oddlot/host/durable';
import { assert, type Hash, hash } from '@oddlot/units';
import {
  HASH_BYTES,
  HEAD_BYTES,
  headBytes,
  LEAF_BYTES,
  NODE_BYTES,
  PART_NAMES,
  PARTS_AT,
  partsOf,
  readSum,
  treeFile,
  type TreeHasher,
  uncounted,
  widthsOf,
  writeParts,
  writeSum,
} from './tree-file.ts';

type BuildOptions = {
  /** The state the tree is built from. It must not change meanwhile. */
  readonly state: State;
  readonly height: number;
  readonly secret: Uint8Array;
  readonly folder: string;
  readonly hasher: TreeHasher;
  /** Lets other work run; called every few milliseconds. */
  readonly pause: () => Promise<void>;
};

export type BuiltTree = {
  readonly height: number;
  readonly root: Hash;
  readonly leaves: number;
  readonly liabilities: bigint;
  /** The sum of negative balances, as a positive amount. */
  readonly shortfall: bigint;
  /** Deposits and grants less paid withdrawals, computed from the totals in the state. */
  readonly owed: bigint;
};

/** The number of leaves or nodes between two pauses; they are written together. */
const PORTION = 2_000;
const DISK_PAUSE_MS = 5;

/**
 * Builds the tree of all liabilities in short turns and writes it to its file. Leaves are sorted by
 * unpredictable salts: neighbours change from tree to tree, and the position of a leaf reveals
 * nothing about its account.
 */
export async function buildTree(options: BuildOptions): Promise<BuiltTree> {
  const { folder, hasher, height, pause } = options;
  const { count, leaves, shortfall } = await collect(options);
  const order = await orderBySalt(leaves, count, pause);
  return await writeWholeFileBy(treeFile(folder, height), async (handle) => {
    const nodes = Buffer.from(uncounted(count * NODE_BYTES));
    await writeLeaves(handle, { leaves, order, nodes, hasher, pause });
    await writeLevels(handle, { count, nodes, hasher, pause });
    const top = nodes.subarray(0, NODE_BYTES);
    const root = hasher.root({ height, leaves: count, node: top });
    const sum = top.subarray(HASH_BYTES);
    await writeFully(handle, headBytes({ height, leaves: count, root, sum }), 0);
    await meanwhile(handle.datasync(), pause);
    return {
      height,
      root: hash(`0x${Buffer.from(root).toString('hex')}`),
      leaves: count,
      liabilities: readSum(top, HASH_BYTES),
      shortfall,
      owed: owedMicroUsdc(options.state),
    };
  });
}

async function meanwhile(work: Promise<void>, pause: () => Promise<void>): Promise<void> {
  const done = work.then(() => true);
  while (!(await Promise.race([done, setTimeout(DISK_PAUSE_MS, false)]))) await pause();
}

async function collect({ hasher, height, pause, secret, state }: BuildOptions): Promise<{
  readonly leaves: Buffer;
  readonly count: number;
  readonly shortfall: bigint;
}> {
  const leaves = Buffer.from(uncounted(liabilitiesMax(state) * LEAF_BYTES));
  let count = 0;
  let shortfall = 0n;
  for (const each of liabilities(state)) {
    const at = count * LEAF_BYTES;
    leaves.write(each.account.slice(2), at + HASH_BYTES, 'hex');
    const address = leaves.subarray(at + HASH_BYTES, at + PARTS_AT);
    leaves.set(hasher.salt({ secret, height, address }), at);
    writeParts(
      leaves,
      at,
      PART_NAMES.map((name) => each[name]),
    );
    shortfall += each.shortfall;
    count += 1;
    if (count % PORTION === 0) await pause();
  }
  return { leaves, count, shortfall };
}

async function writeLeaves(
  handle: FileHandle,
  options: {
    readonly leaves: Buffer;
    readonly order: Uint32Array;
    readonly nodes: Buffer;
    readonly hasher: TreeHasher;
    readonly pause: () => Promise<void>;
  },
): Promise<void> {
  const { hasher, leaves, nodes, order, pause } = options;
  await writeFully(handle, Buffer.alloc(HEAD_BYTES), 0);
  for (let from = 0; from < order.length; from += PORTION) {
    const places = order.subarray(from, from + PORTION);
    const portion = Buffer.alloc(places.length * LEAF_BYTES);
    for (const [at, place] of places.entries()) {
      const leaf = leaves.subarray(place * LEAF_BYTES, (place + 1) * LEAF_BYTES);
      portion.set(leaf, at * LEAF_BYTES);
      const amount = partsOf(leaf).reduce((sum, part) => sum + part, 0n);
      const salt = leaf.subarray(0, HASH_BYTES);
      const address = leaf.subarray(HASH_BYTES, PARTS_AT);
      const node = (from + at) * NODE_BYTES;
      nodes.set(hasher.leaf({ salt, address, amount }), node);
      writeSum(nodes, amount, node + HASH_BYTES);
    }
    await writeFully(handle, portion, HEAD_BYTES + from * LEAF_BYTES);
    await pause();
  }
}

/** Writes each level and computes the next one in the same buffer, until one node is left. */
async function writeLevels(
  handle: FileHandle,
  options: {
    readonly count: number;
    readonly nodes: Buffer;
    readonly hasher: TreeHasher;
    readonly pause: () => Promise<void>;
  },
): Promise<void> {
  const { count, hasher, nodes, pause } = options;
  let level = HEAD_BYTES + count * LEAF_BYTES;
  for (const width of widthsOf(count)) {
    for (let from = 0; from < width; from += PORTION) {
      const to = Math.min(width, from + PORTION);
      const portion = nodes.subarray(from * NODE_BYTES, to * NODE_BYTES);
      await writeFully(handle, portion, level + from * NODE_BYTES);
      await pause();
    }
    level += width * NODE_BYTES;
    for (let at = 0; at < width; at += 2) {
      const into = (at / 2) * NODE_BYTES;
      const left = nodes.subarray(at * NODE_BYTES, (at + 1) * NODE_BYTES);
      if (at + 1 === width) nodes.copyWithin(into, at * NODE_BYTES, (at + 1) * NODE_BYTES);
      else {
        const right = nodes.subarray((at + 1) * NODE_BYTES, (at + 2) * NODE_BYTES);
        const sum = readSum(left as Buffer, HASH_BYTES) + readSum(right as Buffer, HASH_BYTES);
        nodes.set(hasher.node(left, right), into);
        writeSum(nodes, sum, into + HASH_BYTES);
      }
      if (at % PORTION === 0) await pause();
    }
  }
}

/**
 * A sort key is a number: its upper part is the first bits of the salt, its lower part the position
 * of the leaf.
 */
const PLACES = 2 ** 24;
const PREFIX_SHIFT = 4;
const SORT_PORTION = 10_000;
const FIRST_BYTES = 256;

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
    // Leaves whose salts have the same prefix are now adjacent. They are sorted by the whole salt.
    if (at > from) {
      order.subarray(from, at + 1).sort((a, b) => Buffer.compare(saltAt(a), saltAt(b)));
    }
    from = at + 1;
    if (at - pausedAt < SORT_PORTION) continue;
    pausedAt = at;
    await pause();
  }
  return order;
}

/**
 * Returns the sorted keys. They are grouped by the first byte of the salt, and each group is then
 * sorted.
 */
async function sortedKeys(
  leaves: Buffer,
  count: number,
  pause: () => Promise<void>,
): Promise<Float64Array> {
  // `starts` first counts the leaves of each group, then holds the next free position in it.
  const starts = new Uint32Array(FIRST_BYTES + 1);
  for (let at = 0; at < count; at++) {
    const first = leaves[at * LEAF_BYTES] ?? 0;
    starts[first + 1] = (starts[first + 1] ?? 0) + 1;
    if (at % SORT_PORTION === 0) await pause();
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
    if (at % SORT_PORTION === 0) await pause();
  }
  for (let first = 0; first < FIRST_BYTES; first++) {
    await pause();
    keys.subarray(starts[first], starts[first + 1]).sort();
  }
  return keys;
}
