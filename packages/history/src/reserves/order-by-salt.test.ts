import fc from 'fast-check';
import { expect, test } from 'vitest';
import { orderBySalt } from './build-tree.ts';
import { LEAF_BYTES } from './tree-file.ts';

test('leaves are sorted by all bytes of their salts, even if the first bytes are equal', async () => {
  // With only a few different values, equal prefixes are likely.
  const byte = fc.constantFrom(0, 1, 0x7f, 0x80, 0xff);
  const salt = fc.array(byte, { minLength: 6, maxLength: 6 });
  const salts = fc.uniqueArray(salt, { maxLength: 200, selector: String });
  await fc.assert(
    fc.asyncProperty(salts, async (all) => {
      const leaves = Buffer.alloc(all.length * LEAF_BYTES);
      // The sort key covers only the first bytes, so salts that differ in byte 30 have equal keys.
      for (const [at, bytes] of all.entries()) {
        leaves.set(bytes.slice(0, 4), at * LEAF_BYTES);
        leaves.set(bytes.slice(4), at * LEAF_BYTES + 30);
      }
      const order = await orderBySalt(leaves, all.length, async () => undefined);
      const found = [...order].map((place) => String(all[place]?.map((each) => each + 1000)));
      const expected = all.map((each) => String(each.map((one) => one + 1000)));
      expect(found).toEqual(expected.sort());
    }),
  );
});

test('each pass over many leaves pauses for other work', async () => {
  const count = 35_000;
  const leaves = Buffer.alloc(count * LEAF_BYTES);
  for (let at = 0; at < count; at++) leaves.writeUInt32BE((at * 0x9e3779b1) >>> 0, at * LEAF_BYTES);
  let pauses = 0;
  const order = await orderBySalt(leaves, count, async () => {
    pauses += 1;
  });
  const salts = [...order].map((place) => leaves.readUInt32BE(place * LEAF_BYTES));
  expect(salts).toEqual(salts.toSorted((a, b) => a - b));
  // Counting and placing pause four times each, sorting pauses once per first byte, and reading
  // three times.
  expect(pauses).toBe(4 + 4 + 256 + 3);
});
