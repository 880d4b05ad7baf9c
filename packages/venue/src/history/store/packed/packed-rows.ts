import { HistoryDamagedError } from '../store-errors.ts';
import type { ByteReader } from '../../../codec/byte-reader.ts';
import { ByteWriter } from '../../../codec/byte-writer.ts';
import { type Column, readColumn, writeColumn } from './packed-column.ts';
import { opened, sealed } from './sealed-bytes.ts';

/**
 * Rows that follow each other as one value of bytes, field by field: a fraction of what they take one by
 * one, and cheaper to make. Reading gives the same fields in the same order, byte for byte. Rows of which
 * one has other fields, or in another order, are written as they are.
 */
type Fields = readonly string[];
type Parts = readonly object[];

/** A row is made of some plain objects, each with fields in an order. */
type RowShape<Row> = {
  readonly fields: readonly Fields[];
  readonly split: (row: Row) => Parts;
  readonly join: (parts: Parts) => Row;
};

/** Where a row stands among others, and what it is of. */
export type Place = {
  readonly timeMs: number;
  readonly height: number;
  readonly index: number;
  readonly instrumentId: number;
};

export type Placed<Row> = { readonly place: Place; readonly row: Row };

/** Places are read at once; a row is made when it is asked for. */
type UnpackedRows<Row> = {
  readonly places: readonly Place[];
  readonly row: (at: number) => Row;
};

export type RowPacker<Row> = {
  readonly pack: (rows: readonly Placed<Row>[]) => Uint8Array;
  readonly unpack: (bytes: Uint8Array) => UnpackedRows<Row>;
};

/** How rows are written; each begins with its number. */
const BY_FIELD = 1;
const AS_THEY_ARE = 2;
const INITIAL_BYTES = 4_096;
/** A buffer that a long row has blown up beyond this is let go of afterwards. */
const RETAINED_BYTES_MAX = 1024 * 1024;

export function rowPacker<Row>(shape: RowShape<Row>): RowPacker<Row> {
  const writer = new ByteWriter(INITIAL_BYTES);
  // Written over by each run: rows are many, and lists of this size are not made for nothing.
  const columns = shape.fields.map((names) => names.map((): unknown[] => []));
  const allColumns = columns.flat();
  return {
    pack: (rows) => {
      writer.clear(RETAINED_BYTES_MAX, INITIAL_BYTES);
      const hasFit = fill(columns, shape, rows);
      writer.byte(hasFit ? BY_FIELD : AS_THEY_ARE);
      writer.int(rows.length);
      for (const field of PLACE_FIELDS) {
        writeColumn(
          writer,
          rows.map(({ place }) => place[field]),
          rows.length,
        );
      }
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
        return { places, row: (at) => rows[at] as Row };
      }
      if (form !== BY_FIELD) throw new HistoryDamagedError('packed rows are of no known form');
      return { places, row: rowsOf(shape, reader, count) };
    },
  };
}

const PLACE_FIELDS = ['timeMs', 'height', 'index', 'instrumentId'] as const;

function placesOf(reader: ByteReader, count: number): readonly Place[] {
  const [timeMs, height, index, instrumentId] = PLACE_FIELDS.map(() => {
    const column = readColumn(reader, count);
    return (at: number) => Number(column(at));
  }) as [NumberAt, NumberAt, NumberAt, NumberAt];
  return Array.from({ length: count }, (_, at) => ({
    timeMs: timeMs(at),
    height: height(at),
    index: index(at),
    instrumentId: instrumentId(at),
  }));
}

type NumberAt = (at: number) => number;

/** Puts the values of each field together; false when a row has others. */
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

/** Rows are plain objects; walking their names costs a fraction of listing their entries. */
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

/** Columns are read when the first row is asked for. */
function rowsOf<Row>(
  { fields, join }: RowShape<Row>,
  reader: ByteReader,
  count: number,
): (at: number) => Row {
  let columns: (readonly Column[])[] | undefined;
  return (at) => {
    columns ??= fields.map((names) => names.map(() => readColumn(reader, count)));
    const parts = columns.map((some, part) => {
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
