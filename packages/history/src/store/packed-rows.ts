import { HistoryDamagedError } from './store-errors.ts';
import { ByteReader, ByteWriter } from '@oddlot/replica/codec/bytes';
import {
  AS_JSON,
  AS_VALUES,
  decimalOf,
  FIRST_COLUMN_KIND,
  type Form,
  isInt,
  writeValue,
} from './packed-value.ts';
import { crc32 } from 'node:zlib';

/**
 * Packs consecutive rows field by field into one byte value, which is much smaller than separate
 * rows and cheaper to encode. Decoding returns the same fields in the same order, byte for byte. If
 * a row has other fields or another order, all rows are stored as JSON.
 */
type Fields = readonly string[];
type Parts = readonly object[];

/** A row is split into plain objects, each with a fixed order of fields. */
type RowShape<Row> = {
  readonly fields: readonly Fields[];
  readonly split: (row: Row) => Parts;
  readonly join: (parts: Parts) => Row;
  /** Joins the JSON of the objects, each without its braces. */
  readonly joinJson: (parts: readonly string[]) => string;
  /**
   * The fields of the first object that are replaced by queries. A row with such a field is decoded
   * before it is written as JSON.
   */
  readonly replaced: Fields;
};

export type Place = {
  readonly timeMs: number;
  readonly height: number;
  readonly index: number;
  readonly instrumentId: number;
};

export type Placed<Row> = { readonly place: Place; readonly row: Row };

/** An unpacked run. Positions are decoded immediately, and rows on demand. */
type UnpackedRows<Row> = {
  readonly places: readonly Place[];
  readonly row: (at: number) => Row;
  /**
   * Returns the JSON of a row with additional fields at the end of its first object, which is much
   * cheaper than decoding the row. Returns undefined if the row must be decoded.
   */
  readonly json: (at: number, more: string) => string | undefined;
};

export type RowPacker<Row> = {
  readonly pack: (rows: readonly Placed<Row>[]) => Uint8Array;
  readonly unpack: (bytes: Uint8Array) => UnpackedRows<Row>;
};

/** Versions of the encoding, stored in the first byte. */
const BY_FIELD = 1;
const AS_THEY_ARE = 2;
const INITIAL_BYTES = 4_096;
/** A buffer that has grown beyond this size is released. */
const RETAINED_BYTES_MAX = 1024 * 1024;

export function rowPacker<Row>(shape: RowShape<Row>): RowPacker<Row> {
  const writer = new ByteWriter(INITIAL_BYTES);
  const columns = shape.fields.map((names) => names.map((): unknown[] => []));
  const allColumns = columns.flat();
  const placeColumns: PlaceColumns = [[], [], [], []];
  return {
    pack: (rows) => {
      writer.clear(RETAINED_BYTES_MAX, INITIAL_BYTES);
      fillPlaces(placeColumns, rows);
      const hasFit = fill(columns, shape, rows);
      writer.byte(hasFit ? BY_FIELD : AS_THEY_ARE);
      writer.int(rows.length);
      for (const column of placeColumns) writeColumn(writer, column, rows.length);
      if (!hasFit) writer.utf8(JSON.stringify(rows.map(({ row }) => row)));
      else for (const column of allColumns) writeColumn(writer, column, rows.length);
      return sealed(writer);
    },
    unpack: (bytes) => {
      const reader = opened(bytes);
      const form = reader.byte();
      const count = reader.int();
      const places = placesOf(reader, count);
      if (form === AS_THEY_ARE) {
        const rows = JSON.parse(reader.utf8()) as Row[];
        return { places, row: (at) => rows[at] as Row, json: () => undefined };
      }
      if (form !== BY_FIELD) throw new HistoryDamagedError('packed rows have an unknown form');
      return {
        places,
        row: rowsOf(shape, reader, count),
        json: jsonOf(shape, reader, count),
      };
    },
  };
}

type PlaceColumns = [timeMs: number[], height: number[], index: number[], instrumentId: number[]];

function fillPlaces(columns: PlaceColumns, rows: readonly { readonly place: Place }[]): void {
  const [timeMs, height, index, instrumentId] = columns;
  for (const [at, { place }] of rows.entries()) {
    timeMs[at] = place.timeMs;
    height[at] = place.height;
    index[at] = place.index;
    instrumentId[at] = place.instrumentId;
  }
}

function placesOf(reader: ByteReader, count: number): readonly Place[] {
  const numbers = (): NumberAt => {
    const column = readColumn(reader, count, AS_VALUES);
    return (at) => Number(column(at));
  };
  const [timeMs, height, index, instrumentId] = [numbers(), numbers(), numbers(), numbers()];
  return Array.from({ length: count }, (_, at) => ({
    timeMs: timeMs(at),
    height: height(at),
    index: index(at),
    instrumentId: instrumentId(at),
  }));
}

type NumberAt = (at: number) => number;

function fill<Row>(
  columns: readonly (readonly unknown[][])[],
  { fields, split }: RowShape<Row>,
  rows: readonly Placed<Row>[],
): boolean {
  for (const [at, { row }] of rows.entries()) {
    const parts = split(row);
    for (let part = 0; part < parts.length; part += 1) {
      const [object, names, values] = [parts[part], fields[part], columns[part]];
      if (object === undefined || names === undefined || values === undefined) return false;
      if (!take(object, at, names, values)) return false;
    }
  }
  return true;
}

/** Iterating over a plain object's names is much cheaper than listing its entries. */
function take(part: object, at: number, names: Fields, columns: readonly unknown[][]): boolean {
  const { length } = names;
  let place = 0;
  // oxlint-disable-next-line guard-for-in -- nothing is inherited.
  for (const name in part) {
    const value = (part as Record<string, unknown>)[name];
    if (value === undefined) continue;
    for (; place < length && names[place] !== name; place += 1) put(columns, place, at, undefined);
    if (place === length) return false;
    put(columns, place, at, value);
    place += 1;
  }
  for (; place < length; place += 1) put(columns, place, at, undefined);
  return true;
}

function put(columns: readonly unknown[][], place: number, at: number, value: unknown): void {
  const column = columns[place];
  if (column !== undefined) column[at] = value;
}

/** Returns a reader of rows, which decodes all columns when the first row is read. */
function rowsOf<Row>(
  { fields, join }: RowShape<Row>,
  reader: ByteReader,
  count: number,
): (at: number) => Row {
  const columns = columnsOf(fields, reader, count, AS_VALUES);
  return (at) => {
    const parts = columns().map((some, part) => {
      const object: Record<string, unknown> = {};
      const names = fields[part] ?? [];
      for (const [place, column] of some.entries()) {
        const value = column(at);
        if (value !== undefined) object[names[place] ?? ''] = value;
      }
      return object;
    });
    return join(parts);
  };
}

function jsonOf<Row>(
  shape: RowShape<Row>,
  reader: ByteReader,
  count: number,
): (at: number, more: string) => string | undefined {
  const { fields } = shape;
  // Accounts that trade only occasionally have many runs with a single row, which do not need
  // columns.
  if (count === 1) return (_, more) => jsonOfCells(shape, oneByOne(reader.fork()), more);
  const columns = columnsOf(fields, reader, count, AS_JSON);
  return (at, more) => {
    const known = columns();
    return jsonOfCells(shape, (part, place) => known[part]?.[place]?.(at), more);
  };
}

/** Reads a cell by object and field. Each cell is read once, in order. */
type Cells = (part: number, place: number) => string | undefined;

function oneByOne(reader: ByteReader): Cells {
  return () => AS_JSON.read(reader);
}

function jsonOfCells<Row>(
  { fields, joinJson, replaced }: RowShape<Row>,
  cells: Cells,
  more: string,
): string | undefined {
  const keys = keysOf(fields);
  const parts: string[] = [];
  for (const [part, names] of fields.entries()) {
    let text = '';
    for (let place = 0; place < names.length; place += 1) {
      const value = cells(part, place);
      if (value === undefined) continue;
      // An empty list need not be replaced.
      if (part === 0 && value !== '[]' && replaced.includes(names[place] ?? '')) return undefined;
      text += (text === '' ? '' : ',') + (keys[part]?.[place] ?? '') + value;
    }
    parts.push(part === 0 ? text + more : text);
  }
  return joinJson(parts);
}

const KEYS = new WeakMap<readonly Fields[], readonly Fields[]>();

function keysOf(fields: readonly Fields[]): readonly Fields[] {
  const known = KEYS.get(fields);
  if (known !== undefined) return known;
  const keys = fields.map((names) => names.map((name) => `${JSON.stringify(name)}:`));
  KEYS.set(fields, keys);
  return keys;
}

function columnsOf<Cell>(
  fields: readonly Fields[],
  reader: ByteReader,
  count: number,
  form: Form<Cell>,
): () => readonly (readonly Column<Cell>[])[] {
  let columns: (readonly Column<Cell>[])[] | undefined;
  return () => {
    if (columns === undefined) {
      // Both forms can be read from the same bytes, so each needs its own position.
      const own = reader.fork();
      columns = fields.map((names) => names.map(() => readColumn(own, count, form)));
    }
    return columns;
  };
}

/**
 * The encodings of the values of one field. A value shared by all rows is written once, integers
 * are written as differences, and values with few variants as indexes into a list.
 */
const COLUMNS = {
  ints: FIRST_COLUMN_KIND,
  decimals: FIRST_COLUMN_KIND + 1,
  choices: FIRST_COLUMN_KIND + 2,
  values: FIRST_COLUMN_KIND + 3,
} as const;

/** The list of variants is searched linearly, and an index has at most four bits. */
const CHOICES_MAX = 16;

type Column<Cell> = (at: number) => Cell | undefined;

function writeColumn(writer: ByteWriter, values: readonly unknown[], count: number): void {
  const first = values[0];
  if (isSame(values, count)) writeValue(writer, first);
  else if (typeof first === 'number' && areInts(values, count)) writeInts(writer, values, count);
  else writeOthers(writer, values, count);
}

/**
 * Returns whether all values are equal. Lists count as equal only if they are empty, because their
 * content is not compared.
 */
function isSame(values: readonly unknown[], count: number): boolean {
  const first = values[0];
  if (count === 1) return true;
  if (Array.isArray(first)) {
    for (let at = 0; at < count; at += 1) {
      const each = values[at];
      if (!Array.isArray(each) || each.length > 0) return false;
    }
    return true;
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

/** Decimal texts are compared as numbers, which is much cheaper. */
function writeOthers(writer: ByteWriter, values: readonly unknown[], count: number): void {
  const decimals = decimalsOf(values, count);
  const choices = choicesOf(decimals ?? values, count);
  if (choices !== undefined) {
    writer.byte(COLUMNS.choices);
    writer.int(choices.firsts.length);
    for (const first of choices.firsts) writeValue(writer, values[first]);
    writePlaces(writer, choices.places, bitsOf(choices.firsts.length));
    return;
  }
  writer.byte(decimals === undefined ? COLUMNS.values : COLUMNS.decimals);
  if (decimals !== undefined) for (const decimal of decimals) writer.int(decimal);
  else for (let at = 0; at < count; at += 1) writeValue(writer, values[at]);
}

type Choices = {
  /** The row in which each variant occurs first. */
  readonly firsts: readonly number[];
  /** The number of each row's variant. */
  readonly places: readonly number[];
};

function choicesOf(values: readonly unknown[], count: number): Choices | undefined {
  const choicesMax = Math.min(CHOICES_MAX, count / 2);
  const choices: unknown[] = [];
  const firsts: number[] = [];
  const places: number[] = [];
  for (let at = 0; at < count; at += 1) {
    const value = values[at];
    let place = choices.indexOf(value);
    if (place === -1) {
      const isPlain = typeof value !== 'object' || value === null;
      if (!isPlain || choices.length >= choicesMax) return undefined;
      place = choices.push(value) - 1;
      firsts.push(at);
    }
    places.push(place);
  }
  return { firsts, places };
}

function decimalsOf(values: readonly unknown[], count: number): number[] | undefined {
  const decimals: number[] = [];
  for (let at = 0; at < count; at += 1) {
    const value = values[at];
    const decimal = typeof value === 'string' ? decimalOf(value) : undefined;
    if (decimal === undefined) return undefined;
    decimals.push(decimal);
  }
  return decimals;
}

function bitsOf(choices: number): number {
  if (choices <= 2) return 1;
  return choices <= 4 ? 2 : 4;
}

function writePlaces(writer: ByteWriter, places: readonly number[], bits: number): void {
  let byte = 0;
  let filled = 0;
  for (const place of places) {
    byte |= place << filled;
    filled += bits;
    if (filled < 8) continue;
    writer.byte(byte);
    byte = 0;
    filled = 0;
  }
  if (filled > 0) writer.byte(byte);
}

function readColumn<Cell>(reader: ByteReader, count: number, form: Form<Cell>): Column<Cell> {
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
      // Each row gets its own empty list, although the list is stored only once.
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

const CRC_BYTES = 4;

/**
 * Returns a copy of the written bytes with a checksum, because SQLite does not detect a changed
 * byte in a value.
 */
export function sealed(writer: ByteWriter): Uint8Array {
  const { written } = writer;
  const bytes = Buffer.allocUnsafe(written.length + CRC_BYTES);
  bytes.set(written);
  bytes.writeUInt32LE(crc32(written), written.length);
  return bytes;
}

/** Returns a reader of the bytes; throws HistoryDamagedError if the checksum differs. */
export function opened(sealedBytes: Uint8Array): ByteReader {
  // SQLite stores the type of each value next to it, so damage can also turn bytes into a text.
  if (!(sealedBytes instanceof Uint8Array)) {
    throw new HistoryDamagedError('packed rows are not binary');
  }
  const bytes = Buffer.from(sealedBytes.buffer, sealedBytes.byteOffset, sealedBytes.byteLength);
  const end = bytes.length - CRC_BYTES;
  if (end < 0 || crc32(bytes.subarray(0, end)) !== bytes.readUInt32LE(end)) {
    throw new HistoryDamagedError('packed rows are damaged');
  }
  return new ByteReader(bytes.subarray(0, end));
}
