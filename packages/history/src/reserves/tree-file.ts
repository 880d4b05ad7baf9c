import { createKeccak } from 'hash-wasm';
import { join } from 'node:path';
import { existsSync, readdirSync } from 'node:fs';
import { secretFile } from '@oddlot/host/durable';

/**
 * The hashes of the tree of liabilities. Each begins with a byte for its kind, so that no kind can
 * be passed off as another. A node hashes the sums of both children, not only their total;
 * otherwise, one of the sums could be understated. Numbers are unsigned, 32 bytes long and
 * big-endian.
 */

export const HASH_BYTES = 32;
const ADDRESS_BYTES = 20;
/** 16 bytes are enough for any leaf and for the sum of all leaves. */
const SUM_BYTES = 16;
/** A stored node consists of its hash and the sum of all leaves below it. */
export const NODE_BYTES = HASH_BYTES + SUM_BYTES;

const KIND = { leaf: 0, node: 1, root: 2, salt: 3 } as const;
const WORD = 32;

export type TreeHasher = {
  /** Returns the hash of the liabilities to one account. The salt prevents guessing the address. */
  leaf(leaf: {
    readonly salt: Uint8Array;
    readonly address: Uint8Array;
    readonly amount: bigint;
  }): Uint8Array;
  node(left: Uint8Array, right: Uint8Array): Uint8Array;
  /** Returns the root hash, which includes the number of leaves and the height. */
  root(top: {
    readonly height: number;
    readonly leaves: number;
    readonly node: Uint8Array;
  }): Uint8Array;
  /**
   * Returns the salt of an address at a height, which cannot be computed without knowing the
   * secret.
   */
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

/** Writes a sum as 16 bytes, big-endian. Throws if the sum is larger. */
export function writeSum(bytes: Buffer, sum: bigint, at: number): void {
  bytes.writeBigUInt64BE(sum >> 64n, at);
  bytes.writeBigUInt64BE(sum & 0xffff_ffff_ffff_ffffn, at + 8);
}

export function readSum(bytes: Buffer, at: number): bigint {
  return (bytes.readBigUInt64BE(at) << 64n) | bytes.readBigUInt64BE(at + 8);
}

/** Writes a stored node as two words of 32 bytes. */
function putNode(into: Buffer, at: number, node: Uint8Array): void {
  into.set(node.subarray(0, HASH_BYTES), at);
  into.set(node.subarray(HASH_BYTES, NODE_BYTES), at + 2 * WORD - SUM_BYTES);
}

/**
 * The layout of a tree file: a header, the leaves sorted by salt, and then the nodes of each level,
 * starting with the leaf level. The last node of a level with an odd number of nodes is copied to
 * the next level.
 */

export const PART_NAMES = ['perp', 'outcome', 'withdrawHold', 'rewards'] as const;
const PART_BYTES = 8;
export const LEAF_BYTES = HASH_BYTES + ADDRESS_BYTES + PART_NAMES.length * PART_BYTES;
export const PARTS_AT = HASH_BYTES + ADDRESS_BYTES;

const MARK = 'oddtree1';
export const HEAD_BYTES = MARK.length + 2 * 8 + HASH_BYTES + SUM_BYTES;

export type TreeHead = {
  readonly height: number;
  readonly leaves: number;
  readonly root: Uint8Array;
  readonly sum: Uint8Array;
};

export function treeFolder(data: string): string {
  return join(data, 'reserves');
}

export function treeFile(folder: string, height: number): string {
  return join(folder, `${height}.tree`);
}

/** Returns the height given in the name of a tree file, or undefined for other files. */
export function heightOfFile(name: string): number | undefined {
  const height = /^(\d+)\.tree$/.exec(name)?.[1];
  return height === undefined ? undefined : Number(height);
}

export function widthsOf(leaves: number): readonly number[] {
  const widths = [leaves];
  for (let width = leaves; width > 1;) {
    width = Math.ceil(width / 2);
    widths.push(width);
  }
  return widths;
}

export function levelsAt(leaves: number): readonly number[] {
  const starts: number[] = [];
  let at = HEAD_BYTES + leaves * LEAF_BYTES;
  for (const width of widthsOf(leaves)) {
    starts.push(at);
    at += width * NODE_BYTES;
  }
  return starts;
}

export function headBytes({ height, leaves, root, sum }: TreeHead): Buffer {
  const bytes = Buffer.alloc(HEAD_BYTES);
  bytes.write(MARK, 'latin1');
  bytes.writeBigUInt64BE(BigInt(height), MARK.length);
  bytes.writeBigUInt64BE(BigInt(leaves), MARK.length + 8);
  bytes.set(root, MARK.length + 16);
  bytes.set(sum, MARK.length + 16 + HASH_BYTES);
  return bytes;
}

/** Returns the header, or undefined if the bytes are not a tree of this version. */
export function headOf(bytes: Buffer): TreeHead | undefined {
  if (bytes.length < HEAD_BYTES || bytes.toString('latin1', 0, MARK.length) !== MARK) {
    return undefined;
  }
  const rootAt = MARK.length + 16;
  return {
    height: Number(bytes.readBigUInt64BE(MARK.length)),
    leaves: Number(bytes.readBigUInt64BE(MARK.length + 8)),
    root: bytes.subarray(rootAt, rootAt + HASH_BYTES),
    sum: bytes.subarray(rootAt + HASH_BYTES, HEAD_BYTES),
  };
}

export function partsOf(leaf: Buffer): readonly bigint[] {
  return PART_NAMES.map((_, at) => leaf.readBigUInt64BE(PARTS_AT + at * PART_BYTES));
}

export function writeParts(leaves: Buffer, at: number, parts: readonly bigint[]): void {
  for (const [part, amount] of parts.entries()) {
    leaves.writeBigUInt64BE(amount, at + PARTS_AT + part * PART_BYTES);
  }
}

/**
 * Returns the random secret for salts, creating it the first time. It is not a key; it only reveals
 * which accounts are the neighbours in a proof. Trees built with another secret cannot be used.
 */
export function treeSecret(folder: string): Uint8Array {
  return secretFile({
    file: join(folder, 'salt-secret'),
    bytes: HASH_BYTES,
    madeWith: treeIn(folder),
    remedy:
      `remove ${folder}; trees are then rebuilt, but proofs that were already issued ` +
      'become invalid',
  });
}

function treeIn(folder: string): string | undefined {
  if (!existsSync(folder)) return undefined;
  const name = readdirSync(folder).find((each) => heightOfFile(each) !== undefined);
  return name === undefined ? undefined : join(folder, name);
}

/**
 * Returns memory that does not count towards garbage collection. After about 64 MB of ordinary
 * buffers, the collector would search the whole heap to free memory that it does not manage, which
 * takes more than a second on a large venue. Shared memory is exempt; this buffer is never actually
 * shared.
 */
export function uncounted(bytes: number): SharedArrayBuffer {
  return new SharedArrayBuffer(bytes);
}
