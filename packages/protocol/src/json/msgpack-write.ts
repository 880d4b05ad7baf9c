/** The MessagePack forms that an action can hold, each in its shortest form. */

/** The first byte of the short form of an array. */
export const ARRAY = 0x90;
/** The first byte of the short form of a map. */
export const MAP = 0x80;

const TWO_32 = 0x1_0000_0000;

/** Writes an integer at `at` in its shortest form; returns the position after it. */
export function writeInteger(out: Uint8Array, at: number, value: number): number {
  if (value >= 0) {
    if (value < 0x80) {
      out[at] = value;
      return at + 1;
    }
    if (value < 0x100) return writeTagged(out, at, 0xcc, value, 1);
    if (value < 0x10000) return writeTagged(out, at, 0xcd, value, 2);
    if (value < TWO_32) return writeTagged(out, at, 0xce, value, 4);
    return writeTagged(out, at, 0xcf, value, 8);
  }
  if (value >= -0x20) {
    out[at] = value & 0xff;
    return at + 1;
  }
  if (value >= -0x80) return writeTagged(out, at, 0xd0, value, 1);
  if (value >= -0x8000) return writeTagged(out, at, 0xd1, value, 2);
  if (value >= -TWO_32 / 2) return writeTagged(out, at, 0xd2, value, 4);
  return writeTagged(out, at, 0xd3, value, 8);
}

function writeTagged(
  out: Uint8Array,
  at: number,
  tag: number,
  value: number,
  bytes: number,
): number {
  out[at] = tag;
  let rest = value;
  for (let offset = bytes; offset > 0; offset--) {
    // Floor, not a shift: values above 32 bits and two's complement of negatives both come out.
    const next = Math.floor(rest / 0x100);
    out[at + offset] = rest - next * 0x100;
    rest = next;
  }
  return at + 1 + bytes;
}

/** Writes the header of a string of so many UTF-8 bytes; returns the position after it. */
export function writeStringHeader(out: Uint8Array, at: number, bytes: number): number {
  if (bytes < 32) {
    out[at] = 0xa0 | bytes;
    return at + 1;
  }
  if (bytes < 0x100) return writeTagged(out, at, 0xd9, bytes, 1);
  if (bytes < 0x10000) return writeTagged(out, at, 0xda, bytes, 2);
  return writeTagged(out, at, 0xdb, bytes, 4);
}

/**
 * Writes the header of a container whose entries already lie in `[start + 1, end)`, moving them
 * when the header needs more than one byte; returns the new end.
 */
export function writeHeader(
  out: Uint8Array,
  start: number,
  end: number,
  count: number,
  kind: typeof ARRAY | typeof MAP,
): number {
  if (count < 16) {
    out[start] = kind | count;
    return end;
  }
  const wide = count >= 0x10000;
  const header = wide ? 5 : 3;
  out.copyWithin(start + header, start + 1, end);
  const tag = (kind === ARRAY ? 0xdc : 0xde) + (wide ? 1 : 0);
  writeTagged(out, start, tag, count, header - 1);
  return end + header - 1;
}

/** Writes a code point as UTF-8; returns the position after it. */
export function writeUtf8(out: Uint8Array, at: number, code: number): number {
  let length = at;
  if (code < 0x80) {
    out[length++] = code;
  } else if (code < 0x800) {
    out[length++] = 0xc0 | (code >> 6);
    out[length++] = 0x80 | (code & 0x3f);
  } else if (code < 0x10000) {
    out[length++] = 0xe0 | (code >> 12);
    out[length++] = 0x80 | ((code >> 6) & 0x3f);
    out[length++] = 0x80 | (code & 0x3f);
  } else {
    out[length++] = 0xf0 | (code >> 18);
    out[length++] = 0x80 | ((code >> 12) & 0x3f);
    out[length++] = 0x80 | ((code >> 6) & 0x3f);
    out[length++] = 0x80 | (code & 0x3f);
  }
  return length;
}
