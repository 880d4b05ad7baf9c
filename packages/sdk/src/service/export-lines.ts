import { checkShape, EXPORT_SHAPES, type ExportName, type INTERVALS } from '@oddlot/protocol';
import { ValidationError } from '../errors.ts';
import type { InfoContext, InfoOptions } from '../info/query-info.ts';

type Span = {
  /** The start and end in milliseconds, both inclusive. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  /** The format of the export; by default a CSV table with a header. */
  readonly format?: 'csv' | 'ndjson' | undefined;
};

/** Parameters for exporting an account's data. */
export type UserExportParameters = Span & {
  readonly user: string;
  readonly accountType?: 'perp' | 'outcome' | readonly ('perp' | 'outcome')[] | undefined;
};

/** Parameters for exporting candles: the instrument id as a string, and the interval. */
export type CandleExportParameters = Span & {
  readonly coin: string;
  readonly interval: (typeof INTERVALS)[number];
};

export type ExportParameters = {
  readonly fills: UserExportParameters;
  readonly orders: UserExportParameters;
  readonly fundings: UserExportParameters;
  readonly ledger: UserExportParameters;
  readonly candles: CandleExportParameters;
};

/**
 * Yields the lines of an export, oldest row first: the header and one line per row, or one JSON
 * object per line. Lines are read on demand, so even a very long export needs little memory.
 *
 * @throws ValidationError, HttpError, ApiError
 */
export async function* exportLines<Name extends ExportName>(
  { http }: InfoContext,
  name: Name,
  parameters: ExportParameters[Name],
  { signal }: InfoOptions = {},
): AsyncGenerator<string, void> {
  const search = new URLSearchParams();
  for (const [key, value] of Object.entries(parameters)) {
    if (value !== undefined) search.append(key, String(value));
  }
  const fault = checkShape(EXPORT_SHAPES[name]!, Object.fromEntries(search));
  if (fault !== undefined) throw ValidationError.of(fault);
  const marks = parameters.format === 'ndjson' ? JSON_MARKS : CSV_MARKS;
  let rest = '';
  for await (const part of http.get(`/export/${name}?${search}`, { signal })) {
    const { lines, left } = wholeLines(rest + part, marks);
    yield* lines;
    rest = left;
  }
  if (rest !== '') yield rest;
}

/**
 * A line break inside a quoted cell does not end a line. Single-line JSON objects contain no line
 * breaks.
 */
const CSV_MARKS = /"|\r\n/g;
const JSON_MARKS = /\n/g;

function wholeLines(
  text: string,
  marks: RegExp,
): { readonly lines: string[]; readonly left: string } {
  const lines: string[] = [];
  let start = 0;
  let isQuoted = false;
  for (const { 0: mark, index } of text.matchAll(marks)) {
    if (mark === '"') isQuoted = !isQuoted;
    else if (!isQuoted) {
      lines.push(text.slice(start, index));
      start = index + mark.length;
    }
  }
  return { lines, left: text.slice(start) };
}
