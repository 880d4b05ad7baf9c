import { HistoryDamagedError } from '../store-errors.ts';
import type { ByteReader } from '../../../codec/byte-reader.ts';
import { ByteWriter } from '../../../codec/byte-writer.ts';
import { type Column, readColumn, writeColumn } from './packed-column.ts';
import { AS_JSON, AS_VALUES, type Form } from './packed-value.ts';
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
  /** The JSON of a row, of the fields of its parts as JSON without their braces. */
  readonly joinJson: (parts: readonly string[]) => string;
  /** Fields of the first part that readers replace: a row that has one is made before it is written as JSON. */
  readonly replaced: Fields;
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
  /**
   * Its JSON, with more fields at the end of its first part, at a fraction of the cost of making the row; undefined
   * where the row has to be made.
   */
  readonly json: (at: number, more: string) => string | undefined;
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

const PLACE_FIELDS = ['timeMs', 'height', 'index', 'instrumentId'] as const;

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
  // Most runs of an account that trades now and then have one row: no columns are made for it.
  if (count === 1) return (_, more) => jsonOfCells(shape, oneByOne(reader.fork()), more);
  const columns = columnsOf(fields, reader, count, AS_JSON);
  return (at, more) => {
    const known = columns();
    return jsonOfCells(shape, (part, place) => known[part]?.[place]?.(at), more);
  };
}

/** Reads a cell by its part and its place; they are asked for in their order, each once. */
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
      // A list without anything has nothing to replace.
      if (part === 0 && value !== '[]' && replaced.includes(names[place] ?? '')) return undefined;
      text += (text === '' ? '' : ',') + (keys[part]?.[place] ?? '') + value;
    }
    parts.push(part === 0 ? text + more : text);
  }
  return joinJson(parts);
}

const KEYS = new WeakMap<readonly Fields[], readonly Fields[]>();

/** The names of fields as JSON has them before their values. */
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
      // The same bytes may be read in both forms.
      const own = reader.fork();
      columns = fields.map((names) => names.map(() => readColumn(own, count, form)));
    }
    return columns;
  };
}
