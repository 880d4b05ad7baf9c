import { present } from '@oddlot/units';
import type { AccountType } from '../rows/block-rows.ts';
import { HistoryDamagedError } from './store-errors.ts';

/** The column types as PostgreSQL names them. Those with a question mark are nullable. */
type ColumnType = 'bigint' | 'bytea' | 'text' | 'bytea?' | 'bigint?' | 'text?';
type Columns = Readonly<Record<string, ColumnType>>;

/**
 * A table that exists in both databases. `onConflict` defines what happens to a row whose key
 * exists: it is kept, replaced, replaced only by a newer version, or incremented.
 */
export type Table<Columned extends Columns = Columns> = {
  readonly columns: Columned;
  readonly key: readonly (keyof Columned & string)[];
  /** The existing row is kept by default. */
  readonly onConflict?:
    | 'replace'
    | { readonly newer: readonly (keyof Columned & string)[] }
    | { readonly add: readonly (keyof Columned & string)[] };
  /**
   * How old rows are found and deleted. Absent if rows are deleted together with other rows, or
   * never.
   */
  readonly pruned?: {
    readonly as: string;
    readonly owner: readonly (keyof Columned & string)[];
    readonly time: keyof Columned & string;
    readonly unitMs?: number;
    /** True if the newest old row of an owner is kept, because it is valid until the next row. */
    readonly keepsLast?: true;
  };
};

export function table<const Columned extends Columns, Codec = undefined>(
  declared: Table<Columned> & { readonly codec?: Codec },
): Table<Columned> & { readonly codec: Codec } {
  return declared as Table<Columned> & { readonly codec: Codec };
}

type ValueOf<Type> = Type extends `${infer Base}?`
  ? ValueOf<Base> | null
  : Type extends 'bigint'
    ? number
    : Type extends 'bytea'
      ? Uint8Array
      : string;

export type RowsOf<Tables extends Readonly<Record<string, { readonly columns: Columns }>>> = {
  [Name in keyof Tables]: {
    -readonly [Column in keyof Tables[Name]['columns']]: ValueOf<Tables[Name]['columns'][Column]>;
  };
};

/** The columns of a row's position within the rows of its account. */
export const POSITION = { time_ms: 'bigint', height: 'bigint', idx: 'bigint' } as const;
export type Position = { time_ms: number; height: number; idx: number };

/**
 * The codec for rows as text. Field names would make up most of the JSON, so a row is stored as a
 * list of values in a fixed order, after a mask of absent fields. Decoding returns the same fields
 * in the same order, byte for byte. A row with other fields or another order is stored as JSON.
 */
type TupleCodec<Row> = {
  readonly encode: (row: Row) => string;
  readonly decode: (text: string) => Row;
};

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

/** The bits of a mask by position; shift operators reach only 32 of them. */
const BITS = Array.from({ length: 53 }, (_, place) => 2 ** place);

/** Iterating over a plain object's names is much cheaper than listing its entries. */
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

/** The account types in keys. Some rows belong to both. */
const PERP = 0;
const OUTCOME = 1;
const BOTH = 2;

export function kindOf(accountType: AccountType): number {
  return accountType === 'perp' ? PERP : OUTCOME;
}

export function kindOfAll(accountTypes: readonly AccountType[]): number {
  return accountTypes.length > 1
    ? BOTH
    : kindOf(present(accountTypes[0], 'a row belongs to an account'));
}

export function kindsOf(accountTypes: readonly AccountType[]): readonly number[] {
  return [...new Set(accountTypes.map(kindOf))];
}

/**
 * Returns the keys to search for account types, in tables where rows can also belong to both types.
 */
export function kindsWithBoth(accountTypes: readonly AccountType[]): readonly number[] {
  return accountTypes.length === 0 ? [] : [...kindsOf(accountTypes), BOTH];
}

/**
 * The size of the cache of addresses. A cache is useful because most rows belong to a small number
 * of accounts.
 */
const KEPT_MAX = 10_000;
const cachedAddresses = new Map<string, Uint8Array>();

/** Converts `0x…` to bytes, which take up half as much space in a key. */
export function bytesOf(hex: string): Uint8Array {
  return Buffer.from(hex.slice(2), 'hex');
}

export function addressBytes(address: string): Uint8Array {
  let bytes = cachedAddresses.get(address);
  if (bytes === undefined) {
    bytes = bytesOf(address);
    if (cachedAddresses.size >= KEPT_MAX) cachedAddresses.clear();
    cachedAddresses.set(address, bytes);
  }
  return bytes;
}

export function hexOf(bytes: Uint8Array): string {
  return `0x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')}`;
}
