import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { jsonPieces } from './snapshot-codec.ts';

describe('serializing large values in pieces', () => {
  test('the joined pieces equal the JSON of the whole value', () => {
    const odd = fc.oneof(fc.constant(undefined), fc.date(), fc.constant(new Float64Array([1, 2])));
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: 'medium' },
        fc.jsonValue(),
        odd,
        fc.array(tie('value'), { maxLength: 130 }),
        fc.dictionary(fc.string(), tie('value')),
      ),
    }));
    fc.assert(
      fc.property(fc.record({ value }), (tree) => {
        expect([...jsonPieces(tree)].join('')).toBe(JSON.stringify(tree));
      }),
      { numRuns: 50 },
    );
  });

  test('long lists are split into many short pieces', () => {
    const account = { name: 'somebody', rows: [[1, 2], { more: 'of this' }] };
    const tree = { state: { accounts: Array.from({ length: 20_000 }, () => account) } };
    const pieces = [...jsonPieces(tree)];
    expect(pieces.join('')).toBe(JSON.stringify(tree));
    expect(pieces.length).toBeGreaterThan(10);
    expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(100_000);
  });
});
