import fc from 'fast-check';
import { expect, test } from 'vitest';
import { orderBySalt } from './order-by-salt.ts';
import { LEAF_BYTES } from './tree-file.ts';

test('leaves are sorted by all bytes of their salts, those that begin alike too', async () => {
  // So few values that many begin alike.
  const byte = fc.constantFrom(0, 1, 0x7f, 0x80, 0xff);
  const salt = fc.array(byte, { minLength: 6, maxLength: 6 });
  const salts = fc.uniqueArray(salt, { maxLength: 200, selector: String });
  await fc.assert(
    fc.asyncProperty(salts, async (all) => {
      const leaves = Buffer.alloc(all.length * LEAF_BYTES);
      // The first bytes differ little, the last ones of 32 are the others.
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
