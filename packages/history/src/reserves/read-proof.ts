import { type FileHandle, open } from 'node:fs/promises';
import { VENUE_ADDRESS } from '@oddlot/engine';
import type { Address } from '@oddlot/units';
import {
  HASH_BYTES,
  HEAD_BYTES,
  headOf,
  LEAF_BYTES,
  levelsAt,
  NODE_BYTES,
  partsOf,
  readSum,
  treeFile,
  type TreeHasher,
  type TreeHead,
  widthsOf,
  writeSum,
} from './tree-file.ts';

/** An account's leaf and the siblings needed to compute the root. Amounts are in micro-USDC. */
export type TreeProof = {
  readonly height: number;
  readonly root: string;
  readonly leaves: number;
  readonly liabilities: bigint;
  /** The index of the leaf, starting at 0. It determines the side of each sibling. */
  readonly index: number;
  readonly salt: string;
  /** The account's perp balance, outcome balance, held withdrawals and rewards. */
  readonly parts: readonly bigint[];
  readonly siblings: readonly { readonly hash: string; readonly sum: bigint }[];
};

/**
 * Returns the proof for an address in the tree at a height, or undefined if the address has no
 * leaf. The result is `missing` if there is no tree, and `damaged` if the file does not lead to its
 * root or belongs to another secret.
 */
export async function readProof(options: {
  readonly folder: string;
  readonly height: number;
  readonly secret: Uint8Array;
  readonly hasher: TreeHasher;
  readonly user: Address;
}): Promise<TreeProof | undefined | 'missing' | 'damaged'> {
  const { folder, hasher, height, secret, user } = options;
  let handle: FileHandle;
  try {
    handle = await open(treeFile(folder, height), 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 'missing';
    throw error;
  }
  try {
    const head = headOf(await bytesAt(handle, 0, HEAD_BYTES));
    if (head?.height !== height) return 'damaged';
    const indexOf = (who: Address): Promise<number | undefined> => {
      const address = Buffer.from(who.slice(2), 'hex');
      return find(handle, head.leaves, Buffer.from(hasher.salt({ secret, height, address })));
    };
    const index = await indexOf(user);
    if (index !== undefined) {
      const proof = await proofAt(handle, head, index);
      return isWhole(proof, { hasher, user }) ? proof : 'damaged';
    }
    // The venue's address is in every tree, so if that address is not found, the secret is wrong.
    return (await indexOf(VENUE_ADDRESS)) === undefined ? 'damaged' : undefined;
  } catch (error) {
    if (error instanceof ShortTreeError) return 'damaged';
    throw error;
  } finally {
    await handle.close();
  }
}

function isWhole(
  { height, index, leaves, parts, root, salt, siblings }: TreeProof,
  { hasher, user }: { readonly hasher: TreeHasher; readonly user: Address },
): boolean {
  const amount = parts.reduce((sum, part) => sum + part, 0n);
  const leaf = { salt: bytesOf(salt), address: bytesOf(user), amount };
  let node = nodeOf(hasher.leaf(leaf), amount);
  let used = 0;
  let at = index;
  for (const width of widthsOf(leaves).slice(0, -1)) {
    const sibling = at % 2 === 1 || at + 1 < width ? siblings[used] : undefined;
    if (sibling !== undefined) {
      used += 1;
      const other = nodeOf(bytesOf(sibling.hash), sibling.sum);
      const hash = at % 2 === 0 ? hasher.node(node, other) : hasher.node(other, node);
      node = nodeOf(hash, readSum(node, HASH_BYTES) + sibling.sum);
    }
    at = Math.floor(at / 2);
  }
  return hex(hasher.root({ height, leaves, node })) === root;
}

function nodeOf(hash: Uint8Array, sum: bigint): Buffer {
  const node = Buffer.alloc(NODE_BYTES);
  node.set(hash);
  writeSum(node, sum, HASH_BYTES);
  return node;
}

async function find(handle: FileHandle, leaves: number, salt: Buffer): Promise<number | undefined> {
  let from = 0;
  let to = leaves;
  while (from < to) {
    const middle = Math.floor((from + to) / 2);
    const found = await bytesAt(handle, HEAD_BYTES + middle * LEAF_BYTES, HASH_BYTES);
    const side = Buffer.compare(salt, found);
    if (side === 0) return middle;
    if (side < 0) to = middle;
    else from = middle + 1;
  }
  return undefined;
}

async function proofAt(handle: FileHandle, head: TreeHead, index: number): Promise<TreeProof> {
  const { height, leaves } = head;
  const leaf = await bytesAt(handle, HEAD_BYTES + index * LEAF_BYTES, LEAF_BYTES);
  const starts = levelsAt(leaves);
  const siblings: { readonly hash: string; readonly sum: bigint }[] = [];
  let at = index;
  for (const [level, width] of widthsOf(leaves).entries()) {
    const beside = at % 2 === 0 ? at + 1 : at - 1;
    if (beside < width) {
      const start = (starts[level] ?? 0) + beside * NODE_BYTES;
      const node = await bytesAt(handle, start, NODE_BYTES);
      siblings.push({ hash: hex(node.subarray(0, HASH_BYTES)), sum: readSum(node, HASH_BYTES) });
    }
    at = Math.floor(at / 2);
  }
  return {
    height,
    root: hex(head.root),
    leaves,
    liabilities: readSum(Buffer.from(head.sum), 0),
    index,
    salt: hex(leaf.subarray(0, HASH_BYTES)),
    parts: partsOf(leaf.subarray(0, LEAF_BYTES)),
    siblings,
  };
}

async function bytesAt(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length);
  const { bytesRead } = await handle.read(bytes, 0, length, position);
  if (bytesRead !== length) throw new ShortTreeError(`it ends at ${position + bytesRead}`);
  return bytes;
}

class ShortTreeError extends Error {
  override readonly name = 'ShortTreeError';
}

function bytesOf(text: string): Buffer {
  return Buffer.from(text.slice(2), 'hex');
}

function hex(bytes: Uint8Array): string {
  return `0x${Buffer.from(bytes).toString('hex')}`;
}

/** The liabilities in one state and the assets at one block of the chain, in micro-USDC. */
export type ReserveFigures = {
  /** The venue's liabilities: deposits and grants less paid withdrawals. */
  readonly owed: bigint;
  readonly blockNumber: number;
  readonly balance: bigint;
  /** The part of the balance that is not credited yet or must be returned. */
  readonly keptAside: bigint;
  /** Withdrawals that the bridge has paid but the venue still holds. */
  readonly unsettled: bigint;
  /**
   * Test funds that were not minted on the chain. They are owed, but have never been in the bridge.
   */
  readonly unbacked: bigint;
};

/**
 * Returns the difference between the bridge and the venue's books: zero unless funds are missing or
 * in excess.
 */
export function differenceOf(figures: Omit<ReserveFigures, 'blockNumber'>): bigint {
  const { balance, keptAside, owed, unbacked, unsettled } = figures;
  return balance - keptAside + unsettled + unbacked - owed;
}
