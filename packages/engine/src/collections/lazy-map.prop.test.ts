import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LazyMap } from './maps.ts';

const step = fc.record({
  kind: fc.constantFrom('set', 'set', 'set', 'delete', 'clear'),
  key: fc.nat(5),
  value: fc.nat(9),
});

function apply(map: Map<number, number>, { key, kind, value }: { kind: string } & Entry): unknown {
  if (kind === 'set') return map.set(key, value).size;
  return kind === 'delete' ? map.delete(key) : map.clear();
}

type Entry = { readonly key: number; readonly value: number };

function visited(map: Map<number, number>): unknown[] {
  const seen: unknown[] = [];
  map.forEach((value, key, whole) => seen.push([key, value, whole === map]));
  return seen;
}

test('a lazy map behaves like a plain map, empty or not', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const [lazy, plain] = [new LazyMap<number, number>(), new Map<number, number>()];
      for (const next of [undefined, ...steps]) {
        if (next !== undefined) expect(apply(lazy, next)).toEqual(apply(plain, next));
        expect([...lazy]).toEqual([...plain]);
        expect([...lazy.entries()]).toEqual([...plain]);
        expect([...lazy.keys()]).toEqual([...plain.keys()]);
        expect([...lazy.values()]).toEqual([...plain.values()]);
        expect(visited(lazy)).toEqual(visited(plain));
        expect(lazy.size).toBe(plain.size);
        for (let key = 0; key <= 5; key++) {
          expect([lazy.has(key), lazy.get(key)]).toEqual([plain.has(key), plain.get(key)]);
        }
      }
    }),
  );
});
