import { arrayOf, encodeText, mapOf, type EncodedEntry } from '../json/msgpack-slice.ts';
import { writeInteger } from '../json/msgpack-write.ts';

const NIL = 0xc0;
const FALSE = 0xc2;
const TRUE = 0xc3;
/** The longest integer, with its tag. */
const INTEGER_BYTES_MAX = 9;

/**
 * MessagePack of a value in the key order of its objects; undefined fields are left out. Throws on
 * a number that is not a safe integer: the venue would refuse the action anyway.
 */
export function encodeMsgpack(value: unknown): Uint8Array {
  switch (typeof value) {
    case 'string':
      return encodeText(value);
    case 'boolean':
      return Uint8Array.of(value ? TRUE : FALSE);
    case 'number': {
      if (!Number.isSafeInteger(value)) {
        throw new RangeError(`only safe integers can be signed: ${value}`);
      }
      const bytes = new Uint8Array(INTEGER_BYTES_MAX);
      return bytes.slice(0, writeInteger(bytes, 0, value));
    }
    case 'object':
      if (value === null) return Uint8Array.of(NIL);
      if (Array.isArray(value)) return arrayOf(value.map(encodeMsgpack));
      return mapOf(encodedEntries(value));
    default:
      throw new RangeError(`cannot be signed: ${typeof value}`);
  }
}

function encodedEntries(value: object): EncodedEntry[] {
  return Object.entries(value)
    .filter(([, held]) => held !== undefined)
    .map(([key, held]) => [key, encodeMsgpack(held)]);
}
