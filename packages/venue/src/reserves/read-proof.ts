import { type FileHandle, open } from 'node:fs/promises';
import type { Address } from '@oddlot/units';
import {
  HEAD_BYTES,
  headOf,
  LEAF_BYTES,
  levelsAt,
  partsOf,
  treeFile,
  type TreeHead,
  widthsOf,
} from './tree-file.ts';
import { HASH_BYTES, NODE_BYTES, readSum, type TreeHasher } from './tree-hash.ts';

/** A leaf and all that its root can be computed from. Amounts are micro-USDC. */
export type TreeProof = {
  readonly height: number;
  readonly root: string;
  readonly leaves: number;
  readonly liabilities: bigint;
  /** Of the leaf, counted from 0: which side each sibling stands on follows from it. */
  readonly index: number;
  readonly salt: string;
  /** Perp, outcome, withdrawals held, rewards. */
  readonly parts: readonly bigint[];
  /** From the leaf's own level up. */
  readonly siblings: readonly { readonly hash: string; readonly sum: bigint }[];
};

/** Looks an address up in the tree of a height. `missing` when there is no such tree, undefined when no such leaf. */
export async function readProof(options: {
  readonly folder: string;
  readonly height: number;
  readonly secret: Uint8Array;
  readonly hasher: TreeHasher;
  readonly user: Address;
}): Promise<TreeProof | undefined | 'missing'> {
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
    if (head?.height !== height) return 'missing';
    const address = Buffer.from(user.slice(2), 'hex');
    const salt = Buffer.from(hasher.salt({ secret, height, address }));
    const index = await find(handle, head.leaves, salt);
    return index === undefined ? undefined : await proofAt(handle, head, index);
  } finally {
    await handle.close();
  }
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
  if (bytesRead !== length) throw new Error(`the tree ends at ${position + bytesRead}`);
  return bytes;
}

function hex(bytes: Uint8Array): string {
  return `0x${Buffer.from(bytes).toString('hex')}`;
}
