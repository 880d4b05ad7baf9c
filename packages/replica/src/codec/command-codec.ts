import type { Command } from '@oddlot/engine';
import { ByteReader, ByteWriter, EncodingError } from './bytes.ts';
import { COMMAND_FORMS, type CommandForm } from './command-forms.ts';

/**
 * Encodes a command as bytes: a tag, followed by the compact form for its type, or by plain data if
 * the type has no compact form or the command does not fit it. Decoding returns exactly what was
 * written, including the order of keys, because block hashes cover the JSON of commands. A new
 * command type needs no change here.
 */

const PLAIN_TAG = 0;

const FORM_BY_TYPE: ReadonlyMap<unknown, CommandForm> = new Map(
  Object.entries(COMMAND_FORMS as unknown as Record<string, CommandForm>),
);
const FORM_BY_TAG: readonly (CommandForm | undefined)[] = [...FORM_BY_TYPE.values()].reduce(
  (forms: (CommandForm | undefined)[], form) => {
    forms[form.tag] = form;
    return forms;
  },
  [],
);

const INITIAL_BYTES = 1_024;
const RETAINED_BYTES_MAX = 1024 * 1024;
const scratch = new ByteWriter(INITIAL_BYTES);

/** Returns a copy of the bytes, which is not shared with the writer. */
export function encodeCommand(command: Command): Buffer {
  scratch.clear(RETAINED_BYTES_MAX, INITIAL_BYTES);
  writeCommand(scratch, command);
  return Buffer.from(scratch.bytes.subarray(0, scratch.length));
}

/** Throws `EncodingError` unless the bytes are exactly one command. */
export function decodeCommand(bytes: Buffer): Command {
  return readCommand(bytes, 0, bytes.length);
}

/**
 * Appends a command to the writer. Throws if the command is not plain data; the writer then
 * contains an incomplete command.
 */
export function writeCommand(writer: ByteWriter, command: Command): void {
  const start = writer.length;
  const form = FORM_BY_TYPE.get((command as Command | null)?.type);
  if (form !== undefined) {
    writer.byte(form.tag);
    if (form.write(writer, command)) return;
    writer.truncate(start);
  }
  writer.byte(PLAIN_TAG);
  writeValue(writer, command);
}

export function readCommand(bytes: Buffer, start: number, end: number): Command {
  const reader = new ByteReader(bytes, start, end);
  const tag = reader.byte();
  const command = tag === PLAIN_TAG ? (readValue(reader) as Command) : formOf(tag).read(reader);
  if (!reader.isAtEnd) throw new EncodingError(`a command ends at ${reader.at} instead of ${end}`);
  return command;
}

function formOf(tag: number): CommandForm {
  const form = FORM_BY_TAG[tag];
  if (form === undefined) throw new EncodingError(`unknown kind of command: ${tag}`);
  return form;
}

/**
 * The kinds of plain data, which can have any shape and includes key names. Every value that can be
 * represented in JSON is decoded to the same value, including the order of keys. A key is written
 * out in full the first time and then referred to by number, so that a list of similar objects is
 * short.
 */

const NULL = 0;
const FALSE = 1;
const TRUE = 2;
const NUMBER = 3;
const TEXT = 4;
const LIST = 5;
const OBJECT = 6;

function writeValue(writer: ByteWriter, value: unknown): void {
  write(writer, value, new Map());
}

function readValue(reader: ByteReader): unknown {
  return read(reader, []);
}

function write(writer: ByteWriter, value: unknown, keys: Map<string, number>): void {
  if (value === null) writer.byte(NULL);
  else if (typeof value === 'boolean') writer.byte(value ? TRUE : FALSE);
  else if (typeof value === 'number') {
    writer.byte(NUMBER);
    writer.number(value);
  } else if (typeof value === 'string') {
    writer.byte(TEXT);
    writer.text(value);
  } else if (Array.isArray(value)) writeList(writer, value, keys);
  else if (typeof value === 'object') writeObject(writer, value, keys);
  else throw new TypeError(`a command must be plain data, but this is of type ${typeof value}`);
}

function writeList(writer: ByteWriter, list: readonly unknown[], keys: Map<string, number>): void {
  writer.byte(LIST);
  writer.number(list.length);
  for (const value of list) write(writer, value, keys);
}

/** Omits keys whose value is undefined, as JSON does. */
function writeObject(writer: ByteWriter, object: object, keys: Map<string, number>): void {
  const entries = Object.entries(object).filter(([, value]) => value !== undefined);
  writer.byte(OBJECT);
  writer.number(entries.length);
  for (const [key, value] of entries) {
    const known = keys.get(key);
    writer.number(known ?? keys.size);
    if (known === undefined) {
      keys.set(key, keys.size);
      writer.text(key);
    }
    write(writer, value, keys);
  }
}

function read(reader: ByteReader, keys: string[]): unknown {
  const tag = reader.byte();
  if (tag === NULL) return null;
  if (tag === FALSE) return false;
  if (tag === TRUE) return true;
  if (tag === NUMBER) return reader.number();
  if (tag === TEXT) return reader.text();
  if (tag === LIST) {
    const list: unknown[] = [];
    for (let left = reader.count(); left > 0; left -= 1) list.push(read(reader, keys));
    return list;
  }
  if (tag === OBJECT) return readObject(reader, keys);
  throw new EncodingError(`unknown kind of value: ${tag}`);
}

function readObject(reader: ByteReader, keys: string[]): object {
  const object: Record<string, unknown> = {};
  for (let left = reader.count(); left > 0; left -= 1) {
    const key = readKey(reader, keys);
    const value = read(reader, keys);
    // A plain assignment would set the prototype instead of adding a key.
    if (key === '__proto__') defineKey(object, key, value);
    else object[key] = value;
  }
  return object;
}

function readKey(reader: ByteReader, keys: string[]): string {
  const number = reader.number();
  if (number === keys.length) keys.push(reader.text());
  const key = keys[number];
  if (key === undefined) throw new EncodingError(`key ${number} is used before it is defined`);
  return key;
}

function defineKey(object: object, key: string, value: unknown): void {
  Object.defineProperty(object, key, {
    value,
    configurable: true,
    enumerable: true,
    writable: true,
  });
}
