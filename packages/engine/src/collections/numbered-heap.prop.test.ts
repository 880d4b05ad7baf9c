import fc from 'fast-check';
import { expect, test } from 'vitest';
import { NumberedHeap } from './heap.ts';

const step = fc.record({
  kind: fc.constantFrom('put', 'put', 'put', 'delete', 'pop'),
  number: fc.nat(40),
  key: fc.nat(12),
});

test('a numbered heap returns numbers by key after any insertions, moves and removals', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const heap = new NumberedHeap();
      const waiting = new Map<number, number>();
      for (const { key, kind, number } of steps) {
        if (kind === 'put') {
          heap.put(number, key);
          waiting.set(number, key);
        } else if (kind === 'delete') {
          heap.delete(number);
          waiting.delete(number);
        } else {
          const firstKey = Math.min(...waiting.values());
          const first = heap.pop();
          if (waiting.size === 0) expect(first).toBeUndefined();
          else expect(waiting.get(first!)).toBe(firstKey);
          if (first !== undefined) waiting.delete(first);
        }
        expect(heap.size).toBe(waiting.size);
        expect(heap.firstKey).toBe(Math.min(...waiting.values()));
        expect(heap.keyOf(number)).toBe(waiting.get(number));
      }
      const left = [...waiting.values()].sort((a, b) => a - b);
      expect(left.map(() => waiting.get(heap.pop()!))).toEqual(left);
      expect(heap.pop()).toBeUndefined();
    }),
  );
});
