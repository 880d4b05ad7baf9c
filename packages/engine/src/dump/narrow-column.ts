/** Numbers of one kind, one after the other, in no more room than the largest of them needs. */
export type Column = Uint8Array | Uint16Array | Uint32Array | Float64Array;

/** A copy in the narrowest form that holds each of them exactly. */
export function narrowColumn(values: Float64Array): Column {
  let max = 0;
  for (const value of values) {
    // What is negative or no whole number, -0 included, stays what it is.
    if (!Object.is(value >>> 0, value)) return values.slice();
    if (value > max) max = value;
  }
  if (max <= 0xff) return Uint8Array.from(values);
  if (max <= 0xffff) return Uint16Array.from(values);
  return Uint32Array.from(values);
}
