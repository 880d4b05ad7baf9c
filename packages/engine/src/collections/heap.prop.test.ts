import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Heap } from './heap.ts';

type Entry = { readonly key: number; readonly id: number };

const isBefore = (a: Entry, b: Entry): boolean => a.key < b.key || (a.key === b.key && a.id < b.id);

const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('push'), key: fc.nat(20) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('pop'), key: fc.constant(0) }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('retain'), key: fc.integer({ min: 2, max: 4 }) }),
  },
);

test('a heap returns its entries in order after any insertions and removals', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
      const heap = new Heap(isBefore);
      let list: Entry[] = [];
      for (const [id, { key, kind }] of steps.entries()) {
        if (kind === 'push') {
          heap.push({ key, id });
          list.push({ key, id });
          list.sort((a, b) => a.key - b.key || a.id - b.id);
        } else if (kind === 'pop') {
          expect(heap.pop()).toEqual(list.shift());
        } else {
          heap.retain((entry) => entry.id % key !== 0);
          list = list.filter((entry) => entry.id % key !== 0);
        }
        expect(heap.size).toBe(list.length);
        expect(heap.first).toEqual(list[0]);
      }
      expect(list.map(() => heap.pop())).toEqual(list);
      expect(heap.pop()).toBeUndefined();
    }),
  );
});
