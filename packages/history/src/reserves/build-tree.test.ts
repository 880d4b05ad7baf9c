import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { owedMicroUsdc, VENUE_ADDRESS } from '@oddlot/engine';
import { address } from '@oddlot/units';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { testAddress, Trees, venueOf } from '@oddlot/testing/venue/trees';
import { readProof, type TreeProof } from './read-proof.ts';
import { NODE_BYTES, treeFile, treeSecret, writeSum } from './tree-file.ts';

let trees: Trees;

beforeAll(async () => {
  trees = await Trees.create();
});

afterAll(() => rmSync(trees.folder, { recursive: true }));

const amounts = (count: number): number[] =>
  Array.from({ length: count }, (_, n) => 1_000_000 + n * n);
const sumOf = ({ parts }: TreeProof): bigint => parts.reduce((sum, part) => sum + part, 0n);

function node(hash: Uint8Array, sum: bigint): Buffer {
  const bytes = Buffer.alloc(NODE_BYTES);
  bytes.set(hash);
  writeSum(bytes, sum, 32);
  return bytes;
}

async function proofOf(user: ReturnType<typeof testAddress>, height: number): Promise<TreeProof> {
  const proof = await trees.proof(user, height);
  if (typeof proof !== 'object') throw new Error('no proof');
  return proof;
}

test.each([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 16, 17, 33])(
  'a tree of %i accounts contains each account once, and its sum equals the liabilities',
  async (count) => {
    const state = venueOf(amounts(count));
    const height = 100 + count;
    const tree = await trees.build(state, height);
    expect(tree.liabilities - tree.shortfall).toBe(owedMicroUsdc(state));
    expect(tree).toMatchObject({ height, owed: owedMicroUsdc(state), shortfall: 0n });
    const everybody = [...state.accounts.map((account) => account.address), VENUE_ADDRESS];
    expect(tree.leaves).toBe(everybody.length);
    const proofs = await Promise.all(everybody.map((user) => proofOf(user, height)));
    expect(new Set(proofs.map(({ index }) => index)).size).toBe(everybody.length);
    expect(proofs.reduce((sum, proof) => sum + sumOf(proof), 0n)).toBe(tree.liabilities);
    for (const [n, proof] of proofs.entries()) {
      expect(proof).toMatchObject({ root: tree.root, leaves: tree.leaves, height });
      const siblings = proof.siblings.reduce((sum, each) => sum + each.sum, 0n);
      expect(siblings + sumOf(proof)).toBe(tree.liabilities);
      const account = state.accounts[n];
      if (account !== undefined) expect(proof.parts[0]).toBe(account.perpBalance);
    }
  },
);

test('the root of a tree with two leaves equals a hash computed step by step', async () => {
  const state = venueOf([]);
  const tree = await trees.build(state, 7);
  const { hasher } = trees;
  const [fund] = state.accounts;
  const both = await Promise.all(
    [fund!.address, VENUE_ADDRESS].map(async (user) => ({ user, ...(await proofOf(user, 7)) })),
  );
  const [left, right] = both
    .sort((a, b) => a.index - b.index)
    .map((proof) => {
      const amount = sumOf(proof);
      const salt = Buffer.from(proof.salt.slice(2), 'hex');
      const leaf = { salt, address: Buffer.from(proof.user.slice(2), 'hex'), amount };
      return node(hasher.leaf(leaf), amount);
    });
  const top = node(hasher.node(left!, right!), tree.liabilities);
  const root = hasher.root({ height: 7, leaves: 2, node: top });
  expect(tree.root).toBe(`0x${Buffer.from(root).toString('hex')}`);
});

describe('the salts of a reserves tree are unpredictable', () => {
  test('a proof does not include any other account, and its hashes cannot be computed from addresses alone', async () => {
    const state = venueOf(amounts(9));
    await trees.build(state, 300);
    const own = await proofOf(testAddress(0), 300);
    const text = JSON.stringify(own, (_, value) =>
      typeof value === 'bigint' ? `${value}` : value,
    );
    const { hasher, secret } = trees;
    for (let n = 1; n < 9; n++) {
      const other = await proofOf(testAddress(n), 300);
      expect(text).not.toContain(testAddress(n).slice(2));
      expect(text).not.toContain(other.salt.slice(2));
      const amount = sumOf(other);
      const user = Buffer.from(testAddress(n).slice(2), 'hex');
      for (const salt of [Buffer.alloc(32), Buffer.from(own.salt.slice(2), 'hex'), secret]) {
        const guess = hasher.leaf({ salt, address: user, amount });
        expect(text).not.toContain(Buffer.from(guess).toString('hex'));
      }
    }
  });

  test('a tree at another height has another root and other neighbours', async () => {
    const state = venueOf(amounts(33));
    const first = await trees.build(state, 400);
    const second = await trees.build(state, 401);
    expect(second.root).not.toBe(first.root);
    expect(second.liabilities).toBe(first.liabilities);
    const places = async (height: number) =>
      Promise.all(amounts(33).map(async (_, n) => (await proofOf(testAddress(n), height)).index));
    expect(await places(401)).not.toEqual(await places(400));
  });

  test('the same height has the same tree, even after a restart', async () => {
    const state = venueOf(amounts(5));
    const first = await trees.build(state, 500);
    const bytes = readFileSync(treeFile(trees.folder, 500));
    expect(await trees.build(state, 500)).toEqual(first);
    expect(readFileSync(treeFile(trees.folder, 500)).equals(bytes)).toBe(true);
  });
});

test('there is no proof for an unknown account, or if there is no tree', async () => {
  await trees.build(venueOf(amounts(3)), 600);
  expect(await trees.proof(address(`0x${'9'.repeat(40)}`), 600)).toBeUndefined();
  expect(await trees.proof(testAddress(0), 601)).toBe('missing');
});

test('a change to any byte of a tree file is detected', async () => {
  await trees.build(venueOf(amounts(5)), 610);
  const whole = readFileSync(treeFile(trees.folder, 610));
  const right = await proofOf(testAddress(0), 610);
  let found = 0;
  for (let at = 0; at < whole.length; at += 3) {
    const bytes = Buffer.from(whole);
    bytes[at] = (bytes[at] ?? 0) ^ 0x10;
    writeFileSync(treeFile(trees.folder, 610), bytes);
    const proof = await trees.proof(testAddress(0), 610);
    // The changed byte belongs to another account or is detected, so a wrong proof is never
    // returned.
    if (proof === 'damaged' || proof === undefined) found += 1;
    else
      expect({ ...(proof as TreeProof), liabilities: 0n }).toEqual({ ...right, liabilities: 0n });
  }
  expect(found).toBeGreaterThan(50);
  for (const bytes of [
    Buffer.from('something else'),
    Buffer.alloc(1_000),
    whole.subarray(0, 300),
  ]) {
    writeFileSync(treeFile(trees.folder, 610), bytes);
    expect(await trees.proof(testAddress(0), 610)).toBe('damaged');
  }
});

test('a tree can be read only with its own secret, and a damaged or lost secret is not replaced', async () => {
  await trees.build(venueOf(amounts(5)), 620);
  const { folder, hasher } = trees;
  const other = { folder, hasher, height: 620, secret: Buffer.alloc(32), user: testAddress(0) };
  expect(await readProof(other)).toBe('damaged');
  const elsewhere = join(folder, 'elsewhere');
  const secret = treeSecret(elsewhere);
  expect(treeSecret(elsewhere)).toEqual(secret);
  const file = join(elsewhere, 'salt-secret');
  writeFileSync(file, 'torn');
  expect(() => treeSecret(elsewhere)).toThrow(`${file} does not contain 32 bytes in hex`);
  rmSync(file);
  writeFileSync(treeFile(elsewhere, 620), 'a tree');
  expect(() => treeSecret(elsewhere)).toThrow(
    `${file} is missing, but ${treeFile(elsewhere, 620)} was created with it. Restore it`,
  );
  expect(existsSync(file)).toBe(false);
});

test('other work continues while a tree with many leaves is being built', async () => {
  const state = venueOf(amounts(9_000));
  trees.pauses = 0;
  const tree = await trees.build(state, 700);
  expect(tree.liabilities).toBe(owedMicroUsdc(state));
  expect(trees.pauses).toBeGreaterThan(12);
  for (const n of [0, 4_321, 8_999]) {
    expect((await proofOf(testAddress(n), 700)).parts[0]).toBe(BigInt(1_000_000 + n * n));
  }
});
