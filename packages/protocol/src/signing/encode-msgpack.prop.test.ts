import { encode } from '@msgpack/msgpack';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { encodeMsgpack } from '../json/msgpack.ts';

const { tree } = fc.letrec((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4 },
    fc.maxSafeInteger(),
    fc.constantFrom(127, 128, -32, -33, 65_536, 2 ** 32, -(2 ** 31) - 1),
    fc.string({ unit: 'grapheme', maxLength: 300 }),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('tree'), { maxLength: 20 }),
    fc.dictionary(fc.string({ minLength: 1 }), fc.option(tie('tree'), { nil: undefined })),
  ),
}));

test('encodeMsgpack returns the same bytes as the msgpack library', () => {
  fc.assert(
    fc.property(tree, (value) => {
      expect(encodeMsgpack(value)).toEqual(
        new Uint8Array(encode(value, { ignoreUndefined: true })),
      );
    }),
  );
});

test.each([0.5, NaN, 2 ** 53, 10n, Symbol('x')])('the value %s cannot be signed', (value) => {
  expect(() => encodeMsgpack({ value })).toThrow(RangeError);
});
