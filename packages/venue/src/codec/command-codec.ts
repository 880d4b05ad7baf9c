import type { Command } from '@oddlot/engine';
import { ByteReader, EncodingError } from './byte-reader.ts';
import { ByteWriter } from './byte-writer.ts';
import { COMMAND_FORMS, type CommandForm } from './command-forms.ts';
import { readValue, writeValue } from './plain-value.ts';

/**
 * A command as bytes: a tag, then the form of its type, or plain data when the type has none or the
 * command does not fit it. What is read is what was written, to the order of its keys: hashes of blocks
 * cover the JSON of commands. A new command needs nothing here.
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

/** Bytes of their own. */
export function encodeCommand(command: Command): Buffer {
  scratch.clear(RETAINED_BYTES_MAX, INITIAL_BYTES);
  writeCommand(scratch, command);
  return Buffer.from(scratch.bytes.subarray(0, scratch.length));
}

/** Throws `EncodingError` unless all of the bytes are one command. */
export function decodeCommand(bytes: Buffer): Command {
  return readCommand(bytes, 0, bytes.length);
}

/** Behind what the writer has. Throws, with part of it written, when the command is not plain data. */
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

/** The command between two places. */
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
