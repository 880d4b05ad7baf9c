import { HistoryDamagedError } from '../store-errors.ts';
import type { ByteReader } from '../../../codec/byte-reader.ts';
import type { ByteWriter } from '../../../codec/byte-writer.ts';
import { decimalOf, FIRST_COLUMN_KIND, type Form, isInt, writeValue } from './packed-value.ts';

/**
 * The values of one field in rows that follow each other. Most are alike: one that all rows share is
 * written once, numbers as steps from the one before, few different ones as their places in a list.
 */
const COLUMNS = {
  ints: FIRST_COLUMN_KIND,
  decimals: FIRST_COLUMN_KIND + 1,
  choices: FIRST_COLUMN_KIND + 2,
  values: FIRST_COLUMN_KIND + 3,
} as const;

/** So few that the list is searched from end to end; a place in it is half a byte at most. */
const CHOICES_MAX = 16;

/** Reads a cell by its place; undefined is a field that a row lacks. */
export type Column<Cell> = (at: number) => Cell | undefined;

/** Writes the first values of a list, as many as there are rows. */
export function writeColumn(writer: ByteWriter, values: readonly unknown[], count: number): void {
  const first = values[0];
  if (isSame(values, count)) writeValue(writer, first);
  else if (typeof first === 'number' && areInts(values, count)) writeInts(writer, values, count);
  else writeOthers(writer, values.slice(0, count));
}

/** Lists that are equal are different things, except those without anything. */
function isSame(values: readonly unknown[], count: number): boolean {
  const first = values[0];
  if (count === 1) return true;
  if (Array.isArray(first)) {
    return values.slice(0, count).every((each) => Array.isArray(each) && each.length === 0);
  }
  for (let at = 1; at < count; at += 1) if (values[at] !== first) return false;
  return true;
}

function areInts(values: readonly unknown[], count: number): boolean {
  for (let at = 0; at < count; at += 1) if (!isInt(values[at])) return false;
  return true;
}

function writeInts(writer: ByteWriter, values: readonly unknown[], count: number): void {
  writer.byte(COLUMNS.ints);
  let last = 0;
  for (let at = 0; at < count; at += 1) {
    const value = Number(values[at]);
    writer.int(value - last);
    last = value;
  }
}

function writeOthers(writer: ByteWriter, values: readonly unknown[]): void {
  const choices = choicesOf(values);
  if (choices !== undefined) {
    writer.byte(COLUMNS.choices);
    writer.int(choices.length);
    for (const choice of choices) writeValue(writer, choice);
    writePlaces(writer, values, choices);
    return;
  }
  const decimals = decimalsOf(values);
  writer.byte(decimals === undefined ? COLUMNS.values : COLUMNS.decimals);
  if (decimals === undefined) for (const value of values) writeValue(writer, value);
  else for (const decimal of decimals) writer.int(decimal);
}

/** The different values, if there are few: their places are shorter than they are. */
function choicesOf(values: readonly unknown[]): readonly unknown[] | undefined {
  const choicesMax = Math.min(CHOICES_MAX, values.length / 2);
  const choices: unknown[] = [];
  for (const value of values) {
    if (choices.includes(value)) continue;
    const isPlain = typeof value !== 'object' || value === null;
    if (!isPlain || choices.length >= choicesMax) return undefined;
    choices.push(value);
  }
  return choices;
}

function decimalsOf(values: readonly unknown[]): number[] | undefined {
  const decimals: number[] = [];
  for (const value of values) {
    const decimal = typeof value === 'string' ? decimalOf(value) : undefined;
    if (decimal === undefined) return undefined;
    decimals.push(decimal);
  }
  return decimals;
}

/** Two choices are a bit, four are two, and so on. */
function bitsOf(choices: number): number {
  if (choices <= 2) return 1;
  return choices <= 4 ? 2 : 4;
}

function writePlaces(
  writer: ByteWriter,
  values: readonly unknown[],
  choices: readonly unknown[],
): void {
  const bits = bitsOf(choices.length);
  let byte = 0;
  let filled = 0;
  for (const value of values) {
    byte |= choices.indexOf(value) << filled;
    filled += bits;
    if (filled < 8) continue;
    writer.byte(byte);
    byte = 0;
    filled = 0;
  }
  if (filled > 0) writer.byte(byte);
}

export function readColumn<Cell>(
  reader: ByteReader,
  count: number,
  form: Form<Cell>,
): Column<Cell> {
  const kind = reader.byte();
  switch (kind) {
    case COLUMNS.ints: {
      const values = readInts(reader, count);
      return (at) => form.ofInt(values[at] ?? 0);
    }
    case COLUMNS.decimals: {
      const values = Array.from({ length: count }, () => reader.int());
      return (at) => form.ofDecimal(values[at] ?? 0);
    }
    case COLUMNS.choices: {
      const choices = Array.from({ length: reader.int() }, () => form.read(reader));
      return readPlaces(reader, count, choices);
    }
    case COLUMNS.values: {
      const values = Array.from({ length: count }, () => form.read(reader));
      return (at) => values[at];
    }
    default: {
      const value = form.read(reader, kind);
      // Rows never share a list. Only an empty one is written once for several rows.
      return Array.isArray(value) ? () => [...(value as unknown[])] as Cell : () => value;
    }
  }
}

function readInts(reader: ByteReader, count: number): readonly number[] {
  const values: number[] = [];
  let last = 0;
  for (let at = 0; at < count; at += 1) {
    last += reader.int();
    values.push(last);
  }
  return values;
}

function readPlaces<Cell>(
  reader: ByteReader,
  count: number,
  choices: readonly (Cell | undefined)[],
): Column<Cell> {
  const bits = bitsOf(choices.length);
  const perByte = 8 / bits;
  const bytes = reader.raw(Math.ceil(count / perByte));
  return (at) => {
    const byte = bytes[Math.floor(at / perByte)] ?? 0;
    const place = (byte >> ((at % perByte) * bits)) & ((1 << bits) - 1);
    if (place >= choices.length)
      throw new HistoryDamagedError('packed rows contain an unknown choice');
    return choices[place];
  };
}
