import {
  type Fields,
  isFields,
  type LevelLine,
  type OpenCandle,
  type RecordedRow,
  rowFault,
  rowOf,
} from './recorded-row.ts';
import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import { createInterface } from 'node:readline';
import { createGunzip } from 'node:zlib';

/** The source of the rows: files, or a program that creates them. */
export type Recording =
  | string
  | readonly string[]
  | Iterable<RecordedRow>
  | AsyncIterable<RecordedRow>;

/**
 * Returns the rows of all files, sorted by time. Rows with equal times keep the order of the files.
 */
export async function* mergeRows(recording: Recording): AsyncGenerator<PlacedRow> {
  const paths = pathsOf(recording);
  if (paths === undefined) {
    yield* checkedRows(recording as AsyncIterable<RecordedRow>);
    return;
  }
  const files = paths.map((path) => readRecording(path));
  try {
    const heads = await Promise.all(files.map((file) => file.next()));
    for (;;) {
      const times = heads.map(({ done, value }) => (done === true ? Infinity : value.row.timeMs));
      const at = times.indexOf(Math.min(...times));
      const head = heads[at];
      if (head === undefined || head.done === true) return;
      yield head.value;
      heads[at] = await files[at]!.next();
    }
  } finally {
    for (const file of files) await file.return(undefined);
  }
}

async function* checkedRows(
  rows: Iterable<RecordedRow> | AsyncIterable<RecordedRow>,
): AsyncGenerator<PlacedRow> {
  let line = 0;
  let beforeMs = 0;
  for await (const row of rows) {
    line += 1;
    const fault = rowFault(row) ?? timeFault(row, beforeMs);
    if (fault !== undefined) throw new RecordingError({ line }, fault);
    beforeMs = row.timeMs;
    yield { row, place: { line } };
  }
}

function pathsOf(recording: Recording): readonly string[] | undefined {
  if (typeof recording === 'string') return [recording];
  if (!Array.isArray(recording)) return undefined;
  const rows = recording as readonly unknown[];
  return rows.every((row) => typeof row === 'string') ? (rows as readonly string[]) : undefined;
}

export type PlacedRow = { readonly row: RecordedRow; readonly place: RowPlace };

type Where = { readonly file: string; readonly line: number };
type Placed<Value> = Where & { readonly value: Value };

/**
 * Streams the rows of one file, keeping only one line in memory at a time. The first character
 * distinguishes tables (CSV) from lines of JSON. A file whose name ends in `.gz` is decompressed.
 */
async function* readRecording(path: string): AsyncGenerator<PlacedRow> {
  let beforeMs = 0;
  for await (const { value: row, ...place } of wholeRows(path)) {
    const fault = timeFault(row, beforeMs);
    if (fault !== undefined) throw new RecordingError(place, fault);
    beforeMs = row.timeMs;
    yield { row, place };
  }
}

/** Rejects a time earlier than the previous row's. */
function timeFault({ timeMs }: RecordedRow, beforeMs: number): string | undefined {
  if (timeMs >= beforeMs) return undefined;
  const [own, before] = [timeMs, beforeMs].map((ms) => new Date(ms).toISOString());
  return `its time ${own} is before that of the previous row, ${before}`;
}

/**
 * Combines levels with the same time into a book. A candle without an end time is as long as the
 * interval between the first two candles.
 */
async function* wholeRows(path: string): AsyncGenerator<Placed<RecordedRow>> {
  let levels: Placed<LevelLine>[] = [];
  let waiting: Placed<OpenCandle> | undefined;
  let lengthMs: number | undefined;
  const closed = ({ value, ...where }: Placed<OpenCandle>): Placed<RecordedRow> => {
    const endMs = value.endMs ?? value.timeMs + lengthMs!;
    return { ...where, value: { ...value, endMs } };
  };
  for await (const { value, ...where } of linesOf(path)) {
    const isSameBook = value.kind === 'level' && value.timeMs === levels[0]?.value.timeMs;
    if (levels.length > 0 && !isSameBook) {
      yield bookOf(levels);
      levels = [];
    }
    if (value.kind === 'level') {
      levels.push({ ...where, value });
      continue;
    }
    if (value.kind !== 'candle') {
      yield { ...where, value };
      continue;
    }
    if (waiting !== undefined) {
      lengthMs = value.timeMs - waiting.value.timeMs;
      if (lengthMs <= 0)
        throw new RecordingError(where, 'it does not begin after the previous row');
      yield closed(waiting);
      waiting = undefined;
    }
    const candle = { ...where, value };
    if (value.endMs === undefined && lengthMs === undefined) waiting = candle;
    else yield closed(candle);
  }
  if (levels.length > 0) yield bookOf(levels);
  if (waiting !== undefined) {
    throw new RecordingError(waiting, 'the end of a single candle is unknown; add a column "end"');
  }
}

function bookOf(lines: readonly Placed<LevelLine>[]): Placed<RecordedRow> {
  const { file, line, value } = lines[0]!;
  const side = (isBid: boolean) =>
    lines
      .filter((each) => each.value.isBid === isBid)
      .map(({ value: { price, size } }) => ({ price, size }));
  const book = { kind: 'book', timeMs: value.timeMs, bids: side(true), asks: side(false) } as const;
  return { file, line, value: book };
}

async function* linesOf(path: string) {
  const file = basename(path);
  let line = 0;
  let fieldsOf: ((text: string) => readonly unknown[] | string) | undefined;
  for await (const text of textLines(path)) {
    line += 1;
    if (text.trim() === '') continue;
    if (fieldsOf === undefined) {
      const isJson = /^\s*[{[]/.test(text);
      const reader = isJson ? jsonFields : tableReader(text);
      if (typeof reader === 'string') throw new RecordingError({ file, line }, reader);
      fieldsOf = 'header' in reader ? reader.fieldsOf : reader;
      if ('header' in reader && reader.header) continue;
    }
    const found = fieldsOf(text);
    if (typeof found === 'string') throw new RecordingError({ file, line }, found);
    for (const fields of found) {
      const value = isFields(fields) ? rowOf(fields) : 'it is not an object';
      if (typeof value === 'string') throw new RecordingError({ file, line }, value);
      if (value !== undefined) yield { file, line, value };
    }
  }
}

async function* textLines(path: string): AsyncGenerator<string> {
  const bytes = createReadStream(path);
  const input = path.endsWith('.gz') ? bytes.pipe(createGunzip()) : bytes;
  // A pipe does not forward errors from its source.
  bytes.once('error', (error) => input.destroy(error));
  yield* createInterface({ input, crlfDelay: Infinity });
}

/** Parses one object per line, or a list of objects such as a response of `candleSnapshot`. */
function jsonFields(text: string): readonly unknown[] | string {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : [value];
  } catch (error) {
    return `it is not JSON: ${(error as Error).message}`;
  }
}

function tableReader(firstLine: string) {
  // A byte-order mark is not part of the first column's name.
  const cells = cellsOf(firstLine.replace(/^\uFEFF/, ''));
  const columns = cells === undefined ? undefined : columnsOf(cells);
  if (columns === undefined) {
    return (
      'it is neither a header nor a row of a known table. Add a header such as ' +
      'time,open,high,low,close,volume'
    );
  }
  const { names, isHeader: header } = columns;
  const fieldsOf = (text: string): readonly Fields[] | string => {
    const row = cellsOf(text);
    if (row === undefined) return 'a quotation mark is not closed';
    if (row.length !== names.length) {
      return `it has ${row.length} columns, but the table has ${names.length}`;
    }
    return [Object.fromEntries(names.map((name, at) => [name, row[at]!.trim()]))];
  };
  return { header, fieldsOf };
}

/** The position of a row: a line in a file, or the number of a row created by a program. */
type RowPlace = { readonly file?: string; readonly line: number };

/** Thrown for a recording's row that cannot be used. The message gives the reason. */
export class RecordingError extends Error {
  /** The file of the row. Undefined if a program created the rows. */
  readonly file: string | undefined;
  /** The line in the file, or the row number, starting with 1. */
  readonly line: number;

  constructor({ file, line }: RowPlace, fault: string) {
    super(`${file === undefined ? 'row' : `${file}, line`} ${line}: ${fault}`);
    this.name = 'RecordingError';
    this.file = file;
    this.line = line;
  }
}

/**
 * The columns of tables without a header. These are Binance's public dumps, distinguished by their
 * number of columns.
 */
const KLINES = [
  'open_time',
  'open',
  'high',
  'low',
  'close',
  'volume',
  'close_time',
  'quote_volume',
  'count',
  'taker_buy_volume',
  'taker_buy_quote_volume',
  'ignore',
];
const AGG_TRADES = [
  'agg_trade_id',
  'price',
  'quantity',
  'first_trade_id',
  'last_trade_id',
  'transact_time',
  'is_buyer_maker',
  'is_best_match',
];
const TRADES = ['id', 'price', 'qty', 'quote_qty', 'time', 'is_buyer_maker', 'is_best_match'];

const BOOLEAN = /^(?:true|false)$/i;
/**
 * The index of the taker-side flag, which distinguishes two kinds of trades with the same number of
 * columns.
 */
const TRADES_FLAG = TRADES.indexOf('is_buyer_maker');

function columnsOf(
  cells: readonly string[],
): { readonly names: readonly string[]; readonly isHeader: boolean } | undefined {
  if (cells.every((cell) => /^[a-z][a-z0-9_ ]*$/i.test(cell) && !BOOLEAN.test(cell))) {
    return { names: cells.map((cell) => cell.trim()), isHeader: true };
  }
  const names = headlessColumns(cells);
  return names === undefined ? undefined : { names, isHeader: false };
}

function headlessColumns(cells: readonly string[]): readonly string[] | undefined {
  if (cells.length === KLINES.length) return KLINES;
  const isTrades = cells.length <= TRADES.length && BOOLEAN.test(cells[TRADES_FLAG] ?? '');
  if (isTrades) return TRADES.slice(0, cells.length);
  const isAggregated = cells.length <= AGG_TRADES.length && BOOLEAN.test(cells[6] ?? '');
  return isAggregated ? AGG_TRADES.slice(0, cells.length) : undefined;
}

/**
 * Returns the cells of a line (RFC 4180, except for cells with line breaks), or undefined if a
 * quote is not closed.
 */
function cellsOf(line: string): readonly string[] | undefined {
  if (!line.includes('"')) return line.split(',');
  const cells: string[] = [];
  let at = 0;
  while (at <= line.length) {
    if (line[at] === '"') {
      const [text, next] = quotedCell(line, at + 1) ?? [];
      if (text === undefined || next === undefined) return undefined;
      cells.push(text);
      at = next + 1;
    } else {
      const comma = line.indexOf(',', at);
      const end = comma < 0 ? line.length : comma;
      cells.push(line.slice(at, end));
      at = end + 1;
    }
  }
  return cells;
}

/** Returns the text of a quoted cell and its end. A doubled quote stands for one quote. */
function quotedCell(line: string, from: number): readonly [string, number] | undefined {
  let text = '';
  for (let at = from; ;) {
    const quote = line.indexOf('"', at);
    if (quote < 0) return undefined;
    text += line.slice(at, quote);
    if (line[quote + 1] !== '"') {
      const isEnd = quote + 1 === line.length || line[quote + 1] === ',';
      return isEnd ? [text, quote + 1] : undefined;
    }
    text += '"';
    at = quote + 2;
  }
}
