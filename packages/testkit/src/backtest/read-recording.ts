import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import { createInterface } from 'node:readline';
import { createGunzip } from 'node:zlib';
import type { RecordedRow } from './recorded-row.ts';
import { RecordingError, type RowPlace } from './recording-error.ts';
import { type Fields, isFields, type LevelLine, type OpenCandle, rowOf } from './row-of.ts';
import { cellsOf, columnsOf } from './table-lines.ts';

/** A row, and where it stands. */
export type PlacedRow = { readonly row: RecordedRow; readonly place: RowPlace };

type Where = { readonly file: string; readonly line: number };
type Placed<Value> = Where & { readonly value: Value };

/**
 * The rows of one file, one after the other: as long as it may be, no more than a line of it is in memory. Tables (CSV) and
 * lines of JSON are told apart by their first character; a name that ends in `.gz` is unpacked.
 */
export async function* readRecording(path: string): AsyncGenerator<PlacedRow> {
  let beforeMs = 0;
  for await (const { value: row, ...place } of wholeRows(path)) {
    const fault = timeFault(row, beforeMs);
    if (fault !== undefined) throw new RecordingError(place, fault);
    beforeMs = row.timeMs;
    yield { row, place };
  }
}

/** Time does not go back. */
export function timeFault({ timeMs }: RecordedRow, beforeMs: number): string | undefined {
  if (timeMs >= beforeMs) return undefined;
  const [own, before] = [timeMs, beforeMs].map((ms) => new Date(ms).toISOString());
  return `its time ${own} is before that of the previous row, ${before}`;
}

/** Levels of one time are one book; a candle that does not say its end lasts as long as the first one did until the second. */
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
    throw new RecordingError(waiting, 'a single candle needs its end; add a column "end"');
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
  // A pipe does not hand on what goes wrong before it.
  bytes.once('error', (error) => input.destroy(error));
  yield* createInterface({ input, crlfDelay: Infinity });
}

/** An object a line, or a list of them, as an answer of `candleSnapshot` is. */
function jsonFields(text: string): readonly unknown[] | string {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : [value];
  } catch (error) {
    return `it is not JSON: ${(error as Error).message}`;
  }
}

function tableReader(firstLine: string) {
  // A mark of the order of bytes is no part of the first name.
  const cells = cellsOf(firstLine.replace(/^\uFEFF/, ''));
  const columns = cells === undefined ? undefined : columnsOf(cells);
  if (columns === undefined) {
    return (
      'it is neither a header nor a row of a known table. Write a header such as ' +
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
