import fc from 'fast-check';
import { expect, test } from 'vitest';
import { narrowColumn } from './order-blocks.ts';

test.each([
  [[], Uint8Array],
  [[0, 255], Uint8Array],
  [[256, 1], Uint16Array],
  [[65_535], Uint16Array],
  [[65_536], Uint32Array],
  [[2 ** 32 - 1], Uint32Array],
  [[2 ** 32], Float64Array],
  [[1, -1], Float64Array],
  [[-0], Float64Array],
  [[0.5], Float64Array],
])('%j is kept in as little room as it needs', (values, form) => {
  expect(narrowColumn(Float64Array.from(values))).toBeInstanceOf(form);
});

test('every number comes back as it was', () => {
  const number = fc.oneof(fc.nat(300), fc.nat(70_000), fc.maxSafeNat(), fc.double());
  const property = fc.property(fc.array(number), (values) => {
    const column = narrowColumn(Float64Array.from(values));
    expect(values.every((value, row) => Object.is(column[row], value))).toBe(true);
    expect(column).toHaveLength(values.length);
  });
  fc.assert(property);
});
