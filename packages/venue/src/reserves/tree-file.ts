import { join } from 'node:path';
import { ADDRESS_BYTES, HASH_BYTES, NODE_BYTES, SUM_BYTES } from './tree-hasher.ts';

/**
 * A tree on disk: a head, the leaves by their salts, then the nodes of each level from the leaves' own
 * up to the top. A level of an odd number passes its last node on as it is.
 */

export const PART_NAMES = ['perp', 'outcome', 'withdrawHold', 'rewards'] as const;
const PART_BYTES = 8;
export const LEAF_BYTES = HASH_BYTES + ADDRESS_BYTES + PART_NAMES.length * PART_BYTES;
export const PARTS_AT = HASH_BYTES + ADDRESS_BYTES;

/** What the first bytes are, and of which shape the rest is. */
const MARK = 'oddtree1';
export const HEAD_BYTES = MARK.length + 2 * 8 + HASH_BYTES + SUM_BYTES;

export type TreeHead = {
  readonly height: number;
  readonly leaves: number;
  readonly root: Uint8Array;
  /** As it is kept: 16 bytes. */
  readonly sum: Uint8Array;
};

export function treeFolder(data: string): string {
  return join(data, 'reserves');
}

export function treeFile(folder: string, height: number): string {
  return join(folder, `${height}.tree`);
}

/** The height of a tree's file by its name; undefined when it is no tree. */
export function heightOfFile(name: string): number | undefined {
  const height = /^(\d+)\.tree$/.exec(name)?.[1];
  return height === undefined ? undefined : Number(height);
}

/** How many nodes each level has, that of the leaves first. */
export function widthsOf(leaves: number): readonly number[] {
  const widths = [leaves];
  for (let width = leaves; width > 1;) {
    width = Math.ceil(width / 2);
    widths.push(width);
  }
  return widths;
}

/** Where the nodes of each level begin. */
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

/** Undefined when it is none, or of another shape. */
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

/** The parts of a leaf, in the order of their names. */
export function partsOf(leaf: Buffer): readonly bigint[] {
  return PART_NAMES.map((_, at) => leaf.readBigUInt64BE(PARTS_AT + at * PART_BYTES));
}

export function writeParts(leaves: Buffer, at: number, parts: readonly bigint[]): void {
  for (const [part, amount] of parts.entries()) {
    leaves.writeBigUInt64BE(amount, at + PARTS_AT + part * PART_BYTES);
  }
}
