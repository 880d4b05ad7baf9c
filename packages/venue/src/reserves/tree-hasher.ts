import { createKeccak } from 'hash-wasm';

/**
 * The hashes of the tree over what is owed. Each begins with a byte that says what it is of, so that
 * nothing of one kind can be passed off as another, and a node covers the sums of both of its children
 * and not only their total: otherwise one of them could be made smaller than what is below it. All
 * numbers are unsigned, of 32 bytes, the highest first.
 */

export const HASH_BYTES = 32;
export const ADDRESS_BYTES = 20;
/** No leaf and no sum is larger; a hash has room for twice as many bits. */
export const SUM_BYTES = 16;
/** A node as it is kept: its hash, and the sum of all leaves below it. */
export const NODE_BYTES = HASH_BYTES + SUM_BYTES;

const KIND = { leaf: 0, node: 1, root: 2, salt: 3 } as const;
const WORD = 32;

export type TreeHasher = {
  /** Who is owed how much; the salt keeps others from trying addresses. */
  leaf(leaf: {
    readonly salt: Uint8Array;
    readonly address: Uint8Array;
    readonly amount: bigint;
  }): Uint8Array;
  /** Of two kept nodes. */
  node(left: Uint8Array, right: Uint8Array): Uint8Array;
  /** Of the top node: how many leaves there are, and at which height, are part of it. */
  root(top: {
    readonly height: number;
    readonly leaves: number;
    readonly node: Uint8Array;
  }): Uint8Array;
  /** Of an address at a height; nobody computes it who does not know the secret. */
  salt(of: {
    readonly secret: Uint8Array;
    readonly height: number;
    readonly address: Uint8Array;
  }): Uint8Array;
};

export async function createTreeHasher(): Promise<TreeHasher> {
  const keccak = await createKeccak(256);
  const hash = (bytes: Uint8Array): Uint8Array => keccak.init().update(bytes).digest('binary');
  const leaf = Buffer.alloc(1 + WORD + ADDRESS_BYTES + WORD, 0);
  const node = Buffer.alloc(1 + 4 * WORD, 0);
  const root = Buffer.alloc(1 + 4 * WORD, 0);
  const salt = Buffer.alloc(1 + 2 * WORD + ADDRESS_BYTES, 0);
  leaf[0] = KIND.leaf;
  node[0] = KIND.node;
  root[0] = KIND.root;
  salt[0] = KIND.salt;
  return {
    leaf({ address, amount, salt: own }) {
      leaf.set(own, 1);
      leaf.set(address, 1 + WORD);
      writeSum(leaf, amount, leaf.length - SUM_BYTES);
      return hash(leaf);
    },
    node(left, right) {
      putNode(node, 1, left);
      putNode(node, 1 + 2 * WORD, right);
      return hash(node);
    },
    root({ height, leaves, node: top }) {
      writeSum(root, BigInt(height), 1 + WORD - SUM_BYTES);
      writeSum(root, BigInt(leaves), 1 + 2 * WORD - SUM_BYTES);
      putNode(root, 1 + 2 * WORD, top);
      return hash(root);
    },
    salt({ address, height, secret }) {
      salt.set(secret, 1);
      writeSum(salt, BigInt(height), 1 + 2 * WORD - SUM_BYTES);
      salt.set(address, 1 + 2 * WORD);
      return hash(salt);
    },
  };
}

/** Writes a sum; one that has no room is an error, never a smaller one. */
export function writeSum(bytes: Buffer, sum: bigint, at: number): void {
  bytes.writeBigUInt64BE(sum >> 64n, at);
  bytes.writeBigUInt64BE(sum & 0xffff_ffff_ffff_ffffn, at + 8);
}

export function readSum(bytes: Buffer, at: number): bigint {
  return (bytes.readBigUInt64BE(at) << 64n) | bytes.readBigUInt64BE(at + 8);
}

/** A kept node as two words of 32 bytes. */
function putNode(into: Buffer, at: number, node: Uint8Array): void {
  into.set(node.subarray(0, HASH_BYTES), at);
  into.set(node.subarray(HASH_BYTES, NODE_BYTES), at + 2 * WORD - SUM_BYTES);
}
