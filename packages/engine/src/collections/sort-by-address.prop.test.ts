import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sortByAddress } from './sorting.ts';

type Item = { readonly address: string; readonly place: number };

/** The digits take few values, so that addresses often share prefixes or are equal. */
const item = fc.record({
  address: fc
    .tuple(fc.constantFrom('0', '7', 'f'), fc.constantFrom('0', '1', '9'))
    .map(([head, tail]) => `0x${head.repeat(20)}${tail.repeat(20)}`),
  place: fc.nat(5),
});

const compare = (a: Item, b: Item): number =>
  a.address === b.address ? a.place - b.place : a.address < b.address ? -1 : 1;

test('R-order-of-events: sorting by address gives the same order as a plain comparison', () => {
  fc.assert(
    fc.property(fc.array(item, { maxLength: 60 }), (items) => {
      const sorted = sortByAddress(
        items,
        ({ address }) => address,
        (a, b) => a.place - b.place,
      );
      expect(sorted).toEqual([...items].sort(compare));
    }),
  );
});
