import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LayeredMap } from './maps.ts';

/**
 * A mutable map value. The test applies the same random steps to a layered map, to layers of two
 * depths and to a plain copy; after each step, all must have the same entries in the same order.
 */
type Box = { value: number };

const key = fc.nat(6);
const step = fc.oneof(
  fc.record({ kind: fc.constant('set' as const), key, value: fc.nat(9) }),
  fc.record({ kind: fc.constant('delete' as const), key }),
  fc.record({ kind: fc.constant('change' as const), key, value: fc.nat(9) }),
  fc.record({ kind: fc.constant('clear' as const) }),
);
const copy = (box: Box): Box => ({ ...box });

function apply(map: Map<number, Box>, next: typeof step extends fc.Arbitrary<infer S> ? S : never) {
  switch (next.kind) {
    case 'set':
      return map.set(next.key, { value: next.value }).has(next.key);
    case 'delete':
      return map.delete(next.key);
    case 'change': {
      const found = map.get(next.key);
      if (found !== undefined) found.value = next.value;
      return map.get(next.key) === found;
    }
    case 'clear':
      return map.clear();
  }
}

test('a layered map behaves like a copy and does not change the lower map', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.tuple(key, fc.nat(9)), { selector: ([at]) => at }),
      fc.array(step, { maxLength: 30 }),
      fc.nat(30),
      (entries, steps, relayer) => {
        const below = new Map(entries.map(([at, value]) => [at, { value }]));
        const plain = new Map(entries.map(([at, value]) => [at, { value }]));
        const before = JSON.stringify([...below]);
        let layered: Map<number, Box> = new LayeredMap(below, copy);
        let frozen: string | undefined;
        let lower: Map<number, Box> | undefined;
        for (const [index, next] of steps.entries()) {
          if (index === relayer) {
            lower = layered;
            frozen = JSON.stringify([...lower]);
            layered = new LayeredMap(lower, copy);
          }
          expect(apply(layered, next)).toEqual(apply(plain, next));
          expect([...layered]).toEqual([...plain]);
          expect(layered.size).toBe(plain.size);
        }
        const seen: unknown[] = [];
        for (const [at, box] of layered) seen.push([box, at]);
        const visited: unknown[] = [];
        layered.forEach((box, at) => visited.push([box, at]));
        expect(visited).toEqual(seen);
        expect([...layered.keys()]).toEqual([...plain.keys()]);
        expect([...layered.values()]).toEqual([...plain.values()]);
        expect(JSON.stringify([...below])).toBe(before);
        if (lower !== undefined) expect(JSON.stringify([...lower])).toBe(frozen);
      },
    ),
  );
});

test('a loop over a layered map skips entries that it deletes and visits entries that it adds', () => {
  const map = new LayeredMap(new Map([1, 2, 3].map((at) => [at, at])));
  const visited: number[] = [];
  for (const at of map.keys()) {
    visited.push(at);
    map.delete(2);
    if (at === 1) map.set(4, 4);
  }
  expect(visited).toEqual([1, 3, 4]);
});
