import { HistoryDamagedError } from './store-errors.ts';

/**
 * Rows as texts. The names of fields are most of a row's JSON, so a row is written as a list of values
 * in a fixed order, headed by a mask of the fields that it lacks. Reading gives the same fields in the
 * same order, byte for byte. A row whose fields are others, or in another order, is written as it is.
 */
type TupleCodec<Row> = {
  readonly encode: (row: Row) => string;
  readonly decode: (text: string) => Row;
};

/** Fields that are kept as tuples of their own. */
type Nested = Readonly<Record<string, readonly string[]>>;
type Values = Readonly<Record<string, unknown>>;

export function tupleCodec<Row extends object>(
  fields: readonly (keyof Row & string)[],
  nested?: Nested,
): TupleCodec<Row> {
  return {
    encode: (row) => JSON.stringify(toTuple(row as Values, fields, nested)),
    decode: (text) => fromTuple(parsed(text), fields, nested) as Row,
  };
}

/** Bits of a mask by place: there are more places than a shift can reach. */
const BITS = Array.from({ length: 53 }, (_, place) => 2 ** place);

/** Rows are plain objects; walking their names costs a fraction of listing their entries. */
function toTuple(row: Values, fields: readonly string[], nested: Nested | undefined): unknown {
  const values: unknown[] = [0];
  const { length } = fields;
  let absent = 0;
  let place = 0;
  // oxlint-disable-next-line guard-for-in -- nothing is inherited.
  for (const name in row) {
    const value = row[name];
    if (value === undefined) continue;
    while (place < length && fields[place] !== name) {
      absent += BITS[place] ?? 0;
      place += 1;
    }
    if (place === length) return row;
    const inner = nested?.[name];
    values.push(inner === undefined ? value : toTuple(value as Values, inner, undefined));
    place += 1;
  }
  for (; place < length; place += 1) absent += BITS[place] ?? 0;
  values[0] = absent;
  return values;
}

function fromTuple(tuple: unknown, fields: readonly string[], nested?: Nested): object {
  if (!Array.isArray(tuple)) return tuple as object;
  const row: Record<string, unknown> = {};
  let absent = Number(tuple[0]);
  let at = 1;
  for (const name of fields) {
    const isAbsent = absent % 2 === 1;
    absent = Math.floor(absent / 2);
    if (isAbsent) continue;
    const inner = nested?.[name];
    row[name] = inner === undefined ? tuple[at] : fromTuple(tuple[at], inner);
    at += 1;
  }
  if (at !== tuple.length) throw new HistoryDamagedError('a row has unexpected fields');
  return row;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new HistoryDamagedError('a row is damaged', { cause: error });
  }
}
