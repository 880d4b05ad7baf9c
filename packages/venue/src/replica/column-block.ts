import { endianness } from 'node:os';
import type { Column } from '@oddlot/engine';
import { present } from '@oddlot/units';

/**
 * An object whose lists of numbers are typed arrays, as bytes that say themselves what they are: the length of the head
 * (uint32) and zeros up to eight bytes, the head, which is JSON, then the columns one after the other in the order in
 * which the head names them. Head and columns end at a multiple of eight.
 */

/** The order of bytes is part of a form's name: a machine of the other order can't read it, and does not try. */
const ORDER = endianness() === 'LE' ? 'le' : 'be';
const FORMS = {
  u8: Uint8Array,
  [`u16${ORDER}`]: Uint16Array,
  [`u32${ORDER}`]: Uint32Array,
  [`f64${ORDER}`]: Float64Array,
};
const START_BYTES = 8;

type Head = {
  readonly columns: readonly (readonly [name: string, form: string, length: number])[];
  /** Whatever is no column. */
  readonly rest: Readonly<Record<string, unknown>>;
};

export function encodeColumns(object: Readonly<Record<string, unknown>>): Buffer {
  const columns: [string, string, number][] = [];
  const rest: [string, unknown][] = [];
  const parts: Buffer[] = [];
  for (const [name, value] of Object.entries(object)) {
    if (!isColumn(value)) rest.push([name, value]);
    else {
      columns.push([name, formOf(value), value.length]);
      parts.push(...padded(Buffer.from(value.buffer, value.byteOffset, value.byteLength)));
    }
  }
  const head: Head = { columns, rest: Object.fromEntries(rest) };
  const text = Buffer.from(JSON.stringify(head));
  const start = Buffer.alloc(START_BYTES);
  start.writeUInt32LE(text.length);
  return Buffer.concat([start, ...padded(text), ...parts]);
}

/** Throws where the bytes are of another shape. */
export function decodeColumns(bytes: Buffer): Readonly<Record<string, unknown>> {
  const headEnd = START_BYTES + bytes.readUInt32LE();
  const head = JSON.parse(bytes.toString('utf8', START_BYTES, headEnd)) as Head;
  const object: Record<string, unknown> = { ...head.rest };
  let from = upToEight(headEnd);
  for (const [name, form, length] of head.columns) {
    const Form = present(FORMS[form], `a column form that this release supports: ${form}`);
    const end = from + length * Form.BYTES_PER_ELEMENT;
    if (end > bytes.length) throw new RangeError('a column ends beyond its block');
    const { buffer, byteOffset } = bytes;
    object[name] = new Form(buffer.slice(byteOffset + from, byteOffset + end) as ArrayBuffer);
    from = upToEight(end);
  }
  return object;
}

function isColumn(value: unknown): value is Column {
  return ArrayBuffer.isView(value);
}

function formOf(column: Column): string {
  const found = Object.entries(FORMS).find(([, Form]) => column instanceof Form);
  return present(found, 'a form for a column')[0];
}

/** The bytes, and zeros up to a multiple of eight. */
export function padded(bytes: Buffer): Buffer[] {
  return [bytes, Buffer.alloc(upToEight(bytes.length) - bytes.length)];
}

export function upToEight(length: number): number {
  return Math.ceil(length / 8) * 8;
}
